// Kills a pivot and cuts the power of its node where that is worst, and sees that the control plane comes back each time
// with every write that was acknowledged.
//
// npm run drill -- [--only TEXT] [--every-remedy] [--at-once 2] [--kubernetes v1.35.4]
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Status } from '../../src/control-plane/operations/status.ts';
import { nodeOf, type Cluster } from '../cluster/bench.ts';
import { kubectl, tryKubectl } from '../cluster/kubectl.ts';
import { bootNode, cutPower } from '../cluster/machines.ts';
import { startProbe } from '../cluster/probe/probe.ts';
import { table } from '../cluster/table.ts';
import { equipmentOf } from '../cluster/up.ts';
import { bootlaceOn, buildBinary, start, statusOn } from './bootlace.ts';
import { withCluster } from './clusters.ts';
import { drillsOf, nameOf, type Drill, type Remedy } from './drills.ts';
import { remainsOn } from './remains.ts';

const NODE = 'cp1';
/** Milliseconds into the step at which it is struck: it is in the middle of its work. */
const INTO_STEP = 700;
/** How long somebody waits for the API, in milliseconds, where it has to come back by itself. */
const PATIENCE = 120_000;
const REMEDIES: Readonly<Record<Remedy, readonly (readonly string[])[]>> = {
  resume: [['resume']],
  rollback: [['rollback']],
  offline: [
    ['rollback', '--offline'],
    ['rollback', '--finish'],
  ],
};

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    'every-remedy': { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '2' },
    kubernetes: { type: 'string' },
  },
});
const { only, 'every-remedy': every, 'at-once': atOnce, ...flags } = values;

interface Result {
  readonly drill: Drill;
  /** Seconds until the API served before anybody did something; absent where it did not. */
  readonly byItself?: number;
  /** Seconds from the remedy's begin to a control plane that serves. */
  readonly seconds: number;
  readonly acknowledged: number;
  readonly missing: number;
  /** What was not as it must be. */
  readonly complaints: readonly string[];
}

const binary = buildBinary();
const results: Result[] = [];
const queue = drillsOf(every).filter((drill) => nameOf(drill).includes(only));
const count = queue.length;
await Promise.all(Array.from({ length: Number(atOnce) }, worker));
const rows = results.toSorted((a, b) => (nameOf(a.drill) < nameOf(b.drill) ? -1 : 1)).map(rowOf);
const head = ['drill', 'API by itself', 'remedy took', 'acknowledged writes', 'of these gone', ''];
console.log(table([head, ...rows]).join('\n'));
const failed = results.filter(({ complaints }) => complaints.length > 0).length;
console.log(`${count - failed} of ${count} ended with a control plane that serves`);
process.exitCode = failed === 0 && count > 0 ? 0 : 1;

async function worker(): Promise<void> {
  for (let drill = queue.shift(); drill !== undefined; drill = queue.shift()) {
    const mine = drill;
    const result = await withCluster(flags, binary, (cluster) => practise(cluster, mine)).catch(
      (error: unknown): Result => ({
        drill: mine,
        seconds: 0,
        acknowledged: 0,
        missing: 0,
        complaints: [error instanceof Error ? error.message : String(error)],
      }),
    );
    results.push(result);
    console.error(rowOf(result).join('  '));
  }
}

function rowOf({ drill, byItself, seconds, acknowledged, missing, complaints }: Result): string[] {
  const said = complaints.join('; ').replaceAll('\n', ' ');
  return [
    nameOf(drill),
    byItself === undefined ? 'no' : `after ${byItself.toFixed(0)} s`,
    `${seconds.toFixed(0)} s`,
    `${acknowledged}`,
    `${missing}`,
    said,
  ];
}

async function practise(cluster: Cluster, drill: Drill): Promise<Result> {
  const { strike, step, remedy } = drill;
  const complaints: string[] = [];
  const probe = await startProbe(cluster);
  const pivot = await start(cluster, NODE, ['pivot', '--accept-reboot-risk', '--progress', 'json', '-o', 'json']);
  await pivot.says(new RegExp(`"name":"${NODE}/${step}","title":"[^"]*","state":"started"`));
  await sleep(INTO_STEP);
  if (strike === 'kill') await pivot.kill();
  else {
    await cutPower(cluster, nodeOf(cluster, NODE));
    await bootNode(cluster, nodeOf(cluster, NODE), await equipmentOf(cluster));
  }
  await pivot.ended;

  // What is there without anybody's help. What never comes is waited for no longer than a boot can take here.
  const byItself = await serves(cluster, strike === 'kill' ? 10_000 : 60_000);
  const before = await statusOn(cluster, NODE);
  if (before.run?.verb !== 'pivot') complaints.push('status does not tell of the pivot that was struck');
  if (before.next.length === 0) complaints.push('status says of nothing that it is left to do');

  const startedAt = performance.now();
  for (const args of REMEDIES[remedy]) {
    const { status, stdout, stderr } = await bootlaceOn(cluster, NODE, ...args);
    if (status !== 0) complaints.push(`${args.join(' ')} ended with status ${status}: ${stdout}${stderr}`);
    if ((await serves(cluster, PATIENCE)) === undefined)
      complaints.push(`the API does not serve after ${args.join(' ')}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  complaints.push(...(await complaintsOf(cluster, remedy)));

  const { report } = await probe.stop();
  const acknowledged = report.clients.reduce((sum, one) => sum + one.acknowledged, 0);
  const missing = report.totals.missing;
  if (missing !== 0) complaints.push(`${missing ?? 'an unknown number'} of ${acknowledged} writes are gone`);
  return {
    drill,
    ...(byItself !== undefined && { byItself }),
    seconds,
    acknowledged,
    missing: missing ?? -1,
    complaints,
  };
}

/** What a control plane is to be at the end, of which a Deployment that comes up is the proof. */
async function complaintsOf(cluster: Cluster, remedy: Remedy): Promise<readonly string[]> {
  const status: Status = await statusOn(cluster, NODE);
  const isPivoted = remedy === 'resume';
  const wanted = isPivoted ? 'hosted Pod' : 'static Pod';
  const others = status.components.filter(({ servedBy }) => servedBy !== wanted);
  const remains = isPivoted ? [] : await remainsOn(cluster, NODE);
  const scheduled = await tryKubectl(cluster, ['create', 'namespace', 'drill']);
  // The controller-manager makes its ServiceAccount, and with that the scheduler has a Pod to place.
  const account = await eventually(() => tryKubectl(cluster, ['-n', 'drill', 'get', 'serviceaccount', 'default']));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace: 'drill' } };
  const spec = { containers: [{ name: 'one', image: 'none.invalid/none:1' }] };
  await tryKubectl(cluster, ['create', '-f', '-'], { input: JSON.stringify({ ...pod, spec }) });
  const placed = await eventually(async () => {
    const node = await kubectl(cluster, ['-n', 'drill', 'get', 'pod', 'one', '-o', 'jsonpath={.spec.nodeName}']);
    return { status: node === '' ? 1 : 0 };
  });
  return [
    ...others.map(({ component, servedBy }) => `${component} is served by ${servedBy}`),
    ...(status.next.length === 0 ? [] : [`left to do: ${status.next.join(', ')}`]),
    ...(status.isPivoted === isPivoted ? [] : [`status says ${isPivoted ? 'not pivoted' : 'pivoted'}`]),
    ...remains.map((one) => `left behind: ${one}`),
    ...(scheduled.status === 0 ? [] : ['no namespace can be made']),
    ...(account ? [] : ['the controller-manager does not work']),
    ...(placed ? [] : ['the scheduler does not work']),
  ];
}

async function eventually(look: () => Promise<{ readonly status: number | null }>): Promise<boolean> {
  const deadline = performance.now() + PATIENCE;
  while (performance.now() < deadline) {
    if ((await look()).status === 0) return true;
    await sleep(500);
  }
  return false;
}

/** Seconds until the API serves, or `undefined` where it does not for so many milliseconds. */
async function serves(cluster: Cluster, patience: number): Promise<number | undefined> {
  const startedAt = performance.now();
  do {
    const { status, stdout } = await tryKubectl(cluster, ['get', '--raw', '/readyz', '--request-timeout=2s'], {
      timeout: 4000,
    });
    if (status === 0 && stdout === 'ok') return (performance.now() - startedAt) / 1000;
    await sleep(500);
  } while (performance.now() < startedAt + patience);
  return undefined;
}
