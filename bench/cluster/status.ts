import { readFile } from 'node:fs/promises';
import type { NodePlan } from './addresses.ts';
import { files, type Cluster } from './bench.ts';
import { processesIn } from './cgroups.ts';
import { hasLan, nodeProcess, onNode } from './machines.ts';
import { settingsText, type Settings } from './settings.ts';
import { tryKubectl } from './kubectl.ts';
import { table } from './table.ts';

/** What a person wants to know of a cluster at a glance. */
export interface Status {
  readonly settings: Settings;
  readonly endpoint: string;
  readonly kubeconfig: string;
  /** Whether the API answers at its endpoint. */
  readonly api: boolean;
  readonly nodes: readonly NodeStatus[];
  /** Memory that the processes of the bench hold and share with no one else, in MiB. */
  readonly memoryMiB: number;
}

export interface NodeStatus {
  readonly name: string;
  readonly role: NodePlan['role'];
  readonly addresses: readonly string[];
  readonly power: 'on' | 'off';
  /** Whether its own API server says that it is ready; nothing on a worker. */
  readonly api?: boolean;
  /** As the API has it; unknown when it does not answer. */
  readonly ready: 'Ready' | 'NotReady' | 'unknown';
}

interface NodeList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

const NODES = ['get', 'nodes', '-o', 'json', '--request-timeout', '5s'];

export async function readStatus(cluster: Cluster): Promise<Status> {
  const { settings, plan, bench } = cluster;
  // After a restart of the computer nothing runs, and there is nobody to ask.
  const answer = (await hasLan(cluster)) ? await tryKubectl(cluster, NODES, { timeout: 15_000 }) : undefined;
  const isUp = answer?.status === 0;
  const items = isUp ? (JSON.parse(answer.stdout) as NodeList).items : [];
  const nodes = plan.nodes.map(async (node): Promise<NodeStatus> => {
    const isOn = (await nodeProcess(cluster, node.name)) !== undefined;
    const conditions = items.find(({ metadata }) => metadata.name === node.name)?.status.conditions;
    const ready = conditions?.find(({ type }) => type === 'Ready')?.status;
    return {
      name: node.name,
      role: node.role,
      addresses: node.addresses,
      power: isOn ? 'on' : 'off',
      ...(node.role === 'control-plane' && { api: isOn && (await ownApiAnswers(cluster, node)) }),
      ready: ready === undefined ? 'unknown' : ready === 'True' ? 'Ready' : 'NotReady',
    };
  });
  return {
    settings,
    endpoint: `https://${plan.endpoint}`,
    kubeconfig: files.kubeconfig(bench),
    api: isUp,
    nodes: await Promise.all(nodes),
    memoryMiB: Math.round((await memoryOf(bench.cgroup)) / 1024),
  };
}

async function ownApiAnswers(cluster: Cluster, node: NodePlan): Promise<boolean> {
  const args = [
    '--kubeconfig',
    '/etc/kubernetes/admin.conf',
    '--server',
    'https://localhost:6443',
    '--insecure-skip-tls-verify',
  ];
  const { status } = await onNode(
    cluster,
    node.name,
    ['kubectl', ...args, '--request-timeout', '3s', 'get', '--raw', '/readyz'],
    { timeout: 10_000 },
  );
  return status === 0;
}

/** Proportional set size of every process, in KiB. */
async function memoryOf(cgroup: string): Promise<number> {
  const sizes = (await processesIn(cgroup)).map(async (one) => {
    const text = await readFile(`/proc/${one}/smaps_rollup`, 'utf8').catch(() => '');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export function statusText(status: Status): string {
  const rows = [
    ['NODE', 'ROLE', 'ADDRESS', 'POWER', 'API SERVER', 'NODE STATUS'],
    ...status.nodes.map(({ name, role, addresses, power, api, ready }) => [
      name,
      role,
      addresses.join(' '),
      power,
      api === undefined ? '-' : api ? 'ready' : 'not ready',
      ready,
    ]),
  ];
  return [
    settingsText(status.settings),
    `API ${status.endpoint}${status.api ? '' : ' (does not answer)'}, kubeconfig ${status.kubeconfig}`,
    `${status.memoryMiB} MiB of memory in use`,
    '',
    ...table(rows),
    '',
  ].join('\n');
}
