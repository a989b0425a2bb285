import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import { hostOnNode, unhostFromNode } from './hosting.ts';
import { parkManifest, restoreManifest, textOf } from './static-pods.ts';
import { argvOf, hasServer, portOf, runningOf, until, untilForgotten, untilGone, untilUnhosted } from './waits.ts';

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
  /** After {@link Definition.stop}: ends when nothing of it is left that the cluster would start again. */
  settle(): Promise<void>;
  /** Ends its containers without any API. What the cluster hosts may come back until the cluster is told. */
  quench(): Promise<void>;
  /** Removes what the cluster has of it, while something else serves in its place on the node. */
  forget(): Promise<void>;
}

/** Seconds that a hosted server gets to end where no API is left to lose. */
const QUENCH_SECONDS = 1;

/**
 * Brings a definition back by files and the container runtime alone, and ends when its own process listens on the port.
 * The other one is ended again and again meanwhile: a kubelet that has heard of it starts it anew.
 */
export async function startOffline(
  context: StrategyContext,
  component: ControlPlaneComponent,
  port: number,
  to: Definition,
): Promise<void> {
  const { host, clock } = context;
  const owners = async (): Promise<readonly number[]> => {
    const listening = (await host.listeners()).filter((listener) => listener.port === port).map(({ pid }) => pid);
    const own = (await host.containers()).filter(
      ({ podName, state }) => state === 'running' && podName === `${component}-${host.nodeName}`,
    );
    const processes = (await host.processes()).filter(({ container }) => own.some(({ id }) => id === container));
    return processes.map(({ pid }) => pid).filter((pid) => listening.includes(pid));
  };
  const before = await owners();
  const isChanged = await restoreManifest(context, component);
  const goal = `the static ${component} listens on port ${port}`;
  await until(
    clock,
    goal,
    async () => {
      // A process of another definition goes on until the kubelet has read the file.
      if ((await owners()).some((pid) => !isChanged || !before.includes(pid))) return true;
      await to.quench();
      return false;
    },
    OFFLINE_PATIENCE,
  );
}

/** The kubelet may pause for up to 300 s before it starts a container again that has ended too often: milliseconds. */
const OFFLINE_PATIENCE = 330_000;

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
    settle: async () => {},
    quench: async () => {},
    forget: async () => {},
  };
}

/** The Pod of a DaemonSet. `hasty` is for the way back, which must not wait for an API that only it can bring back. */
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
      await unhostFromNode((await hasServer(context)) ? context : hasty, component, daemonSet);
      await untilUnhosted(context, component, daemonSet, meanwhile);
    },
    settle: () => untilForgotten(context, component, daemonSet),
    quench: async () => {
      for (const { id } of runningOf(await context.host.containers(), daemonSet))
        await context.host.stopContainer(id, QUENCH_SECONDS);
    },
    forget: async () => {
      await unhostFromNode(context, component, daemonSet);
      await untilUnhosted(context, component, daemonSet);
      await untilForgotten(context, component, daemonSet);
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
    settle: async () => {},
    // Its file is where the former manifest goes.
    quench: async () => {},
    forget: async () => {},
  };
}
