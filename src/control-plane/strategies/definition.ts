import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import { hostOnNode, unhostFromNode } from './hosting.ts';
import { parkManifest, restoreManifest, textOf } from './static-pods.ts';
import { argvOf, portOf, untilGone, untilUnhosted } from './waits.ts';

/**
 * What runs a component on a node: a static Pod or the Pod of a DaemonSet. A handover leads from any one to any other,
 * and back.
 */
export interface Definition {
  /** What starting it does, for people. */
  readonly title: string;
  /** What it is, for people: `the static Pod` or `the hosted Pod`. */
  readonly noun: string;
  /** Whether it stays away after a reboot until an API server tells the kubelet of it. */
  readonly needsApi: boolean;
  start(): Promise<void>;
  /**
   * Takes it away, and ends when nothing of it runs any more. It is no error when it was never started. What must hold
   * meanwhile is asked again and again, and ends the wait by throwing `STEP_FAILED`.
   */
  stop(meanwhile?: () => Promise<void>): Promise<void>;
}

/** What the node had when the run began. */
export function incumbentOf(context: StrategyContext, component: ControlPlaneComponent): Definition {
  const { hosted: daemonSet, pod } = context.manifests[component];
  if (daemonSet !== undefined) return hosted(context, component, daemonSet);
  return {
    title: 'put the manifest of the static Pod back',
    noun: 'the static Pod',
    needsApi: false,
    // A server that has not ended yet has the port, and the kubelet starts the next one when it has.
    start: async () => void (await restoreManifest(context, component)),
    stop: async (meanwhile) => {
      await parkManifest(context, component);
      await untilGone(context, component, portOf(argvOf(pod, component), component), meanwhile);
    },
  };
}

/** The Pod of a DaemonSet. `hasty` is for the way back, which must not wait for an API that is away. */
export function hosted(
  context: StrategyContext,
  component: ControlPlaneComponent,
  daemonSet: DaemonSet,
  hasty = context,
): Definition {
  return {
    title: 'let the cluster host it',
    noun: 'the hosted Pod',
    needsApi: true,
    start: () => hostOnNode(context, component, daemonSet),
    stop: async (meanwhile) => {
      await unhostFromNode(hasty, component, daemonSet);
      await untilUnhosted(context, component, daemonSet, meanwhile);
    },
  };
}

/** Another definition of a static Pod, in the file of the first. */
export function redefined(context: StrategyContext, component: ControlPlaneComponent, pod: Pod): Definition {
  const { host, manifests } = context;
  const { path, pod: first } = manifests[component];
  return {
    title: 'start the static Pod with its new definition',
    noun: 'the static Pod',
    needsApi: false,
    start: () => host.files.write(path, textOf(pod)),
    stop: async (meanwhile) => {
      await host.files.remove(path);
      await untilGone(context, component, portOf(argvOf(first, component), component), meanwhile);
    },
  };
}
