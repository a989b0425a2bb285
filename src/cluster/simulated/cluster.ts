import { createSimulatedClock, type Clock, type SimulatedClock } from '../../core/clock.ts';
import type { Cluster, Kind, ObjectOf } from '../api.ts';
import type { Endpoint, Host } from '../host.ts';
import { createRegistry, type Admission } from './api/registry.ts';
import { createTokens } from './api/tokens.ts';
import type { User } from './api/requests.ts';
import { createBalancer } from './balancer.ts';
import { createClient } from './client.ts';
import type { SimulatedEvent } from './events.ts';
import { createHost, type HostAction } from './host.ts';
import { MANIFESTS_DIRECTORY } from './kubelet/manifests.ts';
import type { ClusterCall, ClusterFault } from './memory.ts';
import { createNetwork } from './network.ts';
import { createNode, type SimulatedNode, type SimulatedProcess } from './node.ts';
import { ETCD_PORT } from './programs/etcd.ts';
import { createChance, createRandom } from './random.ts';
import { missingOf, settle, untilServing } from './serving.ts';
import { createSession } from './session.ts';
import { initialObjects, setUp } from './setup.ts';
import { createStore } from './store.ts';
import { TIMINGS, type Timings } from './timings.ts';
import { EPOCH, type World } from './world.ts';

export interface SimulatedClusterSettings {
  /** Everything that is left to chance follows from it. Default: 1. */
  readonly seed?: number;
  /** Nodes with a control plane, named cp1 and so on, up to 9. From 2 on a load balancer stands before them. Default: 1. */
  readonly controlPlanes?: number;
  /** Nodes without, named w1 and so on, up to 30. Default: 1. */
  readonly workers?: number;
  /**
   * Manifests of the first control plane by the name of their file, as YAML or JSON. Others get the same with their own
   * address in the place of the first one's. Default: what kubeadm 1.35 writes.
   */
  readonly manifests?: Readonly<Record<string, string>>;
  readonly timings?: Partial<Timings>;
}

/** A cluster in memory in which everything happens by itself, on a clock of its own. */
export interface SimulatedCluster {
  readonly clock: SimulatedClock;
  /** In the order of their names, control planes first. */
  readonly nodes: readonly SimulatedNode[];
  /** Where clients from outside find the API. */
  readonly endpoint: Endpoint;
  /** Service default/kubernetes, for those who are on a node. */
  readonly service: Endpoint;
  /** Everything that happened, in order. */
  readonly events: readonly SimulatedEvent[];
  /** Throws where there is no such node. */
  node(name: string): SimulatedNode;
  /** Boots every node, and ends when the whole control plane serves. Throws `SIMULATION_STALLED` after ten minutes. */
  start(): Promise<void>;
  /** Ends when the whole control plane serves, or after that many milliseconds; says which. */
  settle(milliseconds: number): Promise<boolean>;
  /** What keeps the control plane from serving as a whole, if anything does. */
  missing(): string | undefined;
  /** The API as a client has it, by default an administrator outside of all nodes. */
  connect(settings?: ConnectionSettings): Cluster;
  /** The API and the node that it stands on, with a life of its own: what bootlace gets when it is run there. */
  login(node: string, faults?: Faults): Login;
  /** What etcd has of an object, whether or not an API server is there. */
  find<K extends Kind>(kind: K, namespace: string | undefined, name: string): ObjectOf<K> | undefined;
  /** A policy for everything that is stored or deleted: it says why not. */
  admit(admission: Admission): void;
  /** Lets processes end as soon as they start, with the reason that it gives. */
  failStarts(fault: (process: SimulatedProcess) => string | undefined): void;
  /** Everything in it, for parts of bootlace that simulate more. */
  readonly world: World;
}

export interface ConnectionSettings {
  /** Name of the node that the client stands on. Default: none of them. */
  readonly from?: string;
  /** Default: {@link SimulatedCluster.endpoint}. */
  readonly endpoint?: Endpoint;
  readonly user?: User;
  readonly fault?: Faults['api'];
}

export interface Faults {
  /** Asked once for each call to the API, watches with them. */
  readonly api?: (call: ClusterCall) => ClusterFault | undefined;
  /** Asked before each action on the node, and what it returns is thrown. */
  readonly host?: (action: HostAction) => Error | undefined;
}

export interface Login {
  readonly cluster: Cluster;
  readonly host: Host;
  readonly clock: Clock;
  readonly isAlive: boolean;
  /** SIGKILL: nothing that was asked for ends any more. A power cut does the same. */
  kill(): void;
}

/** Throws `USAGE` for numbers of nodes that make no sense. */
export function createSimulatedCluster(settings: SimulatedClusterSettings = {}): SimulatedCluster {
  const { seed = 1, controlPlanes = 1, workers = 1, manifests } = settings;
  const clock = createSimulatedClock();
  const random = createRandom(seed);
  const store = createStore();
  const numbers = new Map<string, number>();
  const events: SimulatedEvent[] = [];
  const admissions: Admission[] = [];
  const startFaults: ((process: SimulatedProcess) => string | undefined)[] = [];
  const setup = setUp({ controlPlanes, workers, manifests });
  const { machines, port, service } = setup;
  const servers = machines.filter(({ isControlPlane }) => isControlPlane).map(({ address }) => ({ address, port }));
  const balancer = servers.length > 1 ? createBalancer(setup.balancer, servers) : undefined;
  const etcdMachines = machines.filter(({ disk }) => disk.read(`${MANIFESTS_DIRECTORY}/etcd.yaml`) !== undefined);

  const world: World = {
    clock,
    timings: { ...TIMINGS, ...settings.timings },
    store,
    registry: createRegistry({
      store,
      random: random.fork('names'),
      now: () => new Date(EPOCH + clock.now()),
      admissions,
    }),
    tokens: createTokens({ store, random: random.fork('tokens'), now: () => clock.now() }),
    network: createNetwork({ machines, random: random.fork('network'), service, ...(balancer && { balancer }) }),
    machines,
    endpoint: balancer ?? servers[0]!,
    localEndpoint: ({ address }) => ({ address, port }),
    service,
    serverLeases: new Map(),
    leaders: new Map(),
    lastServers: new Map(),
    etcdMachines,
    // Without a manifest of its own etcd is elsewhere, and there.
    isStoreAvailable: () =>
      etcdMachines.length === 0 ||
      machines.filter(({ listeners }) => listeners.some((listener) => listener.port === ETCD_PORT)).length >
        servers.length / 2,
    startFault: (process) => startFaults.map((fault) => fault(process)).find((found) => found !== undefined),
    note: (event) => {
      events.push({ at: clock.now(), ...event });
      if (event.type === 'leader') world.leaders.set(event.component, event.holder);
    },
    chance: (name) => createChance(random.fork(name)),
    number: (name) => {
      const number = (numbers.get(name) ?? 0) + 1;
      numbers.set(name, number);
      return number;
    },
  };
  const nodes = machines.map((machine) => createNode(machine, world));
  for (const object of initialObjects(setup)) world.registry({ verb: 'create', object }, 'kubeadm');

  function placeOf(name: string): number {
    const place = nodes.findIndex((one) => one.name === name);
    if (place < 0) throw new Error(`The simulated cluster has no node ${JSON.stringify(name)}.`);
    return place;
  }

  function login(node: string, { api = () => undefined, host = () => undefined }: Faults = {}): Login {
    const machine = machines[placeOf(node)]!;
    const session = createSession(clock);
    const name = `login ${node} ${world.number(`login ${node}`)}`;
    const connect = (endpoint: Endpoint, isDirect: boolean, token?: string): Cluster =>
      createClient(world, {
        origin: { node, isDirect },
        endpoint,
        credentials: token === undefined ? ADMINISTRATOR : { token },
        session,
        name,
        fault: api,
      });
    function kill(): void {
      machine.onPowerCut.delete(kill);
      session.kill();
    }
    machine.onPowerCut.add(kill);
    return {
      cluster: connect(world.endpoint, false),
      host: createHost(world, { machine, session, chance: world.chance(`${name} host`), fault: host, connect }),
      clock: session.clock,
      get isAlive() {
        return session.isAlive;
      },
      kill,
    };
  }

  return {
    clock,
    world,
    nodes,
    events,
    endpoint: world.endpoint,
    service,
    node: (name) => nodes[placeOf(name)]!,
    start: async () => {
      balancer?.start(world);
      for (const one of nodes) one.boot();
      await untilServing(world, nodes);
    },
    settle: (milliseconds) => settle(world, nodes, milliseconds),
    missing: () => missingOf(world, nodes),
    connect: ({ from, endpoint = world.endpoint, user = ADMINISTRATOR, fault = () => undefined } = {}) =>
      createClient(world, {
        origin: from === undefined ? {} : { node: from },
        endpoint,
        credentials: user,
        session: createSession(clock),
        name: `client ${from ?? 'outside'}`,
        fault,
      }),
    login,
    find: (kind, namespace, name) => structuredClone(store.get(kind, namespace, name)),
    admit: (admission) => void admissions.push(admission),
    failStarts: (fault) => void startFaults.push(fault),
  };
}

const ADMINISTRATOR = 'kubernetes-admin';
