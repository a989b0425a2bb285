import {
  ClusterError,
  type AnyObject,
  type Cluster,
  type Kind,
  type ObjectList,
  type ObjectOf,
  type Selection,
  type WatchEvent,
  type WatchStart,
} from '../api.ts';
import type { Endpoint } from '../host.ts';
import { groupVersionPath } from '../kubernetes/resources.ts';
import type { ApiRequest, Credentials, Reply } from './api/requests.ts';
import { watchEventOf } from './api/watch-events.ts';
import type { ClusterCall, ClusterFault } from './memory.ts';
import type { Origin } from './network.ts';
import type { Session } from './session.ts';
import { callApi, type World } from './world.ts';

export interface ClientSettings {
  readonly origin: Origin;
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  readonly session: Session;
  /** Of this client and others like it, which are numbered. */
  readonly name: string;
  /** Asked once for each call and each watch, before it is sent. */
  readonly fault: (call: ClusterCall) => ClusterFault | undefined;
}

/** The API of a simulated cluster as somebody has it from somewhere: each call on a connection of its own. */
export function createClient(world: World, settings: ClientSettings): Cluster {
  const { endpoint, credentials, session, fault, name } = settings;
  const { draw, random } = world.chance(`${name} ${world.number(name)}`);
  const origin = { ...settings.origin, random };
  let calls = 0;

  async function call(request: ApiRequest): Promise<unknown> {
    const made = callOf(request, calls);
    calls += 1;
    const found = fault(made);
    const latency = draw(world.timings.request);
    await session.clock.sleep(latency / 2);
    if (found?.when === 'before') throw found.error;
    const reply = await session.wait<Reply>((settle) => callApi(world, origin, endpoint, credentials, request, settle));
    await session.clock.sleep(latency / 2);
    if (found !== undefined) throw found.error;
    if (reply.status === 200) return structuredClone(reply.body);
    throw new ClusterError(reply.code ?? 'UNEXPECTED', `Could not ${subjectOf(made)}: ${reply.message}`);
  }

  async function* watch<K extends Kind>(
    selection: Selection<K>,
    { resourceVersion, signal }: WatchStart,
  ): AsyncGenerator<WatchEvent<K>, void, undefined> {
    if (signal?.aborted) return;
    const made = { number: calls, verb: 'watch', kind: selection.kind, name: selection.labelSelector ?? '' } as const;
    calls += 1;
    const trouble = fault(made);
    const queue: (WatchEvent | { readonly end: Reply | undefined })[] = [];
    let wake = (): void => {};
    const put = (item: (typeof queue)[number]): void => {
      queue.push(item);
      wake();
    };
    await session.clock.sleep(draw(world.timings.request));
    if (trouble?.when === 'before') throw trouble.error;
    const server = world.network.connect(origin, endpoint);
    if ('refusal' in server) throw errorOf(server.refusal, selection);
    // What is told before a fault that comes after it.
    let left = world.store
      .since(Number(resourceVersion) || 0)
      .filter((change) => watchEventOf(selection, change) !== undefined).length;
    const stop = server.watch(selection, { resourceVersion }, credentials, {
      draw,
      next: put,
      end: (reply) => put({ end: reply }),
    });
    const onAbort = (): void => put({ end: undefined });
    signal?.addEventListener('abort', onAbort, { once: true });
    const forget = session.onKill(stop);
    try {
      for (;;) {
        if (signal?.aborted) return;
        if (trouble !== undefined && queue.length === 0 && left <= 0) throw trouble.error;
        if (queue.length === 0)
          await session.wait<void>((settle) => {
            wake = () => settle(undefined);
          });
        const item = queue.shift();
        if (item === undefined) continue;
        if ('end' in item) {
          if (item.end === undefined) return;
          throw errorOf(item.end, selection);
        }
        if (item.type !== 'BOOKMARK') left -= 1;
        yield structuredClone(item) as WatchEvent<K>;
      }
    } finally {
      stop();
      forget();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  return {
    get: async <K extends Kind>(reference: { readonly kind: K; readonly namespace?: string; readonly name: string }) =>
      (await call({ verb: 'get', reference })) as ObjectOf<K>,
    list: async <K extends Kind>(selection: Selection<K>) => (await call({ verb: 'list', selection })) as ObjectList<K>,
    watch,
    create: async <T extends AnyObject>(object: T, options = {}) =>
      (await call({ verb: 'create', object: structuredClone(object), options })) as T,
    update: async <T extends AnyObject>(object: T, options = {}) =>
      (await call({ verb: 'update', object: structuredClone(object), options })) as T,
    apply: async <T extends AnyObject>(object: T, options: { readonly fieldManager: string }) =>
      (await call({ verb: 'apply', object: structuredClone(object), options })) as T,
    delete: async (reference, options = {}) => void (await call({ verb: 'delete', reference, options })),
    startedAt: async () => (await call({ verb: 'identify' })) as number,
    version: async () => (await call({ verb: 'version' })) as string,
    whoAmI: async () => (await call({ verb: 'review' })) as string,
    requestToken: async ({ namespace, name: account }, seconds) =>
      (await call({ verb: 'token', serviceAccount: { namespace, name: account }, seconds })) as string,
    discover: async (groupVersion) => (await call({ verb: 'discover', groupVersion })) as readonly string[],
    isHealthy: async (check = 'healthz') => {
      try {
        await call({ verb: 'health', check });
        return true;
      } catch (error) {
        // An answer that is no is an answer.
        if (error instanceof ClusterError && error.code === 'UNAVAILABLE') return false;
        throw error;
      }
    },
  };
}

/** A call as a message names it. */
function subjectOf({ verb, kind, name }: ClusterCall): string {
  return verb === 'health' ? `ask ${name}` : [verb, kind, name].filter((part) => part !== '').join(' ');
}

function errorOf({ code = 'UNEXPECTED', message = '' }: Reply, { kind }: Selection): ClusterError {
  return new ClusterError(code, `Could not watch ${kind}: ${message}`);
}

function callOf(request: ApiRequest, number: number): ClusterCall {
  switch (request.verb) {
    case 'get':
    case 'delete':
      return { number, verb: request.verb, kind: request.reference.kind, name: request.reference.name };
    case 'list':
      return { number, verb: 'list', kind: request.selection.kind, name: request.selection.labelSelector ?? '' };
    case 'create':
    case 'update':
    case 'apply': {
      const { kind, metadata } = request.object;
      return { number, verb: request.verb, kind, name: metadata.name ?? metadata.generateName ?? '' };
    }
    case 'health':
      return { number, verb: 'health', kind: '', name: `/${request.check}` };
    case 'identify':
      return { number, verb: 'health', kind: '', name: '/metrics' };
    case 'version':
      return { number, verb: 'get', kind: '', name: '/version' };
    case 'review':
      return { number, verb: 'create', kind: 'SelfSubjectReview', name: '' };
    case 'token':
      return { number, verb: 'create', kind: 'TokenRequest', name: request.serviceAccount.name };
    case 'discover':
      return { number, verb: 'get', kind: '', name: groupVersionPath(request.groupVersion) };
    default:
      return request satisfies never;
  }
}
