import type { WatchEvent, WatchStart, Selection } from '../api.ts';
import type { Endpoint } from '../host.ts';
import { noAnswer, type ApiRequest, type Credentials, type Reply } from './api/requests.ts';
import type { Listener, Machine } from './machine.ts';
import { isAnyAddress } from './process.ts';
import type { Chance, Random } from './random.ts';

/** Where a connection comes from: a machine, or from outside all of them. */
export interface Origin {
  readonly node?: string;
  /** From the address that redirects leave alone. */
  readonly isDirect?: boolean;
  /** What decides where one of several servers is as good as another. Default: what the network has for all others. */
  readonly random?: Random;
}

/** A process as the other end of an open connection. */
export interface Server {
  /** Whether its end would still answer. */
  readonly isOpen: boolean;
  /** Answers once, now or later. */
  request(request: ApiRequest, credentials: Credentials, answer: (reply: Reply) => void): void;
  /** Streams changes. Returns what ends that. */
  watch(
    selection: Selection,
    from: Pick<WatchStart, 'resourceVersion'>,
    credentials: Credentials,
    sink: WatchSink,
  ): () => void;
}

export interface WatchSink {
  /** How long something takes to get there. */
  readonly draw: Chance['draw'];
  next(event: WatchEvent): void;
  /** The last word: the reply of a refusal, or nothing where the server closed the stream. */
  end(reply?: Reply): void;
}

export type Connection = Server | { readonly refusal: Reply };

export interface Network {
  connect(origin: Origin, endpoint: Endpoint): Connection;
}

/** Sends a connection to one of several machines. */
export interface Balancer extends Endpoint {
  /** Servers in the order in which they are to be tried. */
  choices(random: Random): readonly Endpoint[];
}

export interface NetworkSettings {
  readonly machines: readonly Machine[];
  readonly random: Random;
  readonly service: Endpoint;
  readonly balancer?: Balancer;
}

/**
 * Packets between machines, as far as a handover depends on them: redirects (translated where a packet arrives or
 * where it is sent, once), Services as kube-proxy has written them, host firewalls, ports with their listeners.
 */
export function createNetwork({ machines, random: common, service, balancer }: NetworkSettings): Network {
  function connect(origin: Origin, endpoint: Endpoint): Connection {
    const { random = common } = origin;
    const sender = machines.find(({ name }) => name === origin.node);
    if (origin.node !== undefined && !sender?.isOn) return { refusal: noAnswer('timeout') };
    if (balancer !== undefined && isSameEndpoint(endpoint, balancer)) return balanced(balancer.choices(random), random);
    if (sender === undefined) return arrive(undefined, endpoint, random);
    // On the machine itself the first rule that matches translates, and none after it.
    const redirected = origin.isDirect ? undefined : redirectOf(sender, endpoint);
    if (redirected !== undefined) return arrive(sender, redirected, random);
    if (!isSameEndpoint(endpoint, service)) return arrive(sender, endpoint, random);
    const choices = sender.services.get(keyOf(endpoint)) ?? [];
    return choices.length === 0 ? { refusal: noAnswer('refused') } : arrive(sender, random.pick(choices), random);
  }

  function balanced(choices: readonly Endpoint[], random: Random): Connection {
    let last: Connection = { refusal: noAnswer('reset') };
    for (const choice of choices) {
      last = arrive(undefined, choice, random);
      if (!('refusal' in last)) return last;
    }
    return last;
  }

  /** A packet at the machine that it is for. */
  function arrive(sender: Machine | undefined, endpoint: Endpoint, random: Random): Connection {
    const isLoopback = endpoint.address.startsWith('127.') || endpoint.address === '::1';
    const machine = isLoopback ? sender : machines.find(({ address }) => address === endpoint.address);
    if (!machine?.isOn) return { refusal: noAnswer('timeout') };
    if (machine === sender) return local(machine, endpoint, random);
    const redirected = redirectOf(machine, endpoint);
    const target = redirected ?? endpoint;
    if (!isLetIn(machine, target.port, redirected !== undefined)) return { refusal: noAnswer('timeout') };
    return local(machine, target, random);
  }

  function local(machine: Machine, { address, port }: Endpoint, random: Random): Connection {
    const found = machine.listeners.filter(
      (listener) => listener.port === port && (isAnyAddress(listener.address) || listener.address === address),
    );
    // Where several share the port, the kernel spreads new connections over them.
    return found.length === 0 ? { refusal: noAnswer('refused') } : pickOne(found, random).server;
  }

  function pickOne(found: readonly Listener[], random: Random): Listener {
    return found.length === 1 ? found[0]! : random.pick(found);
  }

  return { connect };
}

function redirectOf(machine: Machine, endpoint: Endpoint): Endpoint | undefined {
  const rule = machine.redirect?.rule;
  return rule?.from.some((from) => isSameEndpoint(from, endpoint)) ? rule.to : undefined;
}

export function isLetIn({ firewall }: Machine, port: number, isTranslated: boolean): boolean {
  return firewall === undefined || firewall.ports.includes(port) || (isTranslated && firewall.acceptsTranslated);
}

export function isSameEndpoint(one: Endpoint, other: Endpoint): boolean {
  return one.address === other.address && one.port === other.port;
}

export function keyOf({ address, port }: Endpoint): string {
  return `${address} ${port}`;
}
