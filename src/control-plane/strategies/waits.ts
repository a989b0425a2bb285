import type { Clock } from '../../core/clock.ts';
import { poll } from '../selfhosting/retry.ts';
import type { HostProcess } from '../../cluster/host.ts';
import type { Pod } from '../../cluster/objects.ts';
import { flagValue } from '../../format/flags.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { DEFAULT_SECURE_PORT } from '../selfhosting/modern/facts.ts';
import type { StrategyContext } from './context.ts';
import { StepError } from './steps.ts';

const INTERVAL_MILLISECONDS = 300;

/** Longest time until a component serves or is gone, in milliseconds: twice its grace period, and a slow disk. */
export const PATIENCE = 150_000;

/**
 * Asks until something holds. Errors on the way count as a no, since an API server may be about to start; the last one
 * is the cause of the {@link StepError}.
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

function programOf([path = '']: readonly string[]): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Ends when no process of a component serves on a port any more: its Pod may be gone long before. */
export async function untilGone(
  { host, clock }: StrategyContext,
  component: ControlPlaneComponent,
  port: number,
): Promise<void> {
  await until(clock, `the ${component} on port ${port} has ended`, async () => {
    const [processes, listeners] = [await host.processes(), await host.listeners()];
    return serversOn(processes, component, port).length === 0 && listeners.every((listener) => listener.port !== port);
  });
}

/**
 * Ends when an API server on this node is ready, and answers what a client asks: readiness alone says nothing of
 * authenticators and authorization. It is asked past any redirect, so that nobody else answers.
 */
export async function untilServing({ host, clock, server }: StrategyContext, port: number): Promise<void> {
  const api = host.connect({ address: server.address, port }, { direct: true });
  await until(clock, `the API server on port ${port} serves`, async () => {
    if (!(await api.isHealthy('readyz'))) return false;
    await api.get({ kind: 'Service', namespace: 'default', name: 'kubernetes' });
    await api.create(PROOF, { dryRun: true });
    return true;
  });
}

/** What is written, and not stored, to see that a server takes writes. */
const PROOF = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { generateName: 'bootlace-proof-', namespace: 'kube-system' },
} as const;

/** Ends when a component listens on its port, in a process that was not there before. */
export async function untilListening(
  { host, clock }: StrategyContext,
  component: ControlPlaneComponent,
  port: number,
  before: readonly number[] = [],
): Promise<void> {
  await until(clock, `the ${component} listens on port ${port}`, async () => {
    const pids = serversOn(await host.processes(), component, port).map(({ pid }) => pid);
    const listening = (await host.listeners()).filter((listener) => listener.port === port).map(({ pid }) => pid);
    return pids.some((pid) => !before.includes(pid) && listening.includes(pid));
  });
}
