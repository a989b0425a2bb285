// Measures what the documentation promises: renders a second, memory, and the start of the command.
// Usage: npm run bench:speed
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AKS, type AKSOptions } from '../../src/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ROUND_MS = 400;
const PROFILES = ['v0.4.0', 'v1.14'] as const;

function typicalOptions(profile: string): AKSOptions {
  const lines = readFileSync(`${root}test/golden/aks/${profile}.jsonl`, 'utf8').trim().split('\n');
  const cases = lines.map((line) => JSON.parse(line) as { name: string; options: AKSOptions });
  return cases.find((one) => one.name === 'typical node pool')!.options;
}

/**
 * Calls a second: the median and the best of several rounds, after rounds in which V8 compiles what is hot. Other
 * programs only slow a round down, so that the best one is the nearest to what the code can do.
 */
function rate(call: () => unknown): { best: number; median: number } {
  const rounds: number[] = [];
  for (let round = -5; round <= 15; round++) {
    let calls = 0;
    const start = performance.now();
    while (performance.now() - start < ROUND_MS) for (let index = 0; index < 100; index++, calls++) call();
    if (round > 0) rounds.push((calls * 1000) / (performance.now() - start));
  }
  rounds.sort((a, b) => a - b);
  return { best: Math.round(rounds.at(-1)!), median: Math.round(rounds[Math.floor(rounds.length / 2)]!) };
}

function measureRenders(): void {
  console.log('renders a second, strict, validation and base64 included');
  for (const profile of PROFILES) {
    const options = typicalOptions(profile);
    const { best, median } = rate(() => new AKS(options, { bootstrapper: `aks/${profile}` }).script());
    console.log(`  aks/${profile}: median ${median}, best ${best}`);
  }
  const script = Buffer.from(new AKS(typicalOptions('v1.14')).script(), 'base64').toString('utf8');
  const lines = script.split('\n');
  const { best, median } = rate(() => Buffer.from(lines.join('\n'), 'utf8').toString('base64'));
  console.log(`  for comparison, joining the lines and base64 alone: median ${median}, best ${best}`);
}

function measureMemory(): void {
  console.log('memory of 100,000 renders (resident set, MiB)');
  const options = typicalOptions('v1.14');
  const mebibytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20);
  const before = mebibytes();
  const marks: number[] = [];
  for (let index = 1; index <= 100_000; index++) {
    new AKS(options).script();
    if (index % 20_000 === 0) marks.push(mebibytes());
  }
  console.log(`  before ${before}, after each 20,000: ${marks.join(', ')}`);
}

function measureStart(): void {
  console.log('start of a process (ms, median of 25; the ratio is to an empty program, pair by pair)');
  const folder = mkdtempSync(join(tmpdir(), 'bootlace-bench-'));
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');
  const command = `${root}dist/bin/bootlace.cjs`;
  for (const args of [['--version'], ['node', 'render', '-f', `${root}examples/aks-node.yaml`]]) {
    const pairs = Array.from({ length: 26 }, () => [wall([command, ...args]), wall([empty])] as const).slice(1);
    const ratio = middle(pairs.map(([own, base]) => own / base));
    const ms = (values: number[]) => middle(values).toFixed(0);
    console.log(
      `  bootlace ${args[0] === '--version' ? '--version' : 'node render'}: ${ms(pairs.map(([own]) => own))} against ${ms(pairs.map(([, base]) => base))}, ratio ${ratio.toFixed(2)}`,
    );
  }
  rmSync(folder, { recursive: true });
}

function wall(args: readonly string[]): number {
  const start = performance.now();
  spawnSync(process.execPath, [...args], { stdio: 'ignore' });
  return performance.now() - start;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

console.log(`Node.js ${process.version}, ${process.arch}`);
measureRenders();
measureMemory();
measureStart();
