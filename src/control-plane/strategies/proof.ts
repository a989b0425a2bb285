import { isClusterError, type Cluster, type ConfigMapObject } from '../../cluster/api.ts';
import type { Endpoint } from '../../cluster/host.ts';
import type { Pod } from '../../cluster/objects.ts';
import { nodeKey } from '../selfhosting/modern/facts.ts';
import type { StrategyContext } from './context.ts';
import { StepError } from './steps.ts';
import { refuseCrashLoop, until, untilServing } from './waits.ts';

/** Whose token is shown to a server: every cluster has it. */
const ACCOUNT = { namespace: 'kube-system', name: 'default' } as const;

/** Shortest life that a token may have, in seconds. */
const TOKEN_SECONDS = 600;

/** How long a change may take to come through a watch, in milliseconds. */
const WATCH_PATIENCE = 5000;

/** Longest time until a server that is ready does everything, in milliseconds: some authenticators start late. */
const PATIENCE = 60_000;

/** What is written to see that a server takes writes and tells of them. */
export function proofOf(nodeName: string) {
  return { kind: 'ConfigMap', namespace: 'kube-system', name: `bootlace-proof-${nodeKey(nodeName)}` } as const;
}

/**
 * Ends when the API server on a port of this node does what clients ask of one: it knows a certificate and a token, takes
 * a write and tells of it in a watch, and passes on to the servers of aggregated APIs. Readiness says nothing of these.
 * With `pod` it gives up where that ends again and again.
 */
export async function proveServer(context: StrategyContext, port: number, pod?: Pod): Promise<void> {
  await untilServing(context, port, undefined, pod && refuseCrashLoop(context, pod));
  const { host, clock, server } = context;
  const endpoint = { address: server.address, port };
  const api = host.connect(endpoint, { direct: true });
  const holds = async (): Promise<boolean> => {
    await proveWatch(context, api);
    await proveToken(context, api, endpoint);
    await proveAggregated(context, api);
    return true;
  };
  await until(clock, `the API server on port ${port} does all that clients ask`, holds, PATIENCE);
}

async function proveWatch({ host, clock }: StrategyContext, api: Cluster): Promise<void> {
  const reference = proofOf(host.nodeName);
  const { kind, ...metadata } = reference;
  await removeProof(api, host.nodeName);
  const selection = { kind, namespace: reference.namespace } as const;
  const { resourceVersion } = await api.list(selection);
  const end = new AbortController();
  const seen = (async (): Promise<boolean> => {
    for await (const event of api.watch(selection, { resourceVersion, signal: end.signal }))
      if (event.type !== 'BOOKMARK' && event.object.metadata.name === reference.name) return true;
    return false;
  })();
  // It is looked at below, and must not end the program when the write fails first.
  seen.catch(() => {});
  try {
    const proof: ConfigMapObject = { apiVersion: 'v1', kind, metadata };
    await api.create(proof);
    const isSeen = await Promise.race([seen, clock.sleep(WATCH_PATIENCE).then(() => false)]);
    if (!isSeen) throw new StepError('STEP_TIMED_OUT', 'A watch does not tell of what was written.');
  } finally {
    end.abort();
  }
  await removeProof(api, host.nodeName);
}

export async function removeProof(api: Cluster, nodeName: string): Promise<void> {
  try {
    await api.delete(proofOf(nodeName));
  } catch (error) {
    if (!isClusterError(error, 'NOT_FOUND')) throw error;
  }
}

async function proveToken({ host }: StrategyContext, api: Cluster, endpoint: Endpoint): Promise<void> {
  const token = await api.requestToken(ACCOUNT, TOKEN_SECONDS);
  const name = await host.connect(endpoint, { direct: true, token }).whoAmI();
  const wanted = `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`;
  if (name !== wanted) throw new StepError('STEP_FAILED', `A token of ${wanted} is taken for one of ${name}.`);
}

/** What is away behind the server that serves now is no fault of the one that is proven. */
async function proveAggregated({ cluster }: StrategyContext, api: Cluster): Promise<void> {
  const { items } = await api.list({ kind: 'APIService' });
  for (const { spec, status } of items) {
    const isAvailable = status?.conditions?.some((one) => one.type === 'Available' && one.status === 'True');
    if (!spec.service || !isAvailable) continue;
    const groupVersion = `${spec.group}/${spec.version}`;
    try {
      await api.discover(groupVersion);
    } catch (error) {
      const isElsewhereToo = await cluster.discover(groupVersion).then(
        () => false,
        () => true,
      );
      if (!isElsewhereToo) throw error;
    }
  }
}
