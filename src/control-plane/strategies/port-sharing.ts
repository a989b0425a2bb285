import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { flagValue } from '../../format/flags.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { Strategy, StrategyContext } from './context.ts';
import { convertComponents } from './conversions.ts';
import { hostOnNode, unhostFromNode } from './hosting.ts';
import { restarted, withFlag } from './manifest-edit.ts';
import { exists, forgetManifest, PARKING, replaceManifest, restoreManifest, textOf } from './static-pods.ts';
import { steadyCluster } from './steady.ts';
import type { Step } from './steps.ts';
import { argvOf, portOf, serversOn, until, untilListening, untilServing, untilUnhosted } from './waits.ts';

const FLAG = 'permit-port-sharing';

/**
 * Both servers listen on one port while the one replaces the other. The kernel gives connections to the new one before
 * it is ready, and the static Pod has to be started again first, so that it shares its port.
 */
export const portSharing: Strategy = {
  summary: 'both processes listen on one port, once the static Pods were started again for it',
  isPerNode: true,
  plan: (given) => {
    const context = { ...given, cluster: steadyCluster(given.cluster, given.clock) };
    const { daemonSets, problems } = convertComponents(context, (pod, component) =>
      withFlag(pod, component, FLAG, 'true'),
    );
    if (daemonSets === undefined) return { steps: [], problems };
    const steps = context.components.flatMap((component) => stepsOf(context, component, daemonSets[component]!));
    return { steps: [...steps, cleanUp(context)], problems };
  },
};

/** Where the manifest of a static Pod that shares its port is kept for the way back. */
function asidePath({ manifests, manifestsDir }: StrategyContext, component: ControlPlaneComponent): string {
  return `${manifests[component].path.replace(manifestsDir, PARKING)}.shared`;
}

/** The last step: until then a way back finds on the disk what it needs. */
function cleanUp(context: StrategyContext): Step {
  return {
    name: `${context.host.nodeName}/clean-up`,
    title: 'remove what was kept for the way back',
    run: async () => {
      for (const component of context.components) {
        await context.host.files.remove(asidePath(context, component));
        await forgetManifest(context, component);
      }
    },
    // A way back writes them again.
    undo: async () => {},
  };
}

function stepsOf(context: StrategyContext, component: ControlPlaneComponent, daemonSet: DaemonSet): readonly Step[] {
  const { host, manifests, clock } = context;
  const { pod, path } = manifests[component];
  const shared = withFlag(pod, component, FLAG, 'true');
  const isShared = flagValue(argvOf(pod, component), FLAG) === 'true';
  const port = portOf(argvOf(pod, component), component);
  const name = (step: string): string => `${host.nodeName}/${component}/${step}`;
  const aside = asidePath(context, component);

  async function pids(): Promise<readonly number[]> {
    return serversOn(await host.processes(), component, port).map(({ pid }) => pid);
  }

  async function untilAlone(): Promise<void> {
    await until(clock, `one ${component} is left`, async () => (await pids()).length === 1);
  }

  return [
    {
      name: name('share'),
      title: 'start the static Pod again so that it shares its port',
      run: async () => {
        if (!isShared) await restarted(context, component, () => replaceManifest(context, component, shared));
      },
      undo: async () => {
        if (!isShared) await restarted(context, component, () => restoreManifest(context, component));
        await forgetManifest(context, component);
      },
    },
    {
      name: name('host'),
      title: 'let the cluster host it beside the static Pod, and wait until its Pod is ready',
      run: async () => {
        const before = await pids();
        await hostOnNode(context, component, daemonSet);
        await untilListening(context, component, port, before);
        // The port answers for both, so only the Pod says of the new one whether it is ready.
        await untilPodReady(context, daemonSet);
      },
      undo: async () => {
        await unhostFromNode(context, component, daemonSet);
        await untilUnhosted(context, component, daemonSet);
      },
    },
    {
      name: name('stop'),
      title: 'stop the static Pod, and wait for its process to end',
      run: async () => {
        await host.files.move(path, aside);
        await untilAlone();
        if (component === 'kube-apiserver') await untilServing(context, port);
      },
      undo: async () => {
        const before = await pids();
        if (!(await moveBack(context, component, shared))) return;
        await untilListening(context, component, port, before);
      },
    },
  ];
}

/** Puts the manifest back that shares its port, and says whether it was away. */
async function moveBack(context: StrategyContext, component: ControlPlaneComponent, shared: Pod): Promise<boolean> {
  const { files } = context.host;
  const { path } = context.manifests[component];
  if (await exists(context.host, path)) return false;
  if (await exists(context.host, asidePath(context, component))) await files.move(asidePath(context, component), path);
  else await files.write(path, textOf(shared));
  return true;
}

async function untilPodReady({ cluster, clock, host }: StrategyContext, { metadata, spec }: DaemonSet): Promise<void> {
  const labelSelector = Object.entries(spec.selector.matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  await until(clock, `the Pod of DaemonSet ${metadata.name} on this node is ready`, async () => {
    const { items } = await cluster.list({ kind: 'Pod', namespace: metadata.namespace!, labelSelector });
    return items.some(({ spec: pod, status }) => {
      const conditions = (status?.['conditions'] ?? []) as readonly {
        readonly type: string;
        readonly status: string;
      }[];
      const isHere = (pod as { readonly nodeName?: string } | undefined)?.nodeName === host.nodeName;
      return isHere && conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    });
  });
}
