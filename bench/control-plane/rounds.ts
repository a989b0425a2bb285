// Changes a real control plane over and over while clients write, and says of each time what they saw.
//
// npm run bench:changes -- [--rounds 5] [--kubernetes v1.35.4] [--control-planes 1] [--proxy iptables] [--only NAME,...]
import { parseArgs } from 'node:util';
import type { Cluster } from '../cluster/bench.ts';
import { onNode } from '../cluster/machines.ts';
import { table } from '../cluster/table.ts';
import { bootlaceOn, buildBinary, type Ran } from './bootlace.ts';
import { withCluster } from './clusters.ts';
import { lossesIn } from './losses.ts';
import { remainsOn } from './remains.ts';
import { watched } from './watched.ts';

const NODE = 'cp1';
const ALL = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].flatMap((name) => ['--component', name]);
/** Milliseconds that a component may be without a leader, of a machine that has time. */
const LONGEST_GAP = 5000;

interface Change {
  readonly name: string;
  readonly args: readonly string[];
  /** How it ends; default 0. */
  readonly status?: number;
  /** Whether it leaves something behind that its way back takes away. */
  readonly leaves?: boolean;
}

/** A patch release is the same program under another name here. */
function imageChange(component: string): Change {
  return { name: `image of ${component}`, args: ['roll', '--component', component, '--image', `NEXT/${component}`] };
}

/** In an order in which each finds what it needs, and the last one of a kind takes back what the first one did. */
const CHANGES: readonly Change[] = [
  { name: 'restart', args: ['roll', ...ALL, '--restart'] },
  { name: 'changed flag', args: ['roll', ...ALL, '--set-flag', 'v=3'] },
  { name: 'removed flag', args: ['roll', ...ALL, '--remove-flag', 'v'] },
  imageChange('kube-apiserver'),
  imageChange('kube-controller-manager'),
  imageChange('kube-scheduler'),
  { name: 'bad flag', args: ['roll', '--set-flag', 'no-such-flag=1'], status: 5 },
  ...['kube-controller-manager', 'kube-scheduler'].map((component): Change => ({
    name: `bad flag of ${component}`,
    args: ['roll', '--component', component, '--set-flag', 'no-such-flag=1'],
    status: 5,
  })),
  { name: 'pivot', args: ['pivot', '--accept-reboot-risk'], leaves: true },
  { name: 'rollback', args: ['rollback'] },
];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    kubernetes: { type: 'string' },
    'control-planes': { type: 'string' },
    proxy: { type: 'string' },
    'ip-family': { type: 'string' },
    'host-firewall': { type: 'boolean' },
  },
});
const { rounds, only, ...flags } = values;
const names = only?.split(',');
const changes = CHANGES.filter(({ name }) => names?.includes(name) ?? true);
if (names !== undefined && changes.length < names.length)
  throw new Error(`--only knows: ${CHANGES.map(({ name }) => name).join(', ')}`);

const rows: string[][] = [
  ['round', 'change', 'requests', 'failed', 'kept connections broken', 'without a leader', 'restarts', 'took', ''],
];
let wrong = 0;
await withCluster(flags, buildBinary(), async (cluster) => {
  for (let round = 1; round <= Number(rounds); round += 1)
    for (const change of changes) rows.push(await rowOf(cluster, change, round));
});
console.log(table(rows).join('\n'));
console.log(wrong === 0 ? 'nothing that must not be' : `${wrong} of ${rows.length - 1} were not as they must be`);
process.exitCode = wrong === 0 ? 0 : 1;

async function rowOf(cluster: Cluster, change: Change, round: number): Promise<string[]> {
  const { result, seconds, seen } = await watched(cluster, () => carriedOut(cluster, change));
  const { totals } = seen.report;
  const { lost, broken, leaderGap } = lossesIn(seen.report);
  const remains = change.leaves ? [] : await remainsOn(cluster, NODE);
  const complaints = [
    ...(result.status === (change.status ?? 0) ? [] : [`status ${result.status}: ${result.stdout}${result.stderr}`]),
    ...lost,
    ...(leaderGap > LONGEST_GAP ? ['a component was without a leader for too long'] : []),
    ...(totals.restarts > 0 ? [restartsIn(seen.report.containers)] : []),
    ...remains.map((one) => `left behind: ${one}`),
  ];
  if (complaints.length > 0) wrong += 1;
  const row = [
    `${round}`,
    change.name,
    `${totals.requests}`,
    `${totals.failed - broken}`,
    `${broken}`,
    `${(leaderGap / 1000).toFixed(1)} s`,
    `${totals.restarts}`,
    `${seconds} s`,
    complaints.join('; '),
  ];
  console.error(row.join('  '));
  return row;
}

function restartsIn(containers: readonly { readonly pod: string; readonly restarts: number | null }[]): string {
  const restarted = containers.filter(({ restarts }) => (restarts ?? 0) > 0);
  return `restarted: ${restarted.map(({ pod, restarts }) => `${pod} ${restarts} times`).join(', ')}`;
}

async function carriedOut(cluster: Cluster, { args }: Change): Promise<Ran> {
  const next = args.find((arg) => arg.startsWith('NEXT/'))?.slice('NEXT/'.length);
  const image = next === undefined ? '' : await nextImage(cluster, next);
  return bootlaceOn(cluster, NODE, ...args.map((arg) => (arg.startsWith('NEXT/') ? image : arg)));
}

/** The image of a component that its manifest does not have: one of two names of the same. */
async function nextImage(cluster: Cluster, component: string): Promise<string> {
  const script =
    'now=$(sed -n "s/^ *image: //p" "/etc/kubernetes/manifests/$1.yaml"); ' +
    'case $now in *-again) next=${now%-again} ;; *) next=$now-again ;; esac; ' +
    'ctr -n k8s.io images tag --force "$now" "$next" > /dev/null && echo "$next"';
  const { stdout, stderr } = await onNode(cluster, NODE, ['bash', '-c', script, 'next', component]);
  if (stdout === '') throw new Error(`there is no other image of ${component}: ${stderr}`);
  return stdout.trim();
}
