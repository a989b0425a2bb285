import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import { hostOnNode, unhostFromNode } from './hosting.ts';
import { textOf } from './static-pods.ts';
import { argvOf, portOf, untilGone, untilUnhosted } from './waits.ts';

/** What takes the place of a static Pod once that has ended. */
export interface Successor {
  /** What starting it does, for people. */
  readonly title: string;
  start(): Promise<void>;
  /** Ends when nothing of it runs any more. It is no error when it was never started. */
  stop(): Promise<void>;
}

/** The Pod of a DaemonSet. `hasty` is for the way back, which must not wait for an API that is away. */
export function hosted(
  context: StrategyContext,
  component: ControlPlaneComponent,
  daemonSet: DaemonSet,
  hasty = context,
): Successor {
  return {
    title: 'let the cluster host it',
    start: () => hostOnNode(context, component, daemonSet),
    stop: async () => {
      await unhostFromNode(hasty, component, daemonSet);
      await untilUnhosted(context, component, daemonSet);
    },
  };
}

/** Another definition of the static Pod, in the file of the first. */
export function redefined(context: StrategyContext, component: ControlPlaneComponent, pod: Pod): Successor {
  const { host, manifests } = context;
  const { path, pod: first } = manifests[component];
  return {
    title: 'start the static Pod with its new definition',
    start: () => host.files.write(path, textOf(pod)),
    stop: async () => {
      await host.files.remove(path);
      await untilGone(context, component, portOf(argvOf(first, component), component));
    },
  };
}
