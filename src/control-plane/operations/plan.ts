import { createHash } from 'node:crypto';
import { ClusterError } from '../../cluster/api.ts';
import { hasErrors } from '../../core/problem.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from '../strategies/context.ts';
import type { ConfigEdit } from '../strategies/kubeadm-config.ts';
import { explain, type Step, type StepAbout } from '../strategies/steps.ts';
import { STRATEGIES, type StrategyName } from '../strategies/strategies.ts';
import { prepare, type Change, type Prepared } from './change.ts';
import { look, lookForRuns } from './look.ts';
import { preflight, preflightRuns } from './preflight.ts';
import type { PlacedProblem, Station } from './station.ts';

/** What a change would do, as data: it prints as YAML and is read back. */
export interface Plan {
  readonly apiVersion: 'bootlace.io/v1';
  readonly kind: 'ControlPlanePlan';
  readonly change: Change;
  readonly node: string;
  readonly components: readonly ControlPlaneComponent[];
  /** `refused` where a problem is an error. */
  readonly verdict: 'ready' | 'refused';
  /** In the order in which they are done; taken back in the other one. */
  readonly steps: readonly PlannedStep[];
  /** About how long all of it takes. */
  readonly seconds: number;
  /** What clients notice in spite of everything. */
  readonly breaks: readonly string[];
  /** The edit of a roll where kubeadm keeps its configuration. */
  readonly kubeadmConfig?: ConfigEdit;
  readonly problems: readonly PlacedProblem[];
  /** Of all that it was made of: a run goes by a plan only while this is the same. */
  readonly fingerprint: string;
}

export interface PlannedStep extends Partial<StepAbout> {
  readonly name: string;
  readonly title: string;
}

/** A plan with what a run of it needs. */
export interface Planned {
  readonly plan: Plan;
  readonly context?: StrategyContext;
  readonly steps: readonly Step[];
}

export function strategyOf({ verb }: Change): StrategyName {
  return verb === 'pivot' ? 'relay' : 'roll';
}

/** Looks at the node and the cluster, and says what a change would do. It changes nothing. */
export async function planChange(station: Station, change: Change): Promise<Planned> {
  const runs = await lookForRuns(station);
  const open = preflightRuns(station.host.nodeName, change.verb, runs);
  const { context, kubeadmConfig, problems: found } = await prepared(station, change);
  const made = context && STRATEGIES[strategyOf(change)].plan(context);
  const own = (made?.problems ?? []).map(({ component, ...problem }): PlacedProblem => ({
    ...problem,
    place: context!.manifests[component].path,
  }));
  const checked =
    context === undefined ? [] : preflight(context, await look(station, context, made?.objects ?? [], runs));
  const problems = [...open, ...found, ...own, ...checked];
  const steps = made?.steps ?? [];
  const planned = steps.map(({ name, title, about }): PlannedStep => ({ name, title, ...about }));
  const components = context?.components ?? (change.verb === 'roll' ? change.components : []);
  const plan: Plan = {
    apiVersion: 'bootlace.io/v1',
    kind: 'ControlPlanePlan',
    change,
    node: station.host.nodeName,
    components,
    verdict: hasErrors(problems) || context === undefined ? 'refused' : 'ready',
    steps: planned,
    seconds: planned.reduce((sum, { seconds = 0 }) => sum + seconds, 0),
    breaks: breaksOf(change.verb, components),
    ...(kubeadmConfig && { kubeadmConfig }),
    problems,
    fingerprint: fingerprintOf(station, change, context, planned),
  };
  return { plan, ...(context && { context }), steps };
}

/** An API or a disk that does not answer refuses a change as well. */
async function prepared(station: Station, change: Change): Promise<Prepared> {
  try {
    return await prepare(station, change);
  } catch (error) {
    const isExpected = error instanceof ClusterError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isExpected) throw error;
    const problem: PlacedProblem = {
      severity: 'error',
      code: 'LOOK_FAILED',
      path: '',
      message: `It cannot be looked at: ${explain(error)}.`,
      hint: '`bootlace control-plane status` says what runs; mend that first.',
      place: error instanceof ClusterError ? 'API' : `Node ${station.host.nodeName}`,
    };
    return { problems: [problem] };
  }
}

function breaksOf(verb: Change['verb'], components: readonly ControlPlaneComponent[]): readonly string[] {
  const server = components.includes('kube-apiserver')
    ? [
        'kubectl exec, attach, port-forward and logs -f that go through this node break when its API server stops, and again when the relay does',
        'watches that go through this node end and go on elsewhere; one that was quiet for a minute may have to list again',
      ]
    : [];
  const leaders = components.filter((component) => component !== 'kube-apiserver');
  return [
    ...server,
    ...(verb === 'pivot' && components.includes('kube-apiserver')
      ? [
          'a reboot of this node once it is done: nothing on its disk starts the API server then, until `bootlace control-plane rollback` does',
        ]
      : []),
    ...leaders.map((component) => `${component} works for nobody for up to 5 s, twice, where this node leads`),
  ];
}

/** SHA-256 over what a plan goes by. Times and what is left of memory or disk are not part of it. */
function fingerprintOf(
  { host }: Station,
  change: Change,
  context: StrategyContext | undefined,
  steps: readonly PlannedStep[],
): string {
  const { manifests, definitions, server, service, kubeadmConfig } = context ?? {};
  const files = Object.entries(manifests ?? {}).map(([component, { path, text, hosted }]) => [
    component,
    path,
    text,
    hosted,
  ]);
  const parts = { node: host.nodeName, change, files, definitions, server, service, kubeadmConfig, steps };
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(parts)))
    .digest('hex')}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}
