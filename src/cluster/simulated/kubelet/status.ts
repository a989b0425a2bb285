import type { Machine } from '../machine.ts';
import type { KubeletPod } from './kubelet.ts';

/**
 * The status of a Pod as the kubelet reports it. A container that waits to be started again leaves its Pod in phase
 * Running, since it is to run for ever.
 */
export function statusOf(
  { state, reason, containers }: KubeletPod,
  machine: Machine,
): Readonly<Record<string, unknown>> {
  if (reason !== undefined) return { phase: 'Failed', reason, hostIP: machine.address };
  const hasStarted = containers.some(({ process, restarts }) => process !== undefined || restarts > 0);
  const isReady = containers.length > 0 && containers.every((container) => container.isReady) && state === 'running';
  return {
    phase: hasStarted || state === 'ending' ? 'Running' : 'Pending',
    hostIP: machine.address,
    podIP: machine.address,
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: isReady ? 'True' : 'False' },
    ],
    containerStatuses: containers.map((container) => ({
      name: container.name,
      ready: container.isReady,
      restartCount: container.restarts,
      state:
        container.process === undefined
          ? { waiting: { reason: container.restarts > 0 ? 'CrashLoopBackOff' : 'ContainerCreating' } }
          : { running: {} },
    })),
  };
}
