import type { Pod } from '../../cluster/objects.ts';
import { setFlag } from '../../format/flags.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { Strategy, StrategyContext } from './context.ts';
import { replaceManifest, restoreManifest } from './static-pods.ts';
import type { Step } from './steps.ts';
import { argvOf, portOf, serversOn, untilListening, untilServing } from './waits.ts';

/** What anybody does today for any new flag, and kubeadm with each upgrade: the kubelet stops the old server first. */
export const manifestEdit: Strategy = {
  summary: 'a flag of the API server is changed in its manifest, as kubeadm upgrade does it',
  isPerNode: true,
  plan: (context) => ({ steps: [editStep(context, 'kube-apiserver', 'v', '2')], problems: [] }),
};

/** Sets a flag in the manifest of a static Pod, and ends when a new process serves with it. */
export function editStep(
  context: StrategyContext,
  component: ControlPlaneComponent,
  flag: string,
  value: string,
): Step {
  const { host, manifests } = context;
  const { pod } = manifests[component];
  const port = portOf(argvOf(pod, component), component);

  async function afterwards(change: () => Promise<void>): Promise<void> {
    const before = serversOn(await host.processes(), component, port).map(({ pid }) => pid);
    await change();
    await untilListening(context, component, port, before);
    if (component === 'kube-apiserver') await untilServing(context, port);
  }

  return {
    name: `${host.nodeName}/${component}/edit`,
    title: `set --${flag}=${value} in the manifest, and wait until a new process serves with it`,
    run: () => afterwards(() => replaceManifest(context, component, withFlag(pod, component, flag, value))),
    undo: () => afterwards(() => restoreManifest(context, component)),
  };
}

export function withFlag(pod: Pod, component: ControlPlaneComponent, flag: string, value: string): Pod {
  const containers = pod.spec.containers.map((container) => {
    if (container.name !== component) return container;
    const field = container.command && container.command.length > 0 ? 'command' : 'args';
    return { ...container, [field]: setFlag(container[field] ?? [], flag, value) };
  });
  return { ...pod, spec: { ...pod.spec, containers } };
}
