import { join } from 'node:path';
import { API_PORT, type NodePlan } from '../addresses.ts';
import { files, type Cluster } from '../bench.ts';
import { isOn } from '../machines.ts';
import type { Client, Watch } from './records.ts';

/** A place to measure from. */
export interface Vantage {
  /** Such as outside, w1 or pod-w1. */
  readonly name: string;
  /** Folder of its agent as this computer sees it. */
  readonly folder: string;
  /** The node that it goes down with; none for the one outside. */
  readonly node?: NodePlan;
  readonly isPod: boolean;
  readonly host: string;
  readonly port: number;
  readonly writers: readonly Client[];
  readonly watches: readonly Watch[];
}

/** Where the folder of a Pod's agent lies on its node. */
export function podFolder(namespace: string): string {
  return `/var/lib/bench-probe/${namespace}`;
}

/**
 * Places to measure from: outside through the API's endpoint, every node that is on through the Service address, and a
 * Pod on the first worker, or on the first node of a cluster without workers.
 */
export async function vantagesOf(cluster: Cluster, folder: string, namespace: string): Promise<Vantage[]> {
  const { plan, settings, bench } = cluster;
  const outside: Vantage = {
    name: 'outside',
    folder: join(folder, 'outside'),
    isPod: false,
    host: plan.server,
    port: API_PORT,
    writers: ['fresh', 'http1', 'http2', 'quiet'],
    watches: ['busy', 'quiet'],
  };
  // Without a proxy nobody answers at the Service address.
  if (settings.proxy === 'none') return [outside];
  const running: NodePlan[] = [];
  for (const node of plan.nodes) if (await isOn(cluster, node)) running.push(node);
  const inside = { host: plan.service, port: 443, writers: ['fresh'] } as const;
  const nodes = running.map((node): Vantage => ({
    ...inside,
    name: node.name,
    folder: join(folder, node.name),
    node,
    isPod: false,
    watches: [],
  }));
  const home = running.find(({ role }) => settings.workers === 0 || role === 'worker');
  if (home === undefined) return [outside, ...nodes];
  const pod: Vantage = {
    ...inside,
    name: `pod-${home.name}`,
    folder: join(files.node(bench, home.name), 'root', podFolder(namespace)),
    node: home,
    isPod: true,
    watches: ['busy', 'quiet'],
  };
  return [outside, ...nodes, pod];
}
