import type { DaemonSet } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { Strategy, StrategyContext } from './context.ts';
import { convertComponents } from './conversions.ts';
import { hostOnNode, unhostFromNode } from './hosting.ts';
import { editStep, withFlag } from './manifest-edit.ts';
import { replaceManifest } from './static-pods.ts';
import { steadyCluster } from './steady.ts';
import type { Step } from './steps.ts';
import { argvOf, portOf, serversOn, until, untilListening, untilServing } from './waits.ts';

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
    return {
      steps: context.components.flatMap((component) => stepsOf(context, component, daemonSets[component]!)),
      problems,
    };
  },
};

function stepsOf(context: StrategyContext, component: ControlPlaneComponent, daemonSet: DaemonSet): readonly Step[] {
  const { host, manifests, clock } = context;
  const shared = withFlag(manifests[component].pod, component, FLAG, 'true');
  const port = portOf(argvOf(manifests[component].pod, component), component);
  const name = (step: string): string => `${host.nodeName}/${component}/${step}`;

  async function pids(): Promise<readonly number[]> {
    return serversOn(await host.processes(), component, port).map(({ pid }) => pid);
  }

  return [
    {
      ...editStep(context, component, FLAG, 'true'),
      name: name('share'),
      title: 'start the static Pod again so that it shares its port',
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
        await until(clock, `one ${component} is left`, async () => (await pids()).length === 1);
      },
    },
    {
      name: name('stop'),
      title: 'stop the static Pod, and wait for its process to end',
      run: async () => {
        await host.files.remove(manifests[component].path);
        await until(clock, `one ${component} is left`, async () => (await pids()).length === 1);
        if (component === 'kube-apiserver') await untilServing(context, port);
      },
      undo: async () => {
        const before = await pids();
        await replaceManifest(context, component, shared);
        await untilListening(context, component, port, before);
      },
    },
  ];
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
