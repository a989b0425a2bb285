import { ClusterError, type AnyObject, type Cluster, type ObjectOf } from '../../cluster/api.ts';
import type { EtcdMember, HostListener, HostProcess, NodeFacts } from '../../cluster/host.ts';
import { reasonOf } from '../../core/redact.ts';
import { newLease, leaseOf, nodeOf } from '../journal/in-cluster.ts';
import type { Journal } from '../journal/journal.ts';
import { openJournal, pivotRecord } from '../journal/runs.ts';
import { CONTROL_PLANE_ROLE, hostLabel, RUN_LABEL } from '../selfhosting/modern/facts.ts';
import type { StrategyContext } from '../strategies/context.ts';
import { ownSlice } from '../strategies/endpoints.ts';
import { labelOptions, nodeLabels } from '../strategies/hosting.ts';
import { etcdAccess, imagesOf } from '../strategies/prepare.ts';
import type { Station } from './station.ts';

/** Something that was looked at, or why it could not be. */
export type Look<T> = { readonly value: T } | { readonly error: string };

/** Runs that have not come to their end, on this node and on others. */
export interface RunFindings {
  readonly journal: Look<Journal | undefined>;
  readonly pivoted: Look<Journal | undefined>;
  /** Node whose run holds the Lease. */
  readonly holder: Look<string | undefined>;
  /** Other nodes that have a run that has not come to its end. */
  readonly runs: Look<readonly string[]>;
}

/** What a preflight goes by. */
export interface Findings extends RunFindings {
  readonly apiVersion: Look<string>;
  readonly nodes: Look<readonly ObjectOf<'Node'>[]>;
  readonly namespace: Look<ObjectOf<'Namespace'>>;
  readonly quotas: Look<readonly ObjectOf<'ResourceQuota'>[]>;
  readonly webhooks: Look<
    readonly (ObjectOf<'ValidatingWebhookConfiguration'> | ObjectOf<'MutatingWebhookConfiguration'>)[]
  >;
  readonly service: Look<ObjectOf<'Service'>>;
  /** Names of the DaemonSets in kube-system. */
  readonly daemonSets: Look<readonly string[]>;
  readonly etcd: Look<readonly EtcdMember[]>;
  readonly facts: Look<NodeFacts>;
  /** Who runs on the node, and on which ports. */
  readonly processes: Look<{
    readonly processes: readonly HostProcess[];
    readonly listeners: readonly HostListener[];
  }>;
  /** Images that are not on the disk. */
  readonly absentImages: Look<readonly string[]>;
  /** Whether the change lets the cluster host something. */
  readonly hosts: boolean;
  /** Objects that the API server would not take. */
  readonly dryRuns: readonly { readonly object: string; readonly error: string }[];
}

/** Looks for runs that have not come to their end. */
export async function lookForRuns({ host, cluster }: Station): Promise<RunFindings> {
  return {
    journal: await looked(() => openJournal(host)),
    pivoted: await looked(() => pivotRecord(host)),
    holder: await looked(async () => {
      const holder = (await leaseOf(cluster))?.spec.holderIdentity;
      return holder ? nodeOf(holder) : undefined;
    }),
    runs: await looked(async () => {
      const { items } = await cluster.list({ kind: 'ConfigMap', namespace: 'kube-system' });
      return items.flatMap(({ metadata }) => metadata.labels?.[RUN_LABEL] ?? []).toSorted();
    }),
  };
}

/** Looks at everything that decides whether a change may begin. It changes nothing. */
export async function look(
  { host, cluster }: Station,
  context: StrategyContext,
  objects: readonly object[],
  runs: RunFindings,
): Promise<Findings> {
  const wanted = Object.values(context.definitions ?? {}).concat(
    context.components.map((component) => context.manifests[component].pod),
  );
  return {
    ...runs,
    apiVersion: await looked(() => cluster.version()),
    nodes: await looked(async () => (await cluster.list({ kind: 'Node' })).items),
    namespace: await looked(() => cluster.get({ kind: 'Namespace', name: 'kube-system' })),
    quotas: await looked(async () => (await cluster.list({ kind: 'ResourceQuota', namespace: 'kube-system' })).items),
    webhooks: await looked(async () => [
      ...(await cluster.list({ kind: 'ValidatingWebhookConfiguration' })).items,
      ...(await cluster.list({ kind: 'MutatingWebhookConfiguration' })).items,
    ]),
    service: await looked(() => cluster.get({ kind: 'Service', namespace: 'default', name: 'kubernetes' })),
    daemonSets: await looked(async () => {
      const { items } = await cluster.list({ kind: 'DaemonSet', namespace: 'kube-system' });
      return items.map(({ metadata }) => metadata.name!).toSorted();
    }),
    etcd: await looked(() => host.etcdMembers(etcdAccess(context))),
    facts: await looked(() => host.facts()),
    processes: await looked(async () => ({
      processes: await host.processes(),
      listeners: await host.listeners(),
    })),
    absentImages: await looked(async () => {
      const present = new Set(await host.images());
      return imagesOf(wanted).filter((image) => !present.has(image));
    }),
    hosts: (objects as readonly AnyObject[]).some(({ kind }) => kind === 'DaemonSet'),
    dryRuns: await dryRuns(cluster, context, objects as readonly AnyObject[]),
  };
}

async function looked<T>(work: () => Promise<T>): Promise<Look<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

/** Asks the API server whether it would take each object, and stores none. */
async function dryRuns(
  cluster: Cluster,
  context: StrategyContext,
  objects: readonly AnyObject[],
): Promise<Findings['dryRuns']> {
  const { host, components } = context;
  const options = { fieldManager: 'bootlace', force: true, dryRun: true };
  const hosts = objects.some(({ kind }) => kind === 'DaemonSet');
  const tries: readonly (readonly [object: string, work: () => Promise<unknown>])[] = [
    ...objects.map(
      (object) =>
        [
          `${object.kind} ${object.metadata.name}`,
          () =>
            object.kind === 'Pod'
              ? cluster.create(onNode(object, host.nodeName), { dryRun: true })
              : cluster.apply(object, options),
        ] as const,
    ),
    ...(components.includes('kube-apiserver')
      ? [['EndpointSlice of the Service of the API', () => cluster.apply(ownSlice(context), options)] as const]
      : []),
    [
      'Lease bootlace-control-plane',
      () => cluster.apply(newLease(`${host.nodeName} plan`, '2000-01-01T00:00:00.000000Z'), options),
    ],
    ...(hosts
      ? [
          [
            `label of Node ${host.nodeName}`,
            () =>
              cluster.apply(nodeLabels(host.nodeName, { [hostLabel(components[0]!)]: 'plan' }), {
                ...labelOptions(components[0]!),
                dryRun: true,
              }),
          ] as const,
        ]
      : []),
  ];
  const refused: { readonly object: string; readonly error: string }[] = [];
  for (const [object, work] of tries) {
    try {
      await work();
    } catch (error) {
      // A name that is taken says that everything else was well: of a run that was killed, or of a node that is pivoted.
      if (error instanceof ClusterError && error.code === 'ALREADY_EXISTS') continue;
      refused.push({ object, error: reasonOf(error) });
    }
  }
  return refused;
}

/** As the kubelet would show a static Pod of the node, but without what only a kubelet may say. */
function onNode(object: AnyObject, nodeName: string): AnyObject {
  return {
    ...object,
    metadata: { ...object.metadata, name: `${object.metadata.name}-${nodeName}` },
    spec: { ...(object as ObjectOf<'Pod'>).spec, nodeName },
  } as AnyObject;
}

/** Names of the nodes with a control plane, sorted. */
export function controlPlanesOf(nodes: readonly ObjectOf<'Node'>[]): readonly string[] {
  return nodes
    .filter(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, CONTROL_PLANE_ROLE))
    .map(({ metadata }) => metadata.name!)
    .toSorted();
}
