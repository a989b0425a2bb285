import type { Container, ContainerPort, PodSpec } from '../../objects.ts';

/** Priorities of the classes that every cluster has. */
const PRIORITIES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

/** From this priority on a Pod is critical to the kubelet: others make room for it. */
export const CRITICAL_PRIORITY = 2_000_000_000;

/**
 * What API server and kubelet add to the spec of a Pod. On the network of the host every port of a container is a port
 * of the host, written or not: two Pods that name one port cannot be on one node.
 */
export function withPodDefaults(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map((container) => withHostPorts(container, spec.hostNetwork === true)),
    restartPolicy: spec['restartPolicy'] ?? 'Always',
    terminationGracePeriodSeconds: spec['terminationGracePeriodSeconds'] ?? 30,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    priority: spec.priority ?? PRIORITIES[spec.priorityClassName ?? ''] ?? 0,
  };
}

function withHostPorts(container: Container, hostNetwork: boolean): Container {
  if (container.ports === undefined) return container;
  const ports = container.ports.map((port): ContainerPort => ({
    ...port,
    protocol: port.protocol ?? 'TCP',
    ...(hostNetwork && { hostPort: port.containerPort }),
  }));
  return { ...container, ports };
}

/** Ports of the host that a Pod asks for, once it has its defaults: `TCP/6443`. */
export function hostPortsOf(spec: PodSpec): readonly string[] {
  return spec.containers
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort, protocol }) => (hostPort ? [`${protocol ?? 'TCP'}/${hostPort}`] : []));
}

/** CPU that a Pod asks for, in thousandths of a processor. */
export function cpuRequestOf(spec: PodSpec): number {
  return spec.containers.reduce((sum, { resources }) => {
    const requests = (resources?.['requests'] ?? {}) as Readonly<Record<string, unknown>>;
    return sum + milliCpu(requests['cpu']);
  }, 0);
}

function milliCpu(quantity: unknown): number {
  const text = typeof quantity === 'number' || typeof quantity === 'string' ? String(quantity) : '';
  const [, amount, milli] = /^(\d+(?:\.\d+)?)(m?)$/.exec(text) ?? [];
  return Number(amount ?? 0) * (milli === 'm' ? 1 : 1000);
}
