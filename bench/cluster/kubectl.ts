import { join } from 'node:path';
import { files, type Cluster } from './bench.ts';
import { attempt, run, type Ran, type RunOptions } from './commands.ts';
import { enterLan } from './machines.ts';

/** The command that runs kubectl outside of the nodes, as the cluster's administrator. */
export async function kubectlCommand(cluster: Cluster, args: readonly string[]): Promise<string[]> {
  const program = join(cluster.bench.cache, 'kubernetes', cluster.settings.kubernetes, 'kubectl');
  const variables = [
    `KUBECONFIG=${files.kubeconfig(cluster.bench)}`,
    // All clusters of benches have the same addresses, by which kubectl would keep what it learnt of them.
    `KUBECACHEDIR=${files.kubectlCache(cluster.bench)}`,
    'KUBERC=off',
    // No proxy of the user's is reached from there.
    'NO_PROXY=*',
    'no_proxy=*',
  ];
  return await enterLan(cluster, ['env', ...variables, program, ...args]);
}

export async function kubectl(cluster: Cluster, args: readonly string[], options?: RunOptions): Promise<string> {
  return await run(await kubectlCommand(cluster, args), options);
}

export async function tryKubectl(cluster: Cluster, args: readonly string[], options?: RunOptions): Promise<Ran> {
  return await attempt(await kubectlCommand(cluster, args), options);
}

/** Reads an object or a list. */
export async function kubectlGet<T>(cluster: Cluster, args: readonly string[], options?: RunOptions): Promise<T> {
  return JSON.parse(await kubectl(cluster, ['get', ...args, '-o', 'json'], options)) as T;
}

/** Makes objects be as they are given. */
export async function kubectlApply(cluster: Cluster, objects: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: JSON.stringify(list) });
}
