import type { Cluster, PodObject } from '../../cluster/api.ts';
import { isClusterError } from '../../cluster/api.ts';
import type { Clock } from '../../core/clock.ts';
import { reasonOf } from '../../core/redact.ts';
import { SelfHostingError } from './errors.ts';
import { CONTROL_PLANE_NAMESPACE } from './labels.ts';
import { poll } from './retry.ts';

/** Waits for what a conversion needs to see in kube-system. Each method throws when it gives up. */
export interface Waiter {
  /** Until there is a Pod with these labels, and all of them are in phase Running. */
  waitForPodsWithLabel(labelSelector: string, timeoutMilliseconds: number): Promise<void>;
  /** Until the API server says that there is no Pod of that name. */
  waitForPodToDisappear(name: string, timeoutMilliseconds: number): Promise<void>;
  /** Until the API server says that it is healthy. */
  waitForAPI(timeoutMilliseconds: number): Promise<void>;
}

export interface WaiterSettings {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

const INTERVAL_MILLISECONDS = 500;

/**
 * Asks the cluster every 500 ms. An error on the way is never the end of a wait, since an API server that is being
 * replaced is expected to refuse connections for a while: the last one is the `cause` of the timeout.
 *
 * Phase Running says that a container was started, not that it works: one that fails again and again counts too.
 * The conversion needs that, because a new API server cannot listen until the old one is gone.
 */
export function createWaiter({ cluster, clock, log }: WaiterSettings): Waiter {
  async function waitUntil(
    goal: string,
    timeoutMilliseconds: number,
    check: () => Promise<boolean>,
    onError: (error: unknown) => void,
  ): Promise<void> {
    let lastError: unknown;
    const isDone = await poll(clock, { intervalMilliseconds: INTERVAL_MILLISECONDS, timeoutMilliseconds }, async () => {
      try {
        const holds = await check();
        lastError = undefined;
        return holds;
      } catch (error) {
        onError(error);
        lastError = error;
        return false;
      }
    });
    if (isDone) return;
    const message = `Timed out after ${timeoutMilliseconds / 1000} s waiting until ${goal}.`;
    throw new SelfHostingError('TIMED_OUT', message, lastError === undefined ? {} : { cause: lastError });
  }

  return {
    waitForPodsWithLabel: (labelSelector, timeoutMilliseconds) => {
      let lastCount = -1;
      return waitUntil(
        `all Pods with ${labelSelector} run`,
        timeoutMilliseconds,
        async () => {
          const selection = { kind: 'Pod', namespace: CONTROL_PLANE_NAMESPACE, labelSelector } as const;
          const { items: pods } = await cluster.list(selection);
          if (pods.length !== lastCount) log(`Found ${pods.length} Pods with label ${labelSelector}.`);
          lastCount = pods.length;
          return pods.length > 0 && pods.every(isRunning);
        },
        (error) => log(`Could not list the Pods with label ${labelSelector}: ${reasonOf(error)}`),
      );
    },
    waitForPodToDisappear: (name, timeoutMilliseconds) =>
      waitUntil(
        `Pod ${name} is gone`,
        timeoutMilliseconds,
        async () => {
          try {
            await cluster.get({ kind: 'Pod', namespace: CONTROL_PLANE_NAMESPACE, name });
            return false;
          } catch (error) {
            if (!isClusterError(error, 'NOT_FOUND')) throw error;
            log(`The static Pod ${name} is gone, as it should be.`);
            return true;
          }
        },
        () => {},
      ),
    waitForAPI: (timeoutMilliseconds) =>
      waitUntil(
        'the API server is healthy',
        timeoutMilliseconds,
        () => cluster.isHealthy(),
        () => {},
      ),
  };
}

/** Waits for nothing and says what it would have waited for: the companion of a dry run. */
export function createDryRunWaiter(log: (message: string) => void): Waiter {
  return {
    waitForPodsWithLabel: async (labelSelector) => log(`Would wait until all Pods with ${labelSelector} run.`),
    waitForPodToDisappear: async (name) => log(`Would wait until Pod ${name} is gone.`),
    waitForAPI: async () => log('Would wait until the API server is healthy.'),
  };
}

function isRunning(pod: PodObject): boolean {
  return pod.status?.phase === 'Running';
}
