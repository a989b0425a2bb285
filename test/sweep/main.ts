// Lets everything go wrong once that a change of a control plane asks for, and looks at what it ends with.
//
// npm run sweep -- [--only PART OF A NAME] [--sample CASES OF EACH KIND] [--seed N]
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { GROUNDS, sampleOf, type Case, type Ground } from './cases.ts';
import { carryOut, casesOn, type Result } from './sweep.ts';

/** What a thread is given, and what it answers. */
type Task = { readonly ground: Ground } | { readonly one: Case };
type Answer = { readonly cases: readonly Case[] } | { readonly result: Result };

if (isMainThread) await main();
else work((workerData as { readonly seed: number }).seed);

function work(seed: number): void {
  parentPort!.on('message', async (task: Task) => {
    const answer: Answer =
      'ground' in task ? { cases: await casesOn(task.ground, seed) } : { result: await carryOut(task.one, seed) };
    parentPort!.postMessage(answer);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      sample: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: '1' },
    },
  });
  const seed = Number(values.seed);
  const startedAt = performance.now();
  const cases: Case[] = [];
  await share(
    GROUNDS.map((ground) => ({ ground })),
    seed,
    (_, answer) => void ('cases' in answer && cases.push(...answer.cases)),
  );
  cases.sort((one, other) => (one.name < other.name ? -1 : 1));
  const chosen = sampleOf(
    cases.filter(({ name }) => name.includes(values.only)),
    Number(values.sample),
    seed,
  );
  const counts = new Map<string, number>();
  const failures: { readonly name: string; readonly result: Result }[] = [];
  let done = 0;
  await share(
    chosen.map((one) => ({ one })),
    seed,
    (task, answer) => {
      if (!('one' in task) || !('result' in answer)) return;
      done += 1;
      const { name, kind } = task.one;
      const row = `${kind} | ${answer.result.outcomes.join(', then ')}`;
      counts.set(row, (counts.get(row) ?? 0) + 1);
      if (answer.result.wrong.length > 0) {
        failures.push({ name, result: answer.result });
        progress(`failed: ${name}\n`);
      }
      if (done % 50 === 0) progress(`${done} of ${chosen.length} cases, ${failures.length} failed`);
    },
  );
  progress('');
  for (const { name, result } of failures.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    console.log(`${name}: ${result.outcomes.join(', then ')}`);
    for (const line of result.wrong) console.log(`  ${line}`);
  }
  console.log('| kind | outcome | cases |');
  console.log('| --- | --- | --- |');
  for (const [row, count] of [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    console.log(`| ${row} | ${count} |`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${done} cases, ${failures.length} failed, ${seconds} s, seed ${seed}`);
  if (failures.length > 0 || done === 0) process.exitCode = 1;
}

/** Hands tasks to as many threads as there are processors, and tells of each answer. */
async function share(tasks: readonly Task[], seed: number, tell: (task: Task, answer: Answer) => void): Promise<void> {
  const left = tasks.values();
  const threads = Array.from({ length: Math.min(availableParallelism(), tasks.length) }, async () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { seed } });
    try {
      for (const task of left) tell(task, await ask(worker, task));
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(threads);
}

function ask(worker: Worker, task: Task): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  worker.once('error', reject);
  worker.once('message', (answer: Answer) => {
    worker.off('error', reject);
    resolve(answer);
  });
  worker.postMessage(task);
  return promise;
}

/** One line that is written over, on a terminal. */
function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
  else if (line !== '') process.stderr.write(`${line.trimEnd()}\n`);
}
