import type { Container } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { createSelfHostedControlPlane } from '../selfhosting/create.ts';
import type { Draft, DraftPodSpec, PodSpecMutatorFunc } from '../selfhosting/daemonset.ts';
import { CONTROL_PLANE_ROLE, MASTER_ROLE } from '../selfhosting/modern/facts.ts';
import { getDefaultMutators } from '../selfhosting/v1-10/mutators.ts';
import type { Strategy, StrategyContext } from './context.ts';
import type { Step } from './steps.ts';

/** The algorithm of kubeadm 1.10, with the one change without which it matches no node of today. */
export const kubeadm: Strategy = {
  summary: 'the algorithm of kubeadm 1.10 with the label of today: its Pod stays Pending',
  isPerNode: false,
  plan: (context) => ({ steps: stepsOf(context, [useRoleOfToday]), problems: [] }),
};

/** The same without declared ports, so that nothing keeps the new Pod from being started: and it fails until it can. */
export const crashLoop: Strategy = {
  summary: 'that algorithm without declared ports: the new process fails until the old one is gone',
  isPerNode: false,
  plan: (context) => ({ steps: stepsOf(context, [useRoleOfToday, dropPorts]), problems: [] }),
};

/** One step for each component, without a way back: the algorithm never had one. */
function stepsOf(context: StrategyContext, mutators: readonly PodSpecMutatorFunc[]): readonly Step[] {
  return context.components.map((component) => ({
    name: `${context.host.nodeName}/${component}/convert`,
    title: 'store its DaemonSet, wait until its Pod runs, delete the manifest, wait for the API',
    run: () => convert(context, component, mutators),
  }));
}

async function convert(
  { host, cluster, clock, manifestsDir, log }: StrategyContext,
  component: ControlPlaneComponent,
  more: readonly PodSpecMutatorFunc[],
): Promise<void> {
  await createSelfHostedControlPlane({
    manifestsDir,
    kubeConfigDir: '/etc/kubernetes',
    config: { nodeRegistration: { name: host.nodeName } },
    mutators: { [component]: [...getDefaultMutators()[component]!, ...more] },
    components: [component],
    files: host.files,
    cluster,
    clock,
    log,
  });
}

/** Kubernetes 1.24 took the label away that kubeadm 1.10 selects nodes by, and 1.25 the taint. */
function useRoleOfToday(spec: DraftPodSpec): void {
  const { [MASTER_ROLE]: value, ...others } = spec.nodeSelector ?? {};
  spec.nodeSelector = { ...others, [CONTROL_PLANE_ROLE]: value ?? '' };
  for (const toleration of spec.tolerations ?? [])
    if (toleration.key === MASTER_ROLE) toleration.key = CONTROL_PLANE_ROLE;
}

function dropPorts(spec: DraftPodSpec): void {
  for (const container of spec.containers) {
    for (const field of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      const asked = container[field]?.httpGet;
      if (asked !== undefined) asked.port = numberOf(asked.port, container);
    }
    delete container.ports;
  }
}

function numberOf(port: number | string, { ports }: Draft<Container>): number | string {
  return ports?.find(({ name }) => name === port)?.containerPort ?? port;
}
