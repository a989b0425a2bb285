import { ClusterError, type Cluster, type ClusterObject, type DaemonSetObject, type PodObject } from '../api.ts';
import { objectOf } from './answer.ts';
import { loadClient, loadKubeConfig, type ClientModule } from './load.ts';
import { sendRequest, type Reply, type Request } from './request.ts';

export interface ConnectSettings {
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  /** Name of the context in it. Default: its current one. */
  readonly context?: string;
  /** Longest time for one call with its answer, in milliseconds. Default: 10 000. */
  readonly timeoutMilliseconds?: number;
  /** Loads the official client. Default: the installed package `@kubernetes/client-node`. */
  readonly load?: () => Promise<ClientModule>;
}

/** How each kind is addressed. */
const RESOURCES = {
  DaemonSet: { root: '/apis/apps/v1', plural: 'daemonsets' },
  Pod: { root: '/api/v1', plural: 'pods' },
  Secret: { root: '/api/v1', plural: 'secrets' },
} as const;

type Kind = keyof typeof RESOURCES;

/**
 * A real cluster, as a kubeconfig describes it. Nothing is sent before the first call. Throws a
 * {@link ClusterError} with code `CLIENT_MISSING` or `KUBECONFIG_INVALID`.
 */
export async function connectCluster(settings: ConnectSettings): Promise<Cluster> {
  const { kubeconfig, context, timeoutMilliseconds = 10_000, load = loadClient } = settings;
  const kubeConfig = loadKubeConfig(await load(), kubeconfig, context);
  return clusterOver((request) => sendRequest(kubeConfig, request, timeoutMilliseconds));
}

/** The cluster behind whatever sends requests. */
export function clusterOver(send: (request: Request) => Promise<Reply>): Cluster {
  async function get(kind: Kind, namespace: string, name: string): Promise<object> {
    const reply = await send({ method: 'GET', path: pathOf(kind, namespace, name) });
    return objectOf(reply, subject('get', kind, namespace, name));
  }

  async function write(verb: 'create' | 'update', object: ClusterObject & { readonly kind: Kind }): Promise<object> {
    const { kind, metadata } = object;
    const { namespace, name } = metadata;
    if (!namespace || !name)
      throw new ClusterError('INVALID', `A ${kind} needs a name and a namespace before it can be stored.`);
    const reply = await send(
      verb === 'create'
        ? { method: 'POST', path: pathOf(kind, namespace), body: object }
        : { method: 'PUT', path: pathOf(kind, namespace, name), body: object },
    );
    return objectOf(reply, subject(verb, kind, namespace, name));
  }

  return {
    getDaemonSet: async (namespace, name) => (await get('DaemonSet', namespace, name)) as DaemonSetObject,
    createDaemonSet: async (daemonSet) => (await write('create', daemonSet)) as DaemonSetObject,
    updateDaemonSet: async (daemonSet) => (await write('update', daemonSet)) as DaemonSetObject,
    createSecret: async (secret) => void (await write('create', secret)),
    updateSecret: async (secret) => void (await write('update', secret)),
    getPod: async (namespace, name) => (await get('Pod', namespace, name)) as PodObject,
    listPods: async (namespace, labelSelector) => {
      const path = `${pathOf('Pod', namespace)}?labelSelector=${encodeURIComponent(labelSelector)}`;
      const list = objectOf(await send({ method: 'GET', path }), subject('list', 'Pod', namespace, labelSelector));
      return podsOf(list);
    },
    isHealthy: async () => (await send({ method: 'GET', path: '/healthz' })).status === 200,
  };
}

function pathOf(kind: Kind, namespace: string, name?: string): string {
  const { root, plural } = RESOURCES[kind];
  const path = `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  return name === undefined ? path : `${path}/${encodeURIComponent(name)}`;
}

function subject(verb: string, kind: Kind, namespace: string, name: string): { action: string; isSecret: boolean } {
  return { action: `${verb} ${kind} ${namespace}/${name}`, isSecret: kind === 'Secret' };
}

/** The Pods of a list, whose items come without kind and version. */
function podsOf(list: object): readonly PodObject[] {
  const items: unknown = 'items' in list ? list.items : undefined;
  // Go writes an empty list as null in places.
  if (items === null) return [];
  if (!Array.isArray(items)) throw new ClusterError('UNEXPECTED', 'Could not list Pods: the answer is no list.');
  return items.map((item: object) => ({ ...(item as PodObject), apiVersion: 'v1', kind: 'Pod' }));
}
