import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { convertStaticPod } from '../selfhosting/modern/convert.ts';
import type { ComponentProblem, StrategyContext } from './context.ts';

export interface Conversions {
  /** Of every component that is to change; absent where a problem is an error. */
  readonly daemonSets?: Readonly<Partial<Record<ControlPlaneComponent, DaemonSet>>>;
  readonly problems: readonly ComponentProblem[];
}

/** The DaemonSets that the components of a node become, after a change of their Pods if there is one. */
export function convertComponents(
  { host, manifests, components }: StrategyContext,
  change: (pod: Pod, component: ControlPlaneComponent) => Pod = (pod) => pod,
): Conversions {
  const conversions = components.map((component) => {
    const { pod, source } = manifests[component];
    return { component, ...convertStaticPod(change(pod, component), { nodeName: host.nodeName, source }) };
  });
  const problems = conversions.flatMap(({ component, problems: found }) =>
    found.map((problem) => ({ ...problem, component })),
  );
  if (conversions.some(({ daemonSet }) => daemonSet === undefined)) return { problems };
  return {
    daemonSets: Object.fromEntries(conversions.map(({ component, daemonSet }) => [component, daemonSet])),
    problems,
  };
}
