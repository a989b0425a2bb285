import type { Pod } from '../../cluster/objects.ts';
import type { StrategyContext } from '../strategies/context.ts';
import { argvOf, portOf, serversOn } from '../strategies/waits.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { controlPlanesOf, type Findings } from './look.ts';
import type { Report } from './preflight.ts';

/** What runs on the node, and on which ports. */
type Seen = Extract<Findings['processes'], { readonly value: unknown }>['value'];

/** Who has the port of a component, and whether that is a process of its own. */
function serverOf(component: ControlPlaneComponent, pod: Pod, { processes, listeners }: Seen) {
  const port = portOf(argvOf(pod, component), component);
  const pids = serversOn(processes, component, port).map(({ pid }) => pid);
  const owner = listeners.find((listener) => listener.port === port)?.pid;
  return { port, owner, isServing: owner !== undefined && pids.includes(owner) };
}

/**
 * What the cluster is to host needs a controller-manager and a scheduler. One that is lost may be rolled alone, since a copy
 * of it stands by; other changes would wait for a Pod that does not come. Gives the components that it refuses for.
 */
function checkManagers(
  { components, manifests }: StrategyContext,
  { hosts, nodes }: Findings,
  seen: Seen,
  report: Report,
): readonly ControlPlaneComponent[] {
  const isShared = 'value' in nodes && controlPlanesOf(nodes.value).length > 1;
  if (!hosts || isShared) return [];
  const lost = MANAGERS.filter((component) => !serverOf(component, manifests[component].pod, seen).isServing);
  const isMending = lost.length === 1 && components.every((component) => component === lost[0]);
  if (isMending) return [];
  for (const component of lost)
    report.refuse(
      manifests[component].path,
      'COMPONENT_NOT_SERVING',
      `Nobody serves ${component}, and without it no Pod of a DaemonSet comes up.`,
      lost.length > 1
        ? 'On a pivoted node `bootlace control-plane rollback` brings the static Pods back; otherwise look at their logs.'
        : `Bring it back first: \`bootlace control-plane roll --component ${component} --restart\`, or look at its log.`,
    );
  return lost;
}

/** Whoever makes a Pod of a DaemonSet and gives it its node. */
const MANAGERS = ['kube-controller-manager', 'kube-scheduler'] as const;

/** A component that does not serve may be changed, and be mended by that: what is lost cannot be lost again. */
export function checkServing(context: StrategyContext, found: Findings, report: Report): void {
  const { host, manifests, components } = context;
  const seen = report.read(`Processes on ${host.nodeName}`, found.processes);
  if (seen === undefined) return;
  const refused = checkManagers(context, found, seen, report);
  for (const component of components) {
    const { port, owner, isServing } = serverOf(component, manifests[component].pod, seen);
    if (isServing || refused.includes(component)) continue;
    report.warn(
      manifests[component].path,
      'COMPONENT_NOT_SERVING',
      owner === undefined
        ? `Nothing listens on port ${port} of ${component}.`
        : `Port ${port} of ${component} is held by process ${owner}, which is none of its.`,
      'Look at its log first: a change begins with what does not work, and may only come back to that.',
    );
  }
}
