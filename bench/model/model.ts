// Prints what the simulated cluster makes of each thing that was measured on a real one, over many seeds.
import { ROWS } from './rows.ts';

const seeds = Number(process.argv[2] ?? 50);
console.log(`| what (${seeds} seeds) | measured | least | median | most |`);
console.log('| --- | --- | --- | --- | --- |');
for (const { what, measured, model } of ROWS) {
  const values: number[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) values.push(await model(seed));
  values.sort((a, b) => a - b);
  const [least, median, most] = [values[0]!, values[Math.floor(values.length / 2)]!, values.at(-1)!];
  console.log(`| ${what} | ${measured} | ${shown(least)} | ${shown(median)} | ${shown(most)} |`);
}

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
