import { ClusterError } from '../../cluster/api.ts';
import type { Faults, SimulatedCluster } from '../../cluster/simulated/cluster.ts';
import { fileError } from '../../cluster/simulated/files.ts';
import type { SimulatedNode, SimulatedProcess } from '../../cluster/simulated/node.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { RELAY_NAME } from '../selfhosting/modern/relay-options.ts';

/** Where a fault happens: on the node where the run is, as a step begins. */
export interface FaultPlace {
  readonly cluster: SimulatedCluster;
  readonly node: SimulatedNode;
  /** What the run asks for from now on can be made to fail. */
  readonly switches: { api: Faults['api']; host: Faults['host'] };
  /** SIGKILL for the run itself. */
  readonly kill: () => void;
}

export interface FaultKind {
  readonly summary: string;
  happen(place: FaultPlace): void;
}

/** How long a node without power stays so, and the API of the run away, in milliseconds. */
const POWER_OFF = 10_000;
const ETCD_PORT = 2379;
const KUBELET_PORT = 10250;
const API_AWAY = 20_000;

/** What may befall a run, by name. */
export const FAULTS = {
  kill: {
    summary: 'the run is killed',
    happen: ({ kill }) => kill(),
  },
  'power-cut': {
    summary: 'the node loses its power, and boots after 10 s',
    happen: ({ cluster, node, kill }) => {
      kill();
      node.cutPower();
      cluster.clock.at(cluster.clock.now() + POWER_OFF, () => node.boot());
    },
  },
  'kubelet-restart': {
    summary: 'the kubelet ends and is started again',
    happen: ({ node }) => node.restartKubelet(),
  },
  'api-server-crash': crash('kube-apiserver'),
  'relay-crash': {
    summary: 'the relay crashes, and does not come up again',
    happen: ({ cluster, node }) => {
      const isRelay = ({ podName }: SimulatedProcess): boolean => podName.startsWith(RELAY_NAME);
      cluster.failStarts((process) => (isRelay(process) ? 'it was made to fail' : undefined));
      for (const process of node.processes) if (isRelay(process)) node.kill(process.pid);
    },
  },
  firewall: {
    summary: 'a firewall lets in the ports of a control plane, and drops what is redirected',
    happen: ({ cluster, node }) =>
      node.setFirewall({ ports: [cluster.endpoint.port, ETCD_PORT, KUBELET_PORT], acceptsTranslated: false }),
  },
  'controller-manager-crash': crash('kube-controller-manager'),
  'scheduler-crash': crash('kube-scheduler'),
  'bad-definition': {
    summary: 'whatever this and later steps start for the first time ends at once',
    happen: ({ cluster }) => {
      const known = new Set(cluster.events.flatMap((event) => (event.type === 'process' ? [event.podUid] : [])));
      cluster.failStarts(({ podUid }) => (known.has(podUid) ? undefined : 'it was made to fail'));
    },
  },
  'api-away': {
    summary: 'for 20 s no request of the run reaches the API',
    happen: ({ cluster, switches }) => {
      const end = cluster.clock.now() + API_AWAY;
      const error = new ClusterError('UNREACHABLE', 'no connection');
      switches.api = () => (cluster.clock.now() < end ? { error, when: 'before' } : undefined);
    },
  },
  'reply-lost': {
    summary: 'the next change in the API is made, and its answer is lost',
    happen: ({ switches }) => {
      const error = new ClusterError('TIMEOUT', 'no answer in time');
      switches.api = ({ verb, kind, name }) => {
        // Nothing depends on what the cluster is told of a run.
        const isTold = kind === 'Event' || name.startsWith('bootlace-run');
        if (isTold || ['get', 'list', 'watch', 'health'].includes(verb)) return undefined;
        switches.api = undefined;
        return { error, when: 'after' };
      };
    },
  },
  'disk-full': {
    summary: 'no file can be written any more; files can be moved and removed',
    happen: ({ switches }) => {
      switches.host = ({ verb, subject }) =>
        verb === 'write' || verb === 'save' ? fileError('ENOSPC', verb, subject) : undefined;
    },
  },
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

function crash(component: ControlPlaneComponent): FaultKind {
  return {
    summary: `${component} crashes on the node, and the kubelet starts it again`,
    happen: ({ node }) => {
      for (const { pid, program } of node.processes) if (program === component) node.kill(pid);
    },
  };
}
