import {
  ClusterError,
  type AnyObject,
  type ApplyOptions,
  type Cluster,
  type DeleteOptions,
  type Kind,
  type ObjectOf,
  type Reference,
  type Selection,
  type WatchEvent,
  type WatchStart,
  type WriteOptions,
} from '../api.ts';
import { eventOf, listOf, namesOf, objectOf, refusalOf, textOf, type Subject } from './answer.ts';
import { aimed, loadClient, loadKubeConfig, type Aim, type ClientModule } from './load.ts';
import { openStream, sendRequest, type Reply, type Request, type Stream } from './request.ts';
import { groupVersionPath, listPath, namespacePath, objectPath } from './resources.ts';

export interface ConnectSettings {
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  /** Name of the context in it. Default: its current one. */
  readonly context?: string;
  /**
   * Longest time for one call with its answer, in milliseconds; for a watch, until the answer begins. Default: 10 000.
   */
  readonly timeoutMilliseconds?: number;
  /** Loads the official client. Default: the installed package `@kubernetes/client-node`. */
  readonly load?: () => Promise<ClientModule>;
}

/** Whatever brings requests to an API server. */
export interface Transport {
  readonly send: (request: Request) => Promise<Reply>;
  /** Gives a stream for an answer of success and a whole reply for every other. The signal ends it with any error. */
  readonly open: (request: Request, signal: AbortSignal | undefined) => Promise<Reply | Stream>;
}

/**
 * A real cluster, as a kubeconfig describes it. Nothing is sent before the first call. Throws a
 * {@link ClusterError} with code `CLIENT_MISSING` or `KUBECONFIG_INVALID`.
 */
export async function connectCluster(settings: ConnectSettings): Promise<Cluster> {
  return (await openConnections(settings))();
}

/** Where to ask, where from and as whom, in the place of what the kubeconfig says. */
export interface Connection extends Aim {
  /** Address of this machine that connections begin at. Default: as the system chooses. */
  readonly localAddress?: string;
}

/** The ways to a cluster by one kubeconfig. Throws as {@link connectCluster} does. */
export async function openConnections(settings: ConnectSettings): Promise<(connection?: Connection) => Cluster> {
  const { kubeconfig, context, timeoutMilliseconds = 10_000, load = loadClient } = settings;
  const client = await load();
  const given = loadKubeConfig(client, kubeconfig, context);
  return ({ server, token, localAddress } = {}) => {
    const isAimed = server !== undefined || token !== undefined;
    const kubeConfig = isAimed
      ? aimed(client, given, { ...(server !== undefined && { server }), ...(token !== undefined && { token }) })
      : given;
    const way = { kubeConfig, ...(localAddress !== undefined && { localAddress }) };
    return clusterOver({
      send: (request) => sendRequest(way, request, timeoutMilliseconds),
      open: (request, signal) => openStream(way, request, timeoutMilliseconds, signal),
    });
  };
}

/** The cluster behind whatever sends requests. */
export function clusterOver({ send, open }: Transport): Cluster {
  async function write<T extends AnyObject>(verb: Write, object: T, options: Partial<ApplyOptions> = {}): Promise<T> {
    const reply = await send({ ...WRITES[verb], path: writePath(verb, object) + writeQuery(options), body: object });
    const { name, generateName, namespace } = object.metadata;
    return objectOf(reply, subject(verb, object.kind, namespace, name ?? generateName)) as T;
  }

  async function* watch<K extends Kind>(
    { kind, namespace, labelSelector }: Selection<K>,
    { resourceVersion, signal }: WatchStart,
  ): AsyncGenerator<WatchEvent<K>, void, undefined> {
    if (signal?.aborted) return;
    const about = subject('watch', kind, namespace, labelSelector);
    const query = queryOf({ watch: '1', resourceVersion, allowWatchBookmarks: 'true', labelSelector });
    try {
      const answer = await open({ method: 'GET', path: listPath(kind, namespace) + query }, signal);
      if (!('lines' in answer)) throw refusalOf(answer, about);
      for await (const line of answer.lines) {
        // One chunk may hold many lines.
        if (signal?.aborted) return;
        yield eventOf(line, kind, about);
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  return {
    get: async <K extends Kind>({ kind, namespace, name }: Reference<K>) => {
      const reply = await send({ method: 'GET', path: objectPath(kind, namespace, name) });
      return objectOf(reply, subject('get', kind, namespace, name)) as ObjectOf<K>;
    },
    list: async ({ kind, namespace, labelSelector }) => {
      const path = listPath(kind, namespace) + queryOf({ labelSelector });
      return listOf(await send({ method: 'GET', path }), kind, subject('list', kind, namespace, labelSelector));
    },
    watch,
    create: (object, options) => write('create', object, options),
    update: (object, options) => write('update', object, options),
    apply: (object, options) => write('apply', object, options),
    delete: async ({ kind, namespace, name }, options) => {
      const path = objectPath(kind, namespace, name);
      const reply = await send({ method: 'DELETE', path, body: deleteBody(options) });
      objectOf(reply, subject('delete', kind, namespace, name));
    },
    isHealthy: async (check = 'healthz') => (await send({ method: 'GET', path: `/${check}` })).status === 200,
    startedAt: async () => startOf(await send({ method: 'GET', path: '/metrics' })),
    version: async () => {
      const reply = await send({ method: 'GET', path: '/version' });
      return textOf(reply, ['gitVersion'], { action: 'get /version', isSecret: false });
    },
    whoAmI: async () => {
      const path = `${AUTHENTICATION_PATH}/selfsubjectreviews`;
      const body = { apiVersion: AUTHENTICATION, kind: 'SelfSubjectReview' };
      const about = { action: 'ask who the user is', isSecret: false };
      return textOf(await send({ method: 'POST', path, body }), ['status', 'userInfo', 'username'], about);
    },
    requestToken: async ({ namespace, name }, seconds) => {
      const path = `${objectPath('ServiceAccount', namespace, name)}/token`;
      const body = { apiVersion: AUTHENTICATION, kind: 'TokenRequest', spec: { expirationSeconds: seconds } };
      const about = { ...subject('get a token of', 'ServiceAccount', namespace, name), isSecret: true };
      return textOf(await send({ method: 'POST', path, body }), ['status', 'token'], about);
    },
    discover: async (groupVersion) => {
      const path = groupVersionPath(groupVersion);
      return namesOf(await send({ method: 'GET', path }), { action: `get ${path}`, isSecret: false });
    },
  };
}

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHENTICATION_PATH = `/apis/${AUTHENTICATION}`;

type Write = 'create' | 'update' | 'apply';

const WRITES: Readonly<Record<Write, Pick<Request, 'method' | 'contentType'>>> = {
  create: { method: 'POST' },
  update: { method: 'PUT' },
  // JSON is YAML, and every version that knows apply knows this type.
  apply: { method: 'PATCH', contentType: 'application/apply-patch+yaml' },
};

function writePath(verb: Write, { kind, metadata }: AnyObject): string {
  const { name, generateName, namespace } = metadata;
  if (verb !== 'create') return objectPath(kind, namespace, name);
  if (!name && !generateName) throw new ClusterError('INVALID', `A ${kind} needs a name.`);
  return namespacePath(kind, namespace);
}

function writeQuery({ fieldManager, force, dryRun }: WriteOptions & Partial<ApplyOptions>): string {
  return queryOf({ fieldManager, force: force ? 'true' : undefined, dryRun: dryRun ? 'All' : undefined });
}

function deleteBody({ dryRun, propagation, gracePeriodSeconds, preconditions }: DeleteOptions = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    // Said always, as the server's own default depends on the kind.
    propagationPolicy: propagation ?? 'Background',
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function subject(verb: string, kind: Kind, namespace: string | undefined, name: string | undefined): Subject {
  const where = [namespace, name].filter(Boolean).join('/');
  return { action: `${verb} ${kind} ${where}`.trimEnd(), isSecret: kind === 'Secret' };
}

/** The start of the process that wrote metrics, in milliseconds since 1970. */
function startOf(reply: Reply): number {
  // A refusal is JSON, and metrics are not.
  if (reply.status !== 200) objectOf(reply, { action: 'get metrics', isSecret: false });
  const seconds = Number(/^process_start_time_seconds (\S+)$/m.exec(reply.text)?.[1]);
  if (Number.isFinite(seconds)) return seconds * 1000;
  throw new ClusterError('UNEXPECTED', 'Could not get metrics: the answer does not say when the process was started.');
}
