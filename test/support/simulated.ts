import type { DaemonSetObject, PodObject } from '../../src/cluster/api.ts';
import type { Container, Pod, PodSpec } from '../../src/cluster/objects.ts';
import {
  createSimulatedCluster,
  type SimulatedCluster,
  type SimulatedClusterSettings,
} from '../../src/cluster/simulated/cluster.ts';
import { MANIFESTS_DIRECTORY } from '../../src/cluster/simulated/kubelet/manifests.ts';
import type { SimulatedNode, SimulatedProcess } from '../../src/cluster/simulated/node.ts';
import type { ProcessEvent, SimulatedEvent } from '../../src/cluster/simulated/events.ts';

/** A simulated cluster that serves. */
export async function startedCluster(settings: SimulatedClusterSettings = {}): Promise<SimulatedCluster> {
  const cluster = createSimulatedCluster(settings);
  await cluster.start();
  return cluster;
}

/** Ends when something is so. Throws where it is not so after ten minutes of the simulation. */
export async function until({ clock }: Pick<SimulatedCluster, 'clock'>, isSo: () => unknown): Promise<void> {
  const deadline = clock.now() + 10 * 60_000;
  while (!isSo()) {
    if (clock.now() > deadline) throw new Error(`It is never so: ${isSo.toString()}`);
    await clock.sleep(50);
  }
}

export function manifestPath(name: string): string {
  return `${MANIFESTS_DIRECTORY}/${name}.yaml`;
}

/** A stock manifest of a node, as it is on its disk. */
export function manifestOn(node: SimulatedNode, name: string): Pod {
  return JSON.parse(node.disk.read(manifestPath(name))!) as Pod;
}

export function writeManifest(node: SimulatedNode, name: string, pod: Pod): void {
  node.disk.write(manifestPath(name), JSON.stringify(pod));
}

/** Writes a manifest of a node anew, with other fields in its container. */
export function editContainer(node: SimulatedNode, name: string, edit: (container: Container) => Container): void {
  const pod = manifestOn(node, name);
  writeManifest(node, name, { ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map(edit) } });
}

export function addFlags(node: SimulatedNode, name: string, ...flags: readonly string[]): void {
  editContainer(node, name, (container) => ({ ...container, command: [...container.command!, ...flags] }));
}

/** A container that runs for ever and does nothing. */
export const IDLE: Container = { name: 'idle', image: 'idle:1', command: ['idle'] };

export function staticPod(name: string, spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [IDLE], ...spec },
  };
}

export interface DaemonSetSettings {
  readonly pod?: Partial<PodSpec>;
  /** Fields of the spec. */
  readonly spec?: object;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A DaemonSet of Pods that do nothing, in namespace default. */
export function daemonSet(
  name: string,
  { pod, spec, labels = { app: name } }: DaemonSetSettings = {},
): DaemonSetObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: { containers: [IDLE], ...pod } },
      ...spec,
    },
  };
}

/** Pods that etcd has, by the beginning of their name. */
export function podsOf({ world }: SimulatedCluster, prefix: string): readonly PodObject[] {
  return world.store.list('Pod').filter(({ metadata }) => metadata.name!.startsWith(prefix));
}

export function isReady({ status }: PodObject): boolean {
  const conditions = (status?.['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[];
  return conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
}

export function nodeNameOf({ spec }: PodObject): unknown {
  return (spec as PodSpec)['nodeName'];
}

/** Processes of a program on a node. */
export function processesOf(node: SimulatedNode, program: string): readonly SimulatedProcess[] {
  return node.processes.filter((process) => process.program === program);
}

export function killAll(node: SimulatedNode, program: string): void {
  for (const { pid } of processesOf(node, program)) node.kill(pid);
}

type Find<T extends SimulatedEvent['type']> = Extract<SimulatedEvent, { readonly type: T }>;

/** Events of a type with certain fields, from a moment on. */
export function eventsOf<T extends SimulatedEvent['type']>(
  { events }: Pick<SimulatedCluster, 'events'>,
  type: T,
  fields: Partial<Find<T>> = {},
  from = 0,
): readonly Find<T>[] {
  return events.filter(
    (event): event is Find<T> =>
      event.type === type &&
      event.at >= from &&
      Object.entries(fields).every(([key, value]) => (event as unknown as Record<string, unknown>)[key] === value),
  );
}

/** What became of the processes of a program from a moment on: `started`, `listening` and so on, with the times. */
export function lifeOf(cluster: SimulatedCluster, program: string, from = 0): readonly ProcessEvent[] {
  return eventsOf(cluster, 'process', { program }, from);
}
