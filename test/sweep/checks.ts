import { CONTROL_PLANE_COMPONENTS, flagValue } from '../../src/control-plane/index.ts';
import { JOURNAL, PIVOT_RECORD } from '../../src/control-plane/journal/runs.ts';
import { SNAPSHOT } from '../../src/control-plane/strategies/prepare.ts';
import { nodeOf } from '../../src/control-plane/journal/in-cluster.ts';
import { status } from '../../src/control-plane/operations/status.ts';
import { PARKING } from '../../src/control-plane/strategies/static-pods.ts';
import { isServing } from '../../src/control-plane/strategies/waits.ts';
import type { ProcessEvent, SimulatedCluster, TrafficReport } from '../../src/testing/index.ts';
import type { Ground } from './cases.ts';

const MANIFESTS = '/etc/kubernetes/manifests';
const SERVER = 'kube-apiserver';

/** The cluster before the run. */
export interface Before {
  readonly at: number;
  readonly files: Readonly<Record<string, string>>;
  readonly kubeadm: string | undefined;
}

/** What runs the components at the end, and whether with what a roll gives them. */
export interface Expected {
  readonly runs: 'static' | 'hosted';
  readonly version: 'former' | 'new';
}

export function filesOf(cluster: SimulatedCluster): Readonly<Record<string, string>> {
  return Object.fromEntries(
    cluster.nodes.flatMap(({ name, disk }) =>
      disk
        .paths()
        .filter((path) => path.startsWith('/etc/kubernetes/'))
        .map((path) => [`${name} ${path}`, disk.read(path)!]),
    ),
  );
}

export function before(cluster: SimulatedCluster): Before {
  return { at: cluster.clock.now(), files: filesOf(cluster), kubeadm: kubeadmOf(cluster) };
}

function kubeadmOf(cluster: SimulatedCluster): string | undefined {
  return cluster.find('ConfigMap', 'kube-system', 'kubeadm-config')?.data?.['ClusterConfiguration'];
}

/** What a run that has come to its end has to have made of the cluster. */
export function expectedOf({ change }: Ground, outcome: 'done' | 'undone'): Expected {
  switch (change) {
    case 'pivot':
    case 'crash-loop':
      return { runs: outcome === 'done' ? 'hosted' : 'static', version: 'former' };
    case 'rollback':
      return { runs: outcome === 'undone' ? 'static' : 'hosted', version: 'former' };
    case 'roll':
      return { runs: 'static', version: outcome === 'done' ? 'new' : 'former' };
    case 'roll-hosted':
      return { runs: 'hosted', version: outcome === 'done' ? 'new' : 'former' };
    default:
      return change satisfies never;
  }
}

/** What is not as it has to be once a run has come to its end, each thing as a line. */
export function wrongAtEnd(
  cluster: SimulatedCluster,
  ground: Ground,
  known: Before,
  expected: Expected,
): readonly string[] {
  return [
    ...wrongProcesses(cluster, expected),
    ...wrongFiles(cluster, ground, known, expected),
    ...leftovers(cluster, expected),
    ...wrongConfig(cluster, ground, known, expected),
  ];
}

function wrongProcesses(cluster: SimulatedCluster, { runs, version }: Expected): readonly string[] {
  return cluster.nodes
    .filter(({ isControlPlane }) => isControlPlane)
    .flatMap(({ name: node, processes }) =>
      CONTROL_PLANE_COMPONENTS.flatMap((component) => {
        const found = processes.filter(({ program }) => program === component);
        const isFirst = node === 'cp1';
        const prefix = isFirst && runs === 'hosted' ? `self-hosted-${component}` : `${component}-${node}`;
        const value = isFirst && version === 'new' ? '2' : undefined;
        const isRight =
          found.length === 1 && found[0]!.podName.startsWith(prefix) && flagValue(found[0]!.argv, 'v') === value;
        const shown = found.map(({ podName, argv }) => `${podName} --v=${flagValue(argv, 'v')}`).join(', ');
        return isRight ? [] : [`${node} runs ${shown || 'nothing'} as ${component}, not ${prefix} --v=${value}`];
      }),
    );
}

function wrongFiles(
  cluster: SimulatedCluster,
  { change }: Ground,
  known: Before,
  { runs, version }: Expected,
): readonly string[] {
  const now = filesOf(cluster);
  const isPivoted = change === 'rollback' || change === 'roll-hosted';
  const own = (directory: string, component: string): string => `cp1 ${directory}/${component}.yaml`;
  const all = new Set([...Object.keys(now), ...Object.keys(known.files)]);
  return [...all].toSorted().flatMap((path) => {
    const component = CONTROL_PLANE_COMPONENTS.find((name) => path.endsWith(`/${name}.yaml`));
    const manifest = component && (known.files[own(MANIFESTS, component)] ?? known.files[own(PARKING, component)])!;
    let wanted = known.files[path];
    if (path.startsWith(`cp1 ${MANIFESTS}/`) && component) wanted = runs === 'static' ? manifest : undefined;
    if (path.startsWith(`cp1 ${PARKING}/`)) {
      if (runs === 'static') wanted = undefined;
      else if (component) wanted = manifest;
      // That of the last run, if it made one, until the pivot is taken back.
      else if (path === `cp1 ${SNAPSHOT}`) wanted = now[path];
      // What it says is looked at by going back.
      else if (path === `cp1 ${PIVOT_RECORD}` && !isPivoted) wanted = now[path];
    }
    const found = now[path];
    if (found === wanted) return [];
    // A roll writes manifests anew: what they say is seen by what runs.
    const isRolled = version === 'new' && found !== undefined && wanted !== undefined;
    if (isRolled && (component ? isJson(found) && found.includes('"--v=2"') : path === `cp1 ${PIVOT_RECORD}`))
      return [];
    return [`${path} ${found === undefined ? 'is missing' : wanted === undefined ? 'is left' : 'has changed'}`];
  });
}

function isJson(text: string): boolean {
  return text.startsWith('{');
}

/** What nothing may be left of: redirects, Pods, objects and labels of a run, and of a pivot that was taken back. */
function leftovers(cluster: SimulatedCluster, { runs }: Expected): readonly string[] {
  const { world } = cluster;
  const names = (kind: 'EndpointSlice' | 'ConfigMap' | 'Lease' | 'DaemonSet' | 'Pod'): readonly string[] =>
    world.store.list(kind).map(({ metadata }) => metadata.name!);
  const daemonSets = names('DaemonSet').filter((name) => name.startsWith('self-hosted-'));
  const labels = world.store.list('Node').flatMap(({ metadata: { name, labels: own = {} } }) =>
    Object.keys(own)
      .filter((key) => key.includes('bootlace'))
      .map((key) => `${name} ${key}`),
  );
  const hosted = runs === 'hosted' ? 3 : 0;
  return [
    ...world.machines.flatMap(({ name, redirect, bootRedirect }) => [
      ...(redirect ? [`${name} has a redirect`] : []),
      ...(bootRedirect ? [`${name} would have a redirect after a boot`] : []),
    ]),
    ...cluster.nodes.flatMap(({ name, pods }) =>
      pods.filter((pod) => /relay|standby/.test(pod.name)).map((pod) => `${name} has the static Pod ${pod.name}`),
    ),
    ...names('Pod').flatMap((name) => (/relay|standby/.test(name) ? [`Pod ${name} is left`] : [])),
    ...(['EndpointSlice', 'ConfigMap', 'Lease'] as const).flatMap((kind) =>
      names(kind).flatMap((name) => (name.includes('bootlace') ? [`${kind} ${name} is left`] : [])),
    ),
    ...(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'] as const).flatMap((kind) =>
      world.store.list(kind).length === (runs === 'hosted' ? 1 : 0)
        ? []
        : [`${kind} is ${runs === 'hosted' ? 'missing' : 'left'}`],
    ),
    ...(daemonSets.length === hosted ? [] : [`DaemonSets are ${daemonSets.join(', ') || 'none'}`]),
    ...(labels.length === hosted ? [] : [`labels of nodes are ${labels.join(', ') || 'none'}`]),
  ];
}

function wrongConfig(
  cluster: SimulatedCluster,
  { change }: Ground,
  { kubeadm }: Before,
  { version }: Expected,
): readonly string[] {
  const isEdited = kubeadmOf(cluster) !== kubeadm;
  if (change !== 'roll' && change !== 'roll-hosted') return isEdited ? ['kubeadm-config has changed'] : [];
  return isEdited === (version === 'new') ? [] : [`kubeadm-config ${isEdited ? 'has changed' : 'lacks the edit'}`];
}

/** What `status` says and is not so, each thing as a line. What changes while it looks may be told either way. */
export async function wrongStatus(cluster: SimulatedCluster): Promise<readonly string[]> {
  const earlier = await truthOf(cluster);
  const { host, cluster: api, clock } = cluster.login('cp1');
  const { components, helpers, ...told } = await status({ host, cluster: api, clock });
  const later = await truthOf(cluster);
  const said: Truth = {
    ...Object.fromEntries(components.map(({ component, servedBy }) => [component, servedBy])),
    api: told.api,
    helpers: helpers.join(', '),
    redirect: told.redirect === undefined ? 'no' : 'yes',
    run: told.run === undefined ? 'none' : 'open',
    lock: told.lockedBy ?? 'none',
    pivoted: told.isPivoted ? 'yes' : 'no',
    toDo: told.next.length > 0 ? 'something' : 'nothing',
  };
  return Object.entries(said)
    .filter(([key, value]) => value !== earlier[key] && value !== later[key])
    .map(([key, value]) => `status says of ${key}: ${value}, and it is ${later[key]}`);
}

type Truth = Readonly<Record<string, string>>;

const PORTS = { 'kube-apiserver': 6443, 'kube-controller-manager': 10_257, 'kube-scheduler': 10_259 } as const;

/** The same by what the simulation has. */
async function truthOf(cluster: SimulatedCluster): Promise<Truth> {
  const { disk, pods } = cluster.node('cp1');
  const isOver = disk.read(JOURNAL) === undefined;
  const isPivoted = isOver && disk.read(PIVOT_RECORD) !== undefined;
  const served = Object.fromEntries(
    CONTROL_PLANE_COMPONENTS.map((component) => [component, serverOn(cluster, PORTS[component])]),
  );
  const doesServe = await isServing(cluster.connect());
  const holder = cluster.find('Lease', 'kube-system', 'bootlace-control-plane')?.spec.holderIdentity;
  const isWhole = CONTROL_PLANE_COMPONENTS.every((component) => served[component] !== 'nobody');
  return {
    ...served,
    api: doesServe ? 'serves' : 'does not serve',
    helpers: pods
      .filter(({ name, state }) => /relay|standby/.test(name) && state === 'running')
      .map(({ name }) => name)
      .toSorted()
      .join(', '),
    redirect: cluster.world.machines[0]!.redirect === undefined ? 'no' : 'yes',
    run: isOver ? 'none' : 'open',
    lock: doesServe && holder ? nodeOf(holder) : 'none',
    pivoted: isPivoted ? 'yes' : 'no',
    toDo: isOver && isWhole && doesServe ? 'nothing' : 'something',
  };
}

/** Whose process has the port on the node of the run. */
function serverOn(cluster: SimulatedCluster, port: number): string {
  const last = new Map<number, ProcessEvent>();
  for (const event of cluster.events)
    if (event.type === 'process' && event.node === 'cp1' && (event.state === 'ended' || event.port === port))
      last.set(event.pid, event);
  const [server] = [...last.values()].filter(({ state }) => state === 'ready' || state === 'listening');
  if (server === undefined) return 'nobody';
  return server.pod.startsWith('self-hosted-') ? 'hosted Pod' : 'static Pod';
}

/** What clients have lost. Failed requests count only where no server was taken away. */
export function wrongTraffic(report: TrafficReport, mayFail: boolean): readonly string[] {
  const { failed, missing, watch, clients } = report;
  const where = clients
    .flatMap(({ vantage, connection, outages }) =>
      outages.map(({ at, seconds }) => `${vantage} ${connection} from ${at} s for ${seconds} s`),
    )
    .join('; ');
  return [
    ...(missing > 0 ? [`${missing} acknowledged writes were lost`] : []),
    ...(watch.lost > 0 ? [`a watch lost ${watch.lost} writes`] : []),
    ...(failed > 0 && !mayFail ? [`${failed} requests failed: ${where}`] : []),
  ];
}

/**
 * Moments at which more servers were away than may be: one node is changed at a time, and that one has somebody who
 * listens all the time unless its power was cut.
 */
export function wrongServers(cluster: SimulatedCluster, known: Before, mayFail: boolean): readonly string[] {
  const planes = cluster.nodes.filter(({ isControlPlane }) => isControlPlane).map(({ name }) => name);
  const listening = new Map<string, string>();
  const least = planes.length - (mayFail ? 1 : 0);
  const down: string[] = [];
  const follow = ({ node, pid, state, at }: ProcessEvent): void => {
    const key = `${node} ${pid}`;
    if (state === 'listening') listening.set(key, node);
    // A server that stops still answers for a moment, and takes no connections.
    else if (state === 'ended') listening.delete(key);
    const up = new Set(listening.values()).size;
    if (at > known.at && up < least) down.push(`${planes.length - up} nodes have no API server at ${at / 1000} s`);
  };
  for (const event of cluster.events) if (event.type === 'process' && event.program === SERVER) follow(event);
  return down.slice(0, 1);
}

/** Whether the record of a pivot is there, by which it can be taken back where the disk had no room for a journal. */
export function isPivoted(cluster: SimulatedCluster): boolean {
  return cluster.node('cp1').disk.read(PIVOT_RECORD) !== undefined;
}

/** Whether a run has not come to its end. */
export function isOpen(cluster: SimulatedCluster): boolean {
  return cluster.node('cp1').disk.read(JOURNAL) !== undefined;
}
