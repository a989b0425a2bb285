import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Cluster } from '../../cluster/api.ts';
import type { HostContainer, HostListener, HostProcess, Redirect } from '../../cluster/host.ts';
import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { reasonOf } from '../../core/redact.ts';
import { isSame } from '../../core/same.ts';
import { leaseOf, nodeOf } from '../journal/in-cluster.ts';
import type { Journal } from '../journal/journal.ts';
import { JOURNAL, openJournal, PIVOT_RECORD, pivotRecord } from '../journal/runs.ts';
import { parseManifest } from '../manifest.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../selfhosting/labels.ts';
import { RELAY_NAME } from '../selfhosting/modern/relay-options.ts';
import { hostLabel, nodeKey, RUN_LABEL } from '../selfhosting/modern/facts.ts';
import { convertDaemonSet } from '../selfhosting/modern/convert.ts';
import { findHosted } from '../strategies/inventory.ts';
import { readKubeadmConfig } from '../strategies/kubeadm-config.ts';
import { argvOf, isServing, portOf, programOf } from '../strategies/waits.ts';
import { STRATEGIES, STRATEGY_NAMES } from '../strategies/strategies.ts';
import { controlPlanesOf } from './look.ts';
import { MANIFESTS_DIR, type Station } from './station.ts';

export interface Status {
  readonly node: string;
  /** Whether the API answers, through the way that every client takes. */
  readonly api: 'serves' | 'does not serve';
  readonly components: readonly ComponentStatus[];
  readonly leases: readonly LeaseStatus[];
  /** Where new connections to the API are sent, if anywhere. */
  readonly redirect?: Redirect;
  /** Relays and copies of components, by the name of their Pod. */
  readonly helpers: readonly string[];
  /** The run that has not come to its end. */
  readonly run?: RunStatus;
  /** Node whose run holds the Lease of the cluster. */
  readonly lockedBy?: string;
  readonly isPivoted: boolean;
  /** Other nodes with a control plane, as far as the cluster tells of them. */
  readonly others: readonly OtherNode[];
  /** What of kubeadm may be used now. */
  readonly kubeadm: readonly KubeadmVerb[];
  /** What to do, the most urgent first; empty where nothing is. */
  readonly next: readonly string[];
  /** What could not be looked at. */
  readonly unseen: readonly string[];
}

export interface ComponentStatus {
  readonly component: ControlPlaneComponent;
  /** Who serves on the port of the component: the process, and what started it. */
  readonly servedBy: 'static Pod' | 'hosted Pod' | 'relay' | 'other' | 'nobody';
  readonly port: number;
  readonly pid?: number;
  readonly pod?: string;
  /** How often its container was started again. */
  readonly restarts?: number;
  /** What defines it now: the manifest, or the DaemonSet that its node opted in to. */
  readonly definedBy: 'manifest' | 'DaemonSet' | 'both' | 'nothing';
  /** Tells one definition from another: the beginning of a hash of its container. */
  readonly revision?: string;
  /** Flags that the process runs with and its definition does not have, and the other way round. */
  readonly drift: readonly string[];
}

export interface LeaseStatus {
  readonly component: ControlPlaneComponent;
  readonly holder: string;
  readonly isHere: boolean;
}

export interface RunStatus {
  readonly id: string;
  readonly verb: 'pivot' | 'roll' | 'other';
  readonly direction: 'forward' | 'back';
  readonly done: number;
  readonly steps: number;
  /** The step that was begun last. */
  readonly at?: string;
  /** Whether the node is back and the cluster has not been told. */
  readonly finishPending: boolean;
}

export interface OtherNode {
  readonly node: string;
  /** Components that the cluster hosts there. */
  readonly hosted: readonly ControlPlaneComponent[];
  /** Whether a run there has not come to its end. */
  readonly hasRun: boolean;
}

export interface KubeadmVerb {
  readonly verb: 'upgrade' | 'certs renew' | 'join' | 'reset';
  readonly isSafe: boolean;
  readonly why: string;
}

/** What really runs on this node and what is left to do. It goes by processes and ports, and needs no API. */
export async function status(station: Station): Promise<Status> {
  const { host, cluster, manifestsDir = MANIFESTS_DIR } = station;
  const unseen: string[] = [];
  const see = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      unseen.push(`${what}: ${reasonOf(error)}`);
      return undefined;
    }
  };
  const processes = (await see('processes', () => host.processes())) ?? [];
  const listeners = (await see('ports', () => host.listeners())) ?? [];
  const containers = (await see('containers', () => host.containers())) ?? [];
  const redirect = await see('redirect', () => host.redirect.get());
  const journal = await see(JOURNAL, () => openJournal(host));
  const record = await see(PIVOT_RECORD, () => pivotRecord(host));
  const isApiThere = await see('API', () => isServing(cluster));
  const components: ComponentStatus[] = [];
  for (const component of CONTROL_PLANE_COMPONENTS) {
    const definition = await definitionOf(
      station,
      component,
      posix.join(manifestsDir, `${component}.yaml`),
      see,
      isApiThere,
    );
    components.push(componentStatus(component, definition, { processes, listeners, containers }));
  }
  const leases = isApiThere ? ((await see('leases', () => leasesOf(cluster, host.hostName))) ?? []) : [];
  const holder = isApiThere ? (await see('Lease of runs', () => leaseOf(cluster)))?.spec.holderIdentity : undefined;
  const helpers = containers
    .filter(({ state, podName }) => state === 'running' && isHelper(podName))
    .map(({ podName }) => podName)
    .toSorted();
  const found = {
    node: host.nodeName,
    api: isApiThere ? ('serves' as const) : ('does not serve' as const),
    components,
    leases,
    ...(redirect && { redirect }),
    helpers,
    ...(journal && { run: runStatus(journal) }),
    ...(holder && { lockedBy: nodeOf(holder) }),
    others: isApiThere ? ((await see('other nodes', () => othersOf(station))) ?? []) : [],
    isPivoted: record !== undefined && journal === undefined,
    unseen,
  };
  const hasConfig = isApiThere
    ? (await see('ConfigMap kubeadm-config', () => readKubeadmConfig(cluster))) !== undefined
    : false;
  return { ...found, kubeadm: kubeadmVerbs(found, hasConfig), next: nextSteps(found) };
}

interface Seen {
  readonly processes: readonly HostProcess[];
  readonly listeners: readonly HostListener[];
  readonly containers: readonly HostContainer[];
}

interface Defined {
  readonly manifest?: Pod;
  readonly hosted?: DaemonSet;
}

async function definitionOf(
  { host, cluster }: Station,
  component: ControlPlaneComponent,
  path: string,
  see: <T>(what: string, work: () => Promise<T>) => Promise<T | undefined>,
  isApiThere: boolean | undefined,
): Promise<Defined> {
  const text = await see(path, async () => {
    try {
      return new TextDecoder().decode(await host.files.read(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
  const manifest = text === undefined ? undefined : (await parseManifest(text)).pod;
  const hosted = isApiThere
    ? await see(`DaemonSet of ${component}`, () => findHosted(cluster, component, host.nodeName))
    : undefined;
  return { ...(manifest && { manifest }), ...(hosted && { hosted }) };
}

function componentStatus(
  component: ControlPlaneComponent,
  { manifest, hosted }: Defined,
  { processes, listeners, containers }: Seen,
): ComponentStatus {
  const own = processes.filter(({ argv }) => programOf(argv) === component);
  const definition = hosted === undefined ? manifest : convertDaemonSet(hosted).pod;
  const port = portOf(definition === undefined ? [] : argvOf(definition, component), component);
  const pid = listeners.find((listener) => listener.port === port)?.pid;
  const server = own.find((process) => process.pid === pid);
  const container = containers.find(({ id }) => id === server?.container);
  const definedBy = manifest ? (hosted ? 'both' : 'manifest') : hosted ? 'DaemonSet' : 'nothing';
  return {
    component,
    servedBy: pid === undefined ? 'nobody' : kindOf(container, component),
    port,
    ...(pid !== undefined && { pid }),
    ...(container && { pod: container.podName, restarts: container.attempt }),
    definedBy,
    ...(definition && { revision: revisionOf(definition, component) }),
    drift: server && definition ? driftOf(server.argv, argvOf(definition, component)) : [],
  };
}

function revisionOf({ spec }: Pod, component: ControlPlaneComponent): string {
  const { image, command = [], args = [] } = spec.containers.find(({ name }) => name === component) ?? {};
  return createHash('sha256')
    .update(JSON.stringify([image, command, args]))
    .digest('hex')
    .slice(0, REVISION_LENGTH);
}

const REVISION_LENGTH = 10;

function kindOf(container: HostContainer | undefined, component: ControlPlaneComponent): ComponentStatus['servedBy'] {
  if (container === undefined) return 'other';
  if (container.podName.startsWith(`self-hosted-${component}-`)) return 'hosted Pod';
  if (isHelper(container.podName)) return 'relay';
  return container.podName.startsWith(`${component}-`) ? 'static Pod' : 'other';
}

function isHelper(podName: string): boolean {
  return podName.startsWith(`${RELAY_NAME}-`) || podName.includes('-standby-');
}

/** Flags that differ. Values that the kubelet fills in count as what they stand for. */
function driftOf(running: readonly string[], defined: readonly string[]): readonly string[] {
  const isFilled = (flag: string): boolean => /\$\([A-Za-z_][\w.-]*\)/.test(flag);
  const nameOf = (flag: string): string => flag.split('=', 1)[0]!;
  const filled = new Set(defined.filter(isFilled).map(nameOf));
  if (isSame(running.slice(1), defined.slice(1))) return [];
  const more = running.slice(1).filter((flag) => !defined.includes(flag) && !filled.has(nameOf(flag)));
  const fewer = defined.slice(1).filter((flag) => !running.includes(flag) && !isFilled(flag));
  return [...more.map((flag) => `runs with ${flag}`), ...fewer.map((flag) => `runs without ${flag}`)];
}

async function leasesOf(cluster: Cluster, hostName: string): Promise<readonly LeaseStatus[]> {
  const leaders = CONTROL_PLANE_COMPONENTS.filter((component) => component !== 'kube-apiserver');
  const leases: LeaseStatus[] = [];
  for (const component of leaders) {
    const { spec } = await cluster.get({ kind: 'Lease', namespace: 'kube-system', name: component });
    const holder = spec.holderIdentity ?? '';
    leases.push({ component, holder, isHere: holder.startsWith(`${hostName}_`) });
  }
  return leases;
}

async function othersOf({ host, cluster }: Station): Promise<readonly OtherNode[]> {
  const { items: nodes } = await cluster.list({ kind: 'Node' });
  const { items: maps } = await cluster.list({ kind: 'ConfigMap', namespace: 'kube-system' });
  const runs = new Set(maps.flatMap(({ metadata }) => metadata.labels?.[RUN_LABEL] ?? []));
  return controlPlanesOf(nodes)
    .filter((name) => name !== host.nodeName)
    .map((name) => {
      const labels = nodes.find(({ metadata }) => metadata.name === name)!.metadata.labels ?? {};
      return {
        node: name,
        hosted: CONTROL_PLANE_COMPONENTS.filter((component) => Object.hasOwn(labels, hostLabel(component))),
        hasRun: runs.has(nodeKey(name)),
      };
    });
}

function runStatus({ id, strategy, direction, steps, offline }: Journal): RunStatus {
  const begun =
    steps.findLast(({ state }) => state === 'begun' || state === 'undoing') ??
    steps.findLast(({ state }) => state === 'done');
  const known = STRATEGY_NAMES.some((name) => name === strategy) && Object.hasOwn(STRATEGIES, strategy);
  return {
    id,
    verb: strategy === 'relay' ? 'pivot' : known && strategy === 'roll' ? 'roll' : 'other',
    direction,
    done: steps.filter(({ state }) => state === (direction === 'forward' ? 'done' : 'undone')).length,
    steps: steps.length,
    ...(begun && { at: begun.name }),
    finishPending:
      offline === 'done' ||
      (direction === 'back' && steps.every(({ state }) => state === 'undone' || state === 'open')),
  };
}

type Found = Omit<Status, 'kubeadm' | 'next'>;

function kubeadmVerbs({ run, components, api }: Found, hasConfig: boolean): readonly KubeadmVerb[] {
  const hosted = components.filter(({ definedBy }) => definedBy === 'DaemonSet' || definedBy === 'both');
  const lost = components.filter(({ definedBy }) => definedBy === 'nothing');
  const isOpen =
    run === undefined ? undefined : `the run ${run.id} is open, and kubeadm would write over what it goes by`;
  const isHosted =
    hosted.length > 0 || lost.length > 0
      ? 'it looks for static manifests, and components of this node have none: roll back first'
      : undefined;
  const isAway = api === 'serves' ? undefined : 'the API does not serve';
  const isForeign = hasConfig ? undefined : 'there is no ConfigMap kubeadm-config';
  const verb = (name: KubeadmVerb['verb'], ...against: readonly (string | undefined)[]): KubeadmVerb => {
    const why = against.find((reason) => reason !== undefined);
    return { verb: name, isSafe: why === undefined, why: why ?? 'nothing speaks against it' };
  };
  return [
    verb('upgrade', isOpen, isHosted, isAway, isForeign),
    verb('certs renew', isOpen),
    verb('join', isOpen, isAway, isForeign),
    verb('reset', isOpen),
  ];
}

function nextSteps({ run, components, api, redirect, helpers, isPivoted, lockedBy, node }: Found): readonly string[] {
  const next: string[] = [];
  const isLost = (component: ControlPlaneComponent): boolean =>
    components.some((one) => one.component === component && one.servedBy === 'nobody');
  if (run?.finishPending)
    next.push(
      'The node is back, and the cluster holds what is left of the run: `bootlace control-plane rollback --finish`.',
    );
  else if (run !== undefined)
    next.push(
      `The ${run.verb} ${run.id} stopped at ${run.at ?? 'its beginning'}: \`bootlace control-plane resume\` goes on, \`bootlace control-plane rollback\` takes it back.`,
    );
  else if (api !== 'serves' && isPivoted && !isLost('kube-apiserver'))
    next.push(
      'The hosted API server runs and does not answer: wait, or look at its log; `bootlace control-plane rollback` brings the static Pods back.',
    );
  else if (api !== 'serves' && isPivoted)
    next.push(
      'Nothing on the disk starts the hosted API server again: `bootlace control-plane rollback` brings the static Pods back.',
    );
  if (run === undefined) {
    if (redirect !== undefined)
      next.push('A redirect is left without a run: remove it once the API server serves on its own port.');
    for (const helper of helpers) next.push(`${helper} runs without a run: move its manifest out of the folder.`);
    if (lockedBy !== undefined && lockedBy !== node)
      next.push(`A run on ${lockedBy} has not come to its end: go on with it there.`);
  }
  if (
    isPivoted &&
    run === undefined &&
    isLost('kube-controller-manager') &&
    isLost('kube-scheduler') &&
    api === 'serves'
  )
    next.push(
      'Neither a controller-manager nor a scheduler is left to make the other: `bootlace control-plane rollback --offline` brings the static Pods back, and `rollback --finish` tells the cluster.',
    );
  for (const { component, servedBy, definedBy, drift } of components) {
    if (servedBy === 'nobody' && run === undefined && !(isPivoted && api !== 'serves'))
      next.push(`Nobody serves ${component} on this node: look at its log, or at its ${definedBy}.`);
    if (definedBy === 'both' && run === undefined)
      next.push(`${component} has a manifest and a DaemonSet, and they fight for its port: remove one of them.`);
    if (drift.length > 0 && run === undefined)
      next.push(
        `${component} does not run as it is defined: \`bootlace control-plane roll --component ${component} --restart\`.`,
      );
  }
  return next;
}
