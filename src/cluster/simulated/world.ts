import type { SimulatedClock } from '../../core/clock.ts';
import type { Endpoint } from '../host.ts';
import type { Registry } from './api/registry.ts';
import type { ApiRequest, Credentials, Reply } from './api/requests.ts';
import type { Tokens } from './api/tokens.ts';
import type { SimulatedEvent } from './events.ts';
import type { Machine } from './machine.ts';
import type { Network, Origin, Server } from './network.ts';
import type { Process } from './process.ts';
import type { Chance } from './random.ts';
import type { Store } from './store.ts';
import type { Timings } from './timings.ts';

/** What every part of a simulated cluster stands in. */
export interface World {
  readonly clock: SimulatedClock;
  readonly timings: Timings;
  readonly store: Store;
  readonly registry: Registry;
  readonly tokens: Tokens;
  readonly network: Network;
  /** In the order of their names. */
  readonly machines: readonly Machine[];
  /** Where clients, workers and kube-proxy find the API: a load balancer, or the only control plane. */
  readonly endpoint: Endpoint;
  /** The API server of a machine with a control plane. */
  localEndpoint(machine: Machine): Endpoint;
  /** Service default/kubernetes. */
  readonly service: Endpoint;
  /** Until when each API server has said that it is there, by its address: a key in etcd with a time to live. */
  readonly serverLeases: Map<string, number>;
  /** Who leads, by component, whatever the lease says. */
  readonly leaders: Map<string, string>;
  /** Which server each component has heard last, by who it is there: it holds a connection there as long as it lives. */
  readonly lastServers: Map<Holder, Map<Credentials, Server>>;
  /** Machines with a member of etcd. None where etcd is elsewhere. */
  readonly etcdMachines: readonly Machine[];
  /** Whether a majority of etcd's members serves. */
  isStoreAvailable(): boolean;
  /** Why a process ends as soon as it starts, if it does: for flags that nothing else here knows to be wrong. */
  startFault(process: Process): string | undefined;
  note(event: SimulatedEventWithoutTime): void;
  /** Chance of one part, which has to have a name of its own: what others do moves nothing of it. */
  chance(name: string): Chance;
  /** How many there are of that name with this one: what tells parts of one kind from each other. */
  number(name: string): number;
}

/** Somebody who keeps a connection to the server that answered last, until its own end. */
export interface Holder {
  readonly isAlive: boolean;
}

/** Where a request comes from, and who keeps the connection. */
export interface Caller extends Origin {
  readonly holder?: Holder;
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;
export type SimulatedEventWithoutTime = WithoutTime<SimulatedEvent>;

/** What time it is when the simulated clock is at 0, in milliseconds since 1970. */
export const EPOCH = Date.UTC(2000, 0);

/** Longest time that a component waits for an answer, in milliseconds. */
const CALL_TIMEOUT = 10_000;

/**
 * A request on a connection of its own. The answer comes at once where the server is free, and in any
 * case once.
 */
export function callApi(
  world: World,
  caller: Caller,
  endpoint: Endpoint,
  credentials: Credentials,
  request: ApiRequest,
  answer: (reply: Reply) => void,
): void {
  let isAnswered = false;
  let callOff = () => {};
  function once(reply: Reply): void {
    if (isAnswered) return;
    isAnswered = true;
    callOff();
    answer(reply);
  }
  const server = world.network.connect(caller, endpoint);
  if ('refusal' in server) return once(server.refusal);
  server.request(request, credentials, (reply) => {
    if (reply.status === 200 && caller.holder?.isAlive) hold(world, caller.holder, credentials, server);
    once(reply);
  });
  if (!isAnswered)
    callOff = world.clock.at(world.clock.now() + CALL_TIMEOUT, () =>
      once({ status: 0, code: 'TIMEOUT', message: 'no answer in time' }),
    );
}

function hold({ lastServers }: World, holder: Holder, credentials: Credentials, server: Server): void {
  const held = lastServers.get(holder);
  if (held === undefined) lastServers.set(holder, new Map([[credentials, server]]));
  else held.set(credentials, server);
}
