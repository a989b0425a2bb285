import { ClusterError, type Cluster, type PodObject } from '../../cluster/api.ts';
import type { Clock } from '../../core/clock.ts';
import { poll } from '../selfhosting/retry.ts';
import type { Endpoint, HostContainer, HostProcess } from '../../cluster/host.ts';
import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { flagValue } from '../../format/flags.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { DEFAULT_GRACE_PERIOD, DEFAULT_SECURE_PORT } from '../selfhosting/modern/facts.ts';
import type { StrategyContext } from './context.ts';
import { StepError } from './steps.ts';

const INTERVAL_MILLISECONDS = 300;

/** Longest time until a component serves, in milliseconds: a slow disk, and a kubelet that tries again only now and then. */
const PATIENCE = 150_000;

/**
 * Asks until something holds. Errors on the way count as a no, since an API server may be about to start; the last one
 * is the cause of the {@link StepError}. A `STEP_FAILED` says that it cannot hold any more, and ends the wait.
 */
export async function until(
  clock: Clock,
  goal: string,
  holds: () => Promise<boolean>,
  timeoutMilliseconds = PATIENCE,
): Promise<void> {
  let lastError: unknown;
  const times = { intervalMilliseconds: INTERVAL_MILLISECONDS, timeoutMilliseconds };
  const isDone = await poll(clock, times, async () => {
    try {
      const answer = await holds();
      lastError = undefined;
      return answer;
    } catch (error) {
      if (error instanceof StepError && error.code === 'STEP_FAILED') throw error;
      lastError = error;
      return false;
    }
  });
  if (isDone) return;
  throw new StepError(
    'STEP_TIMED_OUT',
    `Timed out after ${timeoutMilliseconds / 1000} s waiting until ${goal}.`,
    lastError === undefined ? {} : { cause: lastError },
  );
}

/** The processes of a component that serve on a port, by their command lines. */
export function serversOn(
  processes: readonly HostProcess[],
  component: ControlPlaneComponent,
  port: number,
): readonly HostProcess[] {
  return processes.filter(({ argv }) => programOf(argv) === component && portOf(argv, component) === port);
}

/** Port on which a command line serves. */
export function portOf(argv: readonly string[], component: ControlPlaneComponent): number {
  return Number(flagValue(argv, 'secure-port') ?? DEFAULT_SECURE_PORT[component]);
}

/** The command line of a component in its Pod. */
export function argvOf(pod: Pod, component: ControlPlaneComponent): readonly string[] {
  const container = pod.spec.containers.find(({ name }) => name === component);
  return [...(container?.command ?? []), ...(container?.args ?? [])];
}

export function programOf([path = '']: readonly string[]): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Ends when no process of a component serves on a port any more: its Pod may be gone long before. Takes as long as the Pod
 * may take to end. What must hold meanwhile is asked again and again, and ends the wait by throwing `STEP_FAILED`.
 */
export async function untilGone(
  { host, clock, manifests }: StrategyContext,
  component: ControlPlaneComponent,
  port: number,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const isGone = async (): Promise<boolean> => {
    await meanwhile();
    const [processes, listeners] = [await host.processes(), await host.listeners()];
    return serversOn(processes, component, port).length === 0 && listeners.every((listener) => listener.port !== port);
  };
  await until(clock, `the ${component} on port ${port} has ended`, isGone, patienceToEnd(manifests[component].pod));
}

/** Ends when no container of a DaemonSet's Pods runs on this node. */
export async function untilUnhosted(
  { host, clock, manifests }: StrategyContext,
  component: ControlPlaneComponent,
  daemonSet: DaemonSet,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const isGone = async (): Promise<boolean> => {
    await meanwhile();
    return runningOf(await host.containers(), daemonSet).length === 0;
  };
  const goal = `the Pod of DaemonSet ${daemonSet.metadata.name} has ended on this node`;
  await until(clock, goal, isGone, patienceToEnd(manifests[component].pod));
}

/**
 * Ends when the cluster has no Pod of a DaemonSet for this node any more: after a reboot the kubelet has not started yet what
 * it is told of as soon as somebody serves.
 */
export async function untilForgotten(
  { host, cluster, clock, manifests }: StrategyContext,
  component: ControlPlaneComponent,
  { metadata: { namespace = '', name } }: DaemonSet,
): Promise<void> {
  const isGone = async (): Promise<boolean> => {
    const { items: pods } = await cluster.list({ kind: 'Pod', namespace });
    return pods.every((pod) => !pod.metadata.name!.startsWith(`${name}-`) || !isMeantFor(pod, host.nodeName));
  };
  const goal = `the cluster has no Pod of DaemonSet ${name} left for this node`;
  await until(clock, goal, isGone, patienceToEnd(manifests[component].pod));
}

/** Whether a Pod of a DaemonSet is on a node, or waits for a scheduler to put it there. */
function isMeantFor({ spec = {} }: PodObject, node: string): boolean {
  const { nodeName, affinity } = spec as { readonly nodeName?: string; readonly affinity?: Affinity };
  if (nodeName !== undefined) return nodeName === node;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.some(({ matchFields = [] }) => matchFields.some(({ values = [] }) => values.includes(node)));
}

/** The part of an affinity by which the DaemonSet controller binds a Pod to a node. */
interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly {
        readonly matchFields?: readonly { readonly values?: readonly string[] }[];
      }[];
    };
  };
}

/** Containers of a DaemonSet's Pods that run. */
export function runningOf(containers: readonly HostContainer[], { metadata }: DaemonSet): readonly HostContainer[] {
  return containers.filter(
    ({ podName, podNamespace, state }) =>
      state === 'running' && podNamespace === metadata.namespace && podName.startsWith(`${metadata.name}-`),
  );
}

/** Milliseconds that a Pod may take to end, with its time of grace and something for the kubelet. */
function patienceToEnd({ spec }: Pod): number {
  const grace = Number(spec['terminationGracePeriodSeconds'] ?? DEFAULT_GRACE_PERIOD);
  return grace * 1000 + PATIENCE;
}

/**
 * Ends when an API server on this node is ready, and answers what a client asks: readiness alone says nothing of
 * authenticators and authorization. It is asked past any redirect, so that nobody else answers.
 */
export async function untilServing(
  { host, clock, server }: StrategyContext,
  port: number,
  timeoutMilliseconds = PATIENCE,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const api = host.connect({ address: server.address, port }, { direct: true });
  const serves = async (): Promise<boolean> => {
    await meanwhile();
    if (!(await api.isHealthy('readyz'))) return false;
    await api.get({ kind: 'Service', namespace: 'default', name: 'kubernetes' });
    await api.create(PROOF, { dryRun: true });
    return true;
  };
  await until(clock, `the API server on port ${port} serves`, serves, timeoutMilliseconds);
}

/** Whether an API server says that it is ready; one that does not answer is not. */
export async function isServing(api: Cluster): Promise<boolean> {
  try {
    return await api.isHealthy('readyz');
  } catch (error) {
    if (error instanceof ClusterError) return false;
    throw error;
  }
}

/** How often a container may end until its definition counts as one that does not work. */
const ENDS = 3;

/** Throws `STEP_FAILED` where a Pod that was just added ends again and again, so that nobody waits for it. */
export function refuseCrashLoop({ host }: StrategyContext, { metadata }: Pod): () => Promise<void> {
  const own = ({ podName }: HostContainer): boolean => podName === `${metadata.name}-${host.nodeName}`;
  let known: number | undefined;
  return async () => {
    const ended = (await host.containers()).filter((container) => own(container) && container.state === 'exited');
    // Those of a Pod with that name in an earlier run say nothing.
    known ??= ended.length;
    if (ended.length - known < ENDS) return;
    throw new StepError(
      'STEP_FAILED',
      `${metadata.name} has ended ${ended.length - known} times, the last time with exit code ${ended.at(-1)!.exitCode}: its log says why.`,
    );
  };
}

/** What is written, and not stored, to see that a server takes writes. */
const PROOF = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { generateName: 'bootlace-proof-', namespace: 'kube-system' },
} as const;

/** Whether something on the node listens on a port. */
export async function isListening({ host }: Pick<StrategyContext, 'host'>, port: number): Promise<boolean> {
  return (await host.listeners()).some((listener) => listener.port === port);
}

/** Whether an API server is on the node: what fails for want of an API does not fail for want of it then. */
export async function hasServer({
  host,
  server,
  relayPort,
}: Pick<StrategyContext, 'host' | 'server' | 'relayPort'>): Promise<boolean> {
  return (await isListening({ host }, server.port)) || isListening({ host }, relayPort);
}

/** Ends when a component listens on its port, in a process that was not there before. */
export async function untilListening(
  { host, clock }: StrategyContext,
  component: ControlPlaneComponent,
  port: number,
  before: readonly number[] = [],
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  await until(clock, `the ${component} listens on port ${port}`, async () => {
    await meanwhile();
    const pids = serversOn(await host.processes(), component, port).map(({ pid }) => pid);
    const listening = (await host.listeners()).filter((listener) => listener.port === port).map(({ pid }) => pid);
    return pids.some((pid) => !before.includes(pid) && listening.includes(pid));
  });
}

/** How long a process has to last until it counts as one that works: longer than a crash loop lets it, in milliseconds. */
const STEADY = 5000;

/** Ends when one process of a component, which was not there before, has listened on its port for some seconds. */
export async function untilSteady(
  context: StrategyContext,
  component: ControlPlaneComponent,
  port: number,
  before: readonly number[],
): Promise<void> {
  const { host, clock } = context;
  let seen: { readonly pid: number; readonly at: number } | undefined;
  await until(clock, `the ${component} on port ${port} lasts`, async () => {
    const listening = (await host.listeners()).filter((listener) => listener.port === port).map(({ pid }) => pid);
    const pid = serversOn(await host.processes(), component, port)
      .map((process) => process.pid)
      .find((one) => !before.includes(one) && listening.includes(one));
    if (pid === undefined) seen = undefined;
    else if (seen?.pid !== pid) seen = { pid, at: clock.now() };
    return seen !== undefined && clock.now() - seen.at >= STEADY;
  });
}

/** Ends when all of these endpoints are answered by a process that was started at that time, as clients on the node ask. */
export async function untilAnsweredBy(
  { host, clock }: StrategyContext,
  endpoints: readonly Endpoint[],
  startedAt: number,
): Promise<void> {
  await until(
    clock,
    `the server of that start answers at ${endpoints.map(({ address, port }) => `${address}:${port}`).join(' and ')}`,
    async () => {
      for (const endpoint of endpoints) if ((await host.connect(endpoint).startedAt()) !== startedAt) return false;
      return true;
    },
    ANSWER_PATIENCE,
  );
}

/** A redirect is there at once or not at all; what is slow is the server. Milliseconds. */
const ANSWER_PATIENCE = 20_000;
