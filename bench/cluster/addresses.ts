import type { IpFamily, Settings } from './settings.ts';

/** A machine of the cluster. */
export interface NodePlan {
  /** Node name, which is its host name too: cp1, cp2, w1. */
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  /** One address for each family, the primary one first. */
  readonly addresses: readonly string[];
}

/** Every address of a cluster. All benches use the same ones: each has a network namespace of its own. */
export interface AddressPlan {
  readonly nodes: readonly NodePlan[];
  /** The bridge's addresses: where the load balancer listens, and whoever is outside of the nodes. */
  readonly outside: readonly string[];
  /** Prefix length by address, for `ip address`. */
  readonly withPrefix: (address: string) => string;
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  /** Address of the Service default/kubernetes in the primary family. */
  readonly service: string;
  /** Address of the API as everybody outside knows it, in the primary family. */
  readonly server: string;
  /** Host and port of the API as everybody outside knows it: the load balancer's, or the only API server's. */
  readonly endpoint: string;
}

const FAMILIES: Readonly<Record<IpFamily, readonly Family[]>> = {
  ipv4: ['ipv4'],
  ipv6: ['ipv6'],
  dual: ['ipv4', 'ipv6'],
};
type Family = 'ipv4' | 'ipv6';

// The subnets of kubeadm's documentation where it has some. A range of IPv6 Services may have 20 bits at most.
const NETWORKS: Readonly<
  Record<Family, { lan: (host: number) => string; prefix: number; pods: string; services: string; service: string }>
> = {
  ipv4: {
    lan: (host) => `10.89.0.${host}`,
    prefix: 24,
    pods: '10.244.0.0/16',
    services: '10.96.0.0/12',
    service: '10.96.0.1',
  },
  ipv6: { lan: (host) => `fd89::${host}`, prefix: 64, pods: 'fd44::/56', services: 'fd96::/112', service: 'fd96::1' },
};

export const API_PORT = 6443;

export function planAddresses(settings: Pick<Settings, 'controlPlanes' | 'workers' | 'ipFamily'>): AddressPlan {
  const families = FAMILIES[settings.ipFamily];
  const networks = families.map((family) => NETWORKS[family]);
  const at = (host: number): string[] => networks.map(({ lan }) => lan(host));
  const nodes: NodePlan[] = [
    ...numbered(settings.controlPlanes).map(
      (n) => ({ name: `cp${n}`, role: 'control-plane', addresses: at(10 + n) }) as const,
    ),
    ...numbered(settings.workers).map((n) => ({ name: `w${n}`, role: 'worker', addresses: at(20 + n) }) as const),
  ];
  const outside = at(1);
  const server = settings.controlPlanes > 1 ? outside[0]! : nodes[0]!.addresses[0]!;
  return {
    nodes,
    outside,
    withPrefix: (address) => `${address}/${NETWORKS[isIPv6(address) ? 'ipv6' : 'ipv4'].prefix}`,
    podSubnets: networks.map(({ pods }) => pods),
    serviceSubnets: networks.map(({ services }) => services),
    service: networks[0]!.service,
    server,
    endpoint: hostAndPort(server, API_PORT),
  };
}

function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export function isIPv6(address: string): boolean {
  return address.includes(':');
}

/** Host and port as a URL has them. */
export function hostAndPort(address: string, port: number): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}
