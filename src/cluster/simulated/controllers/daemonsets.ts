import type { DaemonSetObject, NodeObject, PodObject } from '../../api.ts';
import type { DaemonSet, Toleration } from '../../objects.ts';
import type { Process } from '../process.ts';
import { hashOf } from '../random.ts';
import type { World } from '../world.ts';
import { reconcileOn, type ControllerApi } from './reconcile.ts';
import { isSelectedBy, pinnedNode, pinTo, specOf, toleratesTaints } from './scheduling.ts';

/** Label that says from which template a Pod of a DaemonSet is. */
const REVISION_LABEL = 'controller-revision-hash';

/** What every Pod of a DaemonSet tolerates. */
const TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable', 'network-unavailable'].map((condition) => ({
    key: `node.kubernetes.io/${condition}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

/** Shortest and longest pause before a Pod that failed is replaced, doubling in between. */
const FAILED_PAUSE = { first: 1000, longest: 15 * 60_000 };

/** Keeps one Pod of each DaemonSet on each node that it selects. */
export function runDaemonSets(process: Process, world: World): void {
  const { clock } = world;
  /** When a Pod that failed may be replaced, by DaemonSet and node. */
  const failures = new Map<string, { readonly pause: number; readonly until: number }>();

  reconcileOn(
    process,
    world,
    ['DaemonSet', 'Node', 'Pod'],
    'system:serviceaccount:kube-system:daemon-set-controller',
    (api) => {
      api.read(['DaemonSet', 'Node', 'Pod'], ({ DaemonSet: sets, Node: nodes, Pod: pods }) => {
        for (const set of sets)
          if (!set.metadata.deletionTimestamp) reconcile(set as DaemonSetObject & DaemonSet, nodes, pods, api);
      });
    },
  );

  function reconcile(
    set: DaemonSetObject & DaemonSet,
    nodes: readonly NodeObject[],
    all: readonly PodObject[],
    api: ControllerApi,
  ): void {
    const pods = adopted(set, all, api);
    const revision = hashOf(JSON.stringify(set.spec.template)).toString(16);
    const { template, updateStrategy } = set.spec;
    const tolerations = [...(template.spec.tolerations ?? []), ...TOLERATIONS];
    const chosen = nodes.filter((node) => isSelectedBy(template.spec, node) && toleratesTaints(tolerations, node));
    const nodeOf = (pod: PodObject): unknown => specOf(pod)['nodeName'] ?? pinnedNode(specOf(pod));
    // A Pod that is there stays in spite of taints that would only keep a new one away.
    const kept = nodes.filter(
      (node) => isSelectedBy(template.spec, node) && toleratesTaints(tolerations, node, ['NoExecute']),
    );
    for (const pod of pods) if (!kept.some(({ metadata }) => metadata.name === nodeOf(pod))) remove(pod, api);

    // A node without a Pod, or with one that is going, is one that nothing serves on.
    const serves = (pod: PodObject): boolean => isReady(pod) && !pod.metadata.deletionTimestamp;
    let unavailable = chosen.filter(
      ({ metadata }) => !pods.some((pod) => nodeOf(pod) === metadata.name && serves(pod)),
    ).length;
    for (const node of chosen) {
      const name = node.metadata.name!;
      const here = pods.filter((pod) => nodeOf(pod) === name);
      const live = here.filter((pod) => pod.status?.phase !== 'Failed');
      for (const pod of here) if (pod.status?.phase === 'Failed') replaceLater(set, name, pod, api);
      if (here.length === 0) create(set, name, revision, tolerations, api);
      for (const surplus of live.toSorted(byAge).slice(1)) remove(surplus, api);
      const outdated = live.filter(
        ({ metadata }) => metadata.labels?.[REVISION_LABEL] !== revision && !metadata.deletionTimestamp,
      );
      if (updateStrategy?.type !== 'RollingUpdate') continue;
      for (const pod of outdated) {
        // One that does not serve anyway takes no availability with it.
        if (serves(pod) && unavailable >= maxUnavailable(set, chosen.length)) continue;
        if (serves(pod)) unavailable += 1;
        remove(pod, api);
      }
    }
    writeStatus(set, pods, chosen.length, revision, api);
  }

  /** The Pods of a set, with those that have its labels and no owner. */
  function adopted(
    set: DaemonSetObject & DaemonSet,
    all: readonly PodObject[],
    api: ControllerApi,
  ): readonly PodObject[] {
    const wanted = Object.entries(set.spec.selector.matchLabels);
    return all
      .filter(
        ({ metadata }) =>
          metadata.namespace === set.metadata.namespace &&
          wanted.every(([key, value]) => metadata.labels?.[key] === value),
      )
      .map((pod) => {
        if (pod.metadata.ownerReferences !== undefined || pod.metadata.deletionTimestamp) return pod;
        const own = { ...pod, metadata: { ...pod.metadata, ownerReferences: [ownerOf(set)] } };
        api.call({ verb: 'update', object: own });
        return own;
      })
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid));
  }

  function create(
    { metadata, spec, ...set }: DaemonSetObject & DaemonSet,
    nodeName: string,
    revision: string,
    tolerations: readonly Toleration[],
    api: ControllerApi,
  ): void {
    const { until = 0 } = failures.get(`${metadata.uid} ${nodeName}`) ?? {};
    if (until > clock.now()) return api.again(until - clock.now());
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: `${metadata.name}-`,
        namespace: metadata.namespace!,
        labels: { ...spec.template.metadata.labels, [REVISION_LABEL]: revision },
        ...(spec.template.metadata.annotations && { annotations: spec.template.metadata.annotations }),
        ownerReferences: [ownerOf({ metadata, spec, ...set })],
      },
      spec: { ...spec.template.spec, tolerations, affinity: pinTo(nodeName) },
    } as const;
    api.call({ verb: 'create', object: pod as PodObject });
  }

  function replaceLater({ metadata }: DaemonSetObject, nodeName: string, pod: PodObject, api: ControllerApi): void {
    if (pod.metadata.deletionTimestamp) return;
    const key = `${metadata.uid} ${nodeName}`;
    const before = failures.get(key);
    const pause = before === undefined ? FAILED_PAUSE.first : Math.min(before.pause * 2, FAILED_PAUSE.longest);
    failures.set(key, { pause, until: clock.now() + pause });
    remove(pod, api);
  }
}

function remove({ metadata }: PodObject, api: ControllerApi): void {
  if (metadata.deletionTimestamp) return;
  api.call({
    verb: 'delete',
    reference: { kind: 'Pod', namespace: metadata.namespace!, name: metadata.name! },
    options: { preconditions: { uid: metadata.uid! } },
  });
}

function writeStatus(
  set: DaemonSetObject,
  pods: readonly PodObject[],
  desired: number,
  revision: string,
  api: ControllerApi,
): void {
  const status = {
    observedGeneration: set.metadata.generation,
    desiredNumberScheduled: desired,
    currentNumberScheduled: pods.length,
    numberReady: pods.filter(isReady).length,
    updatedNumberScheduled: pods.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === revision).length,
  };
  api.call({ verb: 'update', subresource: 'status', object: { ...set, status } });
}

/** The oldest first. */
function byAge({ metadata: a }: PodObject, { metadata: b }: PodObject): number {
  return Date.parse(a.creationTimestamp!) - Date.parse(b.creationTimestamp!);
}

/** How many nodes may be without a Pod that serves; a percentage is one of the nodes that should have one, rounded up. */
function maxUnavailable({ spec }: DaemonSet, nodes: number): number {
  const given = spec.updateStrategy?.rollingUpdate?.['maxUnavailable'];
  if (typeof given === 'number') return given;
  const [, percentage] = /^(\d+)%$/.exec(typeof given === 'string' ? given : '') ?? [];
  return percentage === undefined ? 1 : Math.ceil((Number(percentage) * nodes) / 100);
}

function ownerOf({ metadata }: DaemonSetObject) {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: metadata.name!,
    uid: metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  } as const;
}

export function isReady({ status }: PodObject): boolean {
  const conditions = (status?.['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[];
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
}
