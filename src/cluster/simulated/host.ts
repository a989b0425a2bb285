import type { Cluster } from '../api.ts';
import type { Endpoint, EtcdAccess, EtcdMember, Host, Redirect, RedirectOptions } from '../host.ts';
import { fileError } from './files.ts';
import type { Machine } from './machine.ts';
import { isLetIn, isSameEndpoint } from './network.ts';
import type { Chance } from './random.ts';
import type { Session } from './session.ts';
import { ETCD_PORT } from './programs/etcd.ts';
import { EPOCH, type World } from './world.ts';

/** What a program does on its node. */
export interface HostAction {
  readonly verb:
    'list' | 'stat' | 'read' | 'write' | 'move' | 'remove' | 'look' | 'stop' | 'pull' | 'redirect' | 'save';
  /** A path, the ID of a container, an image, or what is looked at. */
  readonly subject: string;
}

export interface HostSettings {
  readonly machine: Machine;
  readonly session: Session;
  readonly chance: Chance;
  /** Asked before each action, and what it returns is thrown. */
  readonly fault: (action: HostAction) => Error | undefined;
  readonly connect: (endpoint: Endpoint, isDirect: boolean, token: string | undefined) => Cluster;
}

/** How long one look at the node, or one change of it, takes: milliseconds. */
const ACTION = 2;

/** A node of a simulated cluster, as a program that runs there has it. */
export function createHost(world: World, { machine, session, chance, fault, connect }: HostSettings): Host {
  async function act<T>(verb: HostAction['verb'], subject: string, action: () => T): Promise<T> {
    await session.clock.sleep(ACTION);
    const error = fault({ verb, subject });
    if (error !== undefined) throw error;
    return action();
  }

  function textOf(operation: 'stat' | 'read', path: string): string {
    const text = machine.disk.read(path);
    if (text === undefined) throw fileError('ENOENT', operation, path);
    return text;
  }

  function endRedirect(state: 'removed' | 'expired'): void {
    if (machine.redirect === undefined) return;
    machine.redirect.callOff();
    machine.redirect = undefined;
    world.note({ type: 'redirect', node: machine.name, state });
  }

  function removeRedirect(): void {
    machine.bootRedirect = undefined;
    endRedirect('removed');
  }

  function setRedirect(rule: Redirect, { seconds, atBootWith }: RedirectOptions): void {
    machine.bootRedirect = atBootWith === undefined ? undefined : { rule, file: atBootWith };
    const isNew = machine.redirect === undefined || !isSameEndpoint(machine.redirect.rule.to, rule.to);
    machine.redirect?.callOff();
    const callOff =
      seconds === undefined
        ? () => {}
        : world.clock.at(world.clock.now() + seconds * 1000, () => endRedirect('expired'));
    machine.redirect = { rule, callOff };
    if (isNew) world.note({ type: 'redirect', node: machine.name, state: 'set' });
  }

  return {
    nodeName: machine.name,
    hostName: machine.name,
    files: {
      list: (directory) =>
        act('list', directory, () => {
          const below = machine.disk.paths().filter((path) => path.startsWith(`${directory}/`));
          // There are no directories but those of files.
          if (below.length === 0) throw fileError('ENOENT', 'list', directory);
          return below.map((path) => path.slice(directory.length + 1)).filter((name) => !name.includes('/'));
        }),
      linkOf: (path) => act('stat', path, () => machine.disk.linkOf(path)),
      stat: (path) => act('stat', path, () => ({ size: textOf('stat', path).length })),
      read: (path) => act('read', path, () => Buffer.from(textOf('read', path))),
      write: (path, text) => act('write', path, () => machine.disk.write(path, text)),
      move: (from, to) =>
        act('move', from, () => {
          const text = textOf('read', from);
          machine.disk.remove(from);
          machine.disk.write(to, text);
        }),
      remove: (path) => act('remove', path, () => machine.disk.remove(path)),
    },
    redirect: {
      get: () => act('look', 'redirect', () => machine.redirect?.rule),
      set: (rule, options = {}) => act('redirect', 'set', () => setRedirect(rule, options)),
      remove: () => act('redirect', 'remove', removeRedirect),
      // Connections are kept by their ends, so that nothing has to stay for them.
      forget: () => act('redirect', 'forget', () => {}),
    },
    processes: () =>
      act('look', 'processes', () =>
        [...machine.processes.values()].map(({ pid, argv, startedAt, container }) => ({
          pid,
          argv,
          startedAt,
          container,
        })),
      ),
    listeners: () =>
      act('look', 'listeners', () =>
        machine.listeners
          .map(({ address, port, pid }) => ({ address, port, pid }))
          .toSorted((a, b) => a.port - b.port || a.pid - b.pid),
      ),
    containers: () => act('look', 'containers', () => structuredClone(machine.containers)),
    stopContainer: (id, graceSeconds) =>
      act('stop', id, () =>
        [...machine.processes.values()]
          .find(({ container }) => container === id)
          ?.terminateThenKill(graceSeconds * 1000),
      ),
    addresses: () => act('look', 'addresses', () => [machine.address]),
    admits: (port, isTranslated) =>
      act('look', 'firewall', () => (isLetIn(machine, port, isTranslated) ? 'yes' : 'no')),
    images: () => act('look', 'images', () => [...machine.images].toSorted()),
    pullImage: async (name) => {
      await act('pull', name, () => {});
      if (machine.images.has(name)) return;
      await session.clock.sleep(chance.draw(world.timings.pullImage));
      machine.images.add(name);
    },
    connect: (endpoint, { direct = false, token } = {}) => connect(endpoint, direct, token),
    facts: () => act('look', 'facts', () => structuredClone({ now: EPOCH + world.clock.now(), ...machine.facts })),
    etcdMembers: (access) => act('look', 'etcd', () => etcdMembers(world, access)),
    saveEtcd: (_access, path) =>
      act('save', path, () => {
        if (!world.isStoreAvailable()) throw new Error('etcdserver: no leader');
        // What it holds is of no use here, and would be a secret.
        const text = `A snapshot of etcd at revision ${world.store.version} with ${world.store.count} objects.\n`;
        machine.disk.write(path, text);
        return { bytes: Buffer.byteLength(text) };
      }),
  };
}

/** Members of etcd on the control planes; each endpoint is one where etcd is elsewhere. */
function etcdMembers({ etcdMachines }: World, { endpoints }: EtcdAccess): readonly EtcdMember[] {
  if (etcdMachines.length === 0) return endpoints.map((name) => ({ name, isHealthy: true })).toSorted(byName);
  const members = etcdMachines.map(({ name, listeners }) => ({
    name,
    isHealthy: listeners.some(({ port }) => port === ETCD_PORT),
  }));
  if (!members.some(({ isHealthy }) => isHealthy)) throw new Error('etcd: no endpoint answers');
  return members.toSorted(byName);
}

function byName({ name: a }: EtcdMember, { name: b }: EtcdMember): number {
  return a < b ? -1 : 1;
}
