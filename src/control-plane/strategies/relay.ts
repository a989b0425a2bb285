import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { hasErrors, ProblemList } from '../../core/problem.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { relayPod } from '../selfhosting/modern/relay.ts';
import type { ComponentProblem, Strategy, StrategyContext, StrategyPlan } from './context.ts';
import { convertComponents } from './conversions.ts';
import { hosted, incumbentOf, redefined, type Definition } from './definition.ts';
import { FIREWALL_HINT, FIREWALL_UNKNOWN, firewallMessage, RELAY_PATIENCE, serverSteps } from './handover.ts';
import { GUARD, GUARD_BINDING, guardStep } from './guard.ts';
import { kubeadmConfigStep } from './kubeadm-config.ts';
import { forgetSnapshot, prepareStep } from './prepare.ts';
import { standbyPod, standbyProblems, standbySteps } from './standby.ts';
import { forgetManifest, forgetStaticPod, keepManifest, textOf } from './static-pods.ts';
import { steadyCluster } from './steady.ts';
import type { Step } from './steps.ts';

/** What a component is to be: how it runs, and as what static Pod its relay or its copy is made. */
interface Target {
  readonly pod: Pod;
  /** What hosts it, where it is to be hosted. */
  readonly daemonSet?: DaemonSet;
  readonly definition: (context: StrategyContext, hasty: StrategyContext) => Definition;
}

/** What becomes of the manifests that were kept, at the end. */
interface Tidy {
  run(context: StrategyContext): Promise<void>;
  undo(context: StrategyContext): Promise<void>;
  /** What comes before that. Default: nothing. */
  readonly guard?: (context: StrategyContext) => Step;
}

const KEEP = { run: async () => {}, undo: async () => {} };

type Targets = Readonly<Partial<Record<ControlPlaneComponent, Target>>>;

/**
 * A second API server on another port takes the connections of the first one while that is replaced: no moment without
 * somebody who listens and is ready.
 */
export const relay: Strategy = {
  summary: 'a second API server takes the connections while the first one gives way to a hosted one',
  isPerNode: true,
  plan: (given) => {
    const { daemonSets, problems } = convertComponents(given);
    if (daemonSets === undefined) return { steps: [], problems };
    const targets = Object.fromEntries(
      given.components.map((component): [ControlPlaneComponent, Target] => [
        component,
        {
          pod: given.manifests[component].pod,
          daemonSet: daemonSets[component]!,
          definition: (context, hasty) => hosted(context, component, daemonSets[component]!, hasty),
        },
      ]),
    );
    // The manifests stay where a person finds them who has to bring the control plane back by hand.
    const guards = given.components.includes('kube-apiserver') ? guardStep : undefined;
    return planned(given, problems, targets, { ...KEEP, ...(guards && { guard: guards }) });
  },
};

/** The same with what a component is at the end: a new flag, an image or a restart for what stays as it runs. */
export const roll: Strategy = {
  summary: 'a flag of the API server is changed, while a second one takes the connections',
  isPerNode: true,
  components: ['kube-apiserver'],
  plan: (given) => {
    const pods = Object.fromEntries(given.components.map((component) => [component, definitionOf(given, component)]));
    const { daemonSets, problems } = convertComponents(
      { ...given, components: given.components.filter((component) => given.manifests[component].hosted) },
      (_pod, component) => pods[component]!,
    );
    if (daemonSets === undefined) return { steps: [], problems };
    const targets = Object.fromEntries(
      given.components.map((component): [ControlPlaneComponent, Target] => {
        const [pod, daemonSet] = [pods[component]!, daemonSets[component]];
        return [
          component,
          {
            pod,
            ...(daemonSet && { daemonSet }),
            definition: (context, hasty) =>
              daemonSet === undefined
                ? redefined(context, component, pod)
                : hosted(context, component, daemonSet, hasty),
          },
        ];
      }),
    );
    return planned(given, problems, targets, {
      run: async (context) => {
        await forgetSnapshot(context);
        for (const component of context.components) {
          // Of a hosted component the manifest is kept for the way back of the pivot, which is to give what is there now.
          if (context.manifests[component].hosted) await keepManifest(context, component, textOf(pods[component]!));
          else await forgetManifest(context, component);
        }
      },
      undo: async (context) => {
        for (const component of context.components) {
          const { hosted: daemonSet, kept } = context.manifests[component];
          if (kept !== undefined) await keepManifest(context, component, kept);
          else if (daemonSet !== undefined) await forgetManifest(context, component);
        }
      },
    });
  },
};

function definitionOf({ manifests, definitions }: StrategyContext, component: ControlPlaneComponent): Pod {
  return definitions?.[component] ?? manifests[component].pod;
}

function planned(
  given: StrategyContext,
  problems: readonly ComponentProblem[],
  targets: Targets,
  tidy: Tidy,
): StrategyPlan {
  const context = { ...given, cluster: steadyCluster(given.cluster, given.clock) };
  // For a way back that other ways back wait for: it is put off where the API is away.
  const hasty = { ...given, cluster: steadyCluster(given.cluster, given.clock, RELAY_PATIENCE) };
  const { pod, problems: found } = relayOf(context, targets);
  const standing = context.components.flatMap((component) =>
    component === 'kube-apiserver' ? [] : standbyProblems(context, component),
  );
  const all = [...found, ...problems, ...standing];
  if (hasErrors(all)) return { steps: [], problems: all };
  const parts = context.components.map((component) => {
    const target = targets[component]!;
    const handover = { from: incumbentOf(context, component), to: target.definition(context, hasty) };
    if (component === 'kube-apiserver') return { added: pod!, steps: serverSteps(context, pod!, handover) };
    const added = standbyPod(target.pod, component);
    return { added, steps: standbySteps(context, component, added, handover) };
  });
  const added = parts.map((part) => part.added);
  const { kubeadmConfig } = context;
  const reviver = parts.flatMap((part) => part.steps).findLast((step) => step.restore !== undefined);
  const steps = [
    prepareStep(context, [...context.components.map((component) => targets[component]!.pod), ...added]),
    ...parts.flatMap((part) => part.steps),
    ...(kubeadmConfig ? [kubeadmConfigStep(context, kubeadmConfig)] : []),
    ...(tidy.guard ? [tidy.guard(context)] : []),
    cleanUp(context, { added, tidy, reviver }),
  ];
  const hosts = context.components.flatMap((component) => targets[component]!.daemonSet ?? []);
  return { steps, problems: all, objects: [...hosts, ...added, ...(tidy.guard ? [GUARD, GUARD_BINDING] : [])] };
}

/** The last step: until then a way back finds every static Pod that it needs on the disk. */
function cleanUp(
  context: StrategyContext,
  { added, tidy, reviver }: { readonly added: readonly Pod[]; readonly tidy: Tidy; readonly reviver: Step | undefined },
): Step {
  const forget = async (): Promise<void> => {
    for (const pod of added) await forgetStaticPod(context, pod);
  };
  return {
    name: `${context.host.nodeName}/clean-up`,
    title: 'remove what was kept for the way back',
    about: { proves: 'the files are gone', back: 'nothing: a way back writes what it needs again', seconds: 1 },
    run: async () => {
      await forget();
      await tidy.run(context);
    },
    // A way back writes what it needs again.
    undo: () => tidy.undo(context),
    ...(reviver && {
      restore: async () => {
        await reviver.restore!();
        await forget();
      },
    }),
  };
}

/** The relay, where the API server is to change: it runs with what the new one will have. */
function relayOf(
  context: StrategyContext,
  targets: Targets,
): { readonly pod?: Pod; readonly problems: readonly ComponentProblem[] } {
  const { manifests, relayPort, takenPorts } = context;
  const component = 'kube-apiserver';
  const target = targets[component];
  if (target === undefined) return { problems: [] };
  const { source } = manifests[component];
  const { pod, problems } = relayPod(target.pod, { port: relayPort, takenPorts, source });
  const list = new ProblemList(false, source);
  if (context.admitsRelay === 'no') list.error('FIREWALL_CLOSED', '', firewallMessage(relayPort), FIREWALL_HINT);
  if (context.admitsRelay === 'unknown') list.warn('FIREWALL_CLOSED', '', FIREWALL_UNKNOWN, FIREWALL_HINT);
  const all = [...problems, ...list.sorted()];
  return { ...(pod && { pod }), problems: all.map((problem) => ({ ...problem, component })) };
}
