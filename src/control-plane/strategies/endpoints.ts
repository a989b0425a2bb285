import { isClusterError, type EndpointSliceObject } from '../../cluster/api.ts';
import type { StrategyContext } from './context.ts';
import { until } from './waits.ts';

const NAMESPACE = 'default';
/** Slices of the Service of the API: the one that API servers keep, and ours, one for each node. */
const KUBERNETES = 'kubernetes';

function ownName({ host }: StrategyContext): string {
  return `${KUBERNETES}-bootlace-${host.nodeName}`;
}

/**
 * Names the node in the Service of the API a second time, in a slice that no API server takes away when it stops. It is
 * the port of the server and not that of the relay, so that egress policies and proxies that lag behind still fit.
 */
export async function holdEndpoint(context: StrategyContext): Promise<void> {
  await context.cluster.apply(ownSlice(context), { fieldManager: 'bootlace', force: true });
}

export function ownSlice(context: StrategyContext): EndpointSliceObject {
  const { server } = context;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: ownName(context),
      namespace: NAMESPACE,
      labels: { 'kubernetes.io/service-name': KUBERNETES, 'endpointslice.kubernetes.io/managed-by': 'bootlace' },
    },
    addressType: server.address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [server.address], conditions: { ready: true } }],
    ports: [{ name: 'https', port: server.port, protocol: 'TCP' }],
  };
}

export async function releaseEndpoint(context: StrategyContext): Promise<void> {
  try {
    await context.cluster.delete({ kind: 'EndpointSlice', namespace: NAMESPACE, name: ownName(context) });
  } catch (error) {
    if (!isClusterError(error, 'NOT_FOUND')) throw error;
  }
}

/** Ends when the slice that API servers keep names the node: a server writes itself into it every ten seconds. */
export async function untilEndpoint({ host, clock, server }: StrategyContext): Promise<void> {
  // The server itself is asked: a redirect may still lead to a relay that is gone.
  const api = host.connect(server, { direct: true });
  await until(clock, `the Service of the API names ${server.address}`, async () => {
    const slice = await api.get({ kind: 'EndpointSlice', namespace: NAMESPACE, name: KUBERNETES });
    return slice.endpoints.some(({ addresses }) => addresses.includes(server.address));
  });
}
