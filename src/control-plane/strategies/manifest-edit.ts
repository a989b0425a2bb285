import type { Pod } from '../../cluster/objects.ts';
import { flagValue, setFlag } from '../../format/flags.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { Strategy, StrategyContext } from './context.ts';
import { forgetManifest, replaceManifest, restoreManifest } from './static-pods.ts';
import type { Step } from './steps.ts';
import { argvOf, portOf, serversOn, untilListening, untilServing } from './waits.ts';

/** What anybody does today for any new flag, and kubeadm with each upgrade: the kubelet stops the old server first. */
export const manifestEdit: Strategy = {
  summary: 'a flag of the API server is changed in its manifest, as kubeadm upgrade does it',
  isPerNode: true,
  components: ['kube-apiserver'],
  plan: (context) => ({ steps: context.components.map((component) => editStep(context, component)), problems: [] }),
};

/** Sets a flag in the manifest of a static Pod, and ends when a new process serves with it. */
function editStep(context: StrategyContext, component: ControlPlaneComponent): Step {
  const { host, manifests } = context;
  const edited = withOtherVerbosity(manifests[component].pod, component);
  return {
    name: `${host.nodeName}/${component}/edit`,
    title: 'set a flag in the manifest, and wait until a new process serves with it',
    run: async () => {
      await restarted(context, component, () => replaceManifest(context, component, edited));
      await forgetManifest(context, component);
    },
    undo: async () => {
      await restarted(context, component, () => restoreManifest(context, component));
      await forgetManifest(context, component);
    },
  };
}

/** Changes a manifest, and where that changed something ends when a new process serves. */
export async function restarted(
  context: StrategyContext,
  component: ControlPlaneComponent,
  change: () => Promise<boolean | void>,
): Promise<void> {
  const { host, manifests } = context;
  const port = portOf(argvOf(manifests[component].pod, component), component);
  const before = serversOn(await host.processes(), component, port).map(({ pid }) => pid);
  if ((await change()) === false) return;
  await untilListening(context, component, port, before);
  if (component === 'kube-apiserver') await untilServing(context, port);
}

/** The Pod with another `--v`: only a manifest that says something else is another Pod to the kubelet. */
export function withOtherVerbosity(pod: Pod, component: ControlPlaneComponent): Pod {
  return withFlag(pod, component, 'v', flagValue(argvOf(pod, component), 'v') === '2' ? '3' : '2');
}

/** New definitions of the components that are to change, where it matters only that something does. */
export function otherVerbosity({
  components,
  manifests,
}: StrategyContext): NonNullable<StrategyContext['definitions']> {
  return Object.fromEntries(
    components.map((component) => [component, withOtherVerbosity(manifests[component].pod, component)]),
  );
}

export function withFlag(pod: Pod, component: ControlPlaneComponent, flag: string, value: string): Pod {
  const containers = pod.spec.containers.map((container) => {
    if (container.name !== component) return container;
    const field = container.command && container.command.length > 0 ? 'command' : 'args';
    return { ...container, [field]: setFlag(container[field] ?? [], flag, value) };
  });
  return { ...pod, spec: { ...pod.spec, containers } };
}
