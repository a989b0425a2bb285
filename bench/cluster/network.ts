import { API_PORT, hostAndPort, isIPv6, type AddressPlan, type NodePlan } from './addresses.ts';

/** Pod subnets of a node, as the controller-manager gave them out. */
export interface PodRanges {
  readonly name: string;
  readonly podCIDRs: readonly string[];
}

/**
 * The CNI configuration of a node: a point-to-point link for each Pod and no bridge, so that a Pod reaches another of
 * its node through a Service without help of the kernel's bridge filter.
 */
export function cniConfiguration(ranges: PodRanges): string {
  const routes = ranges.podCIDRs.map((range) => ({ dst: isIPv6(range) ? '::/0' : '0.0.0.0/0' }));
  const ipam = { type: 'host-local', ranges: ranges.podCIDRs.map((subnet) => [{ subnet }]), routes };
  const plugins = [
    { type: 'ptp', ipMasq: false, ipam },
    { type: 'portmap', capabilities: { portMappings: true } },
  ];
  return `${JSON.stringify({ cniVersion: '0.4.0', name: 'pods', plugins }, undefined, 2)}\n`;
}

/** Routes to the Pods of all other nodes, in the form of `ip -batch`. Without `of` they are those from outside. */
export function podRoutes(plan: AddressPlan, all: readonly PodRanges[], of?: NodePlan): string {
  const lines = [];
  for (const { name, podCIDRs } of all) {
    const node = plan.nodes.find((one) => one.name === name);
    if (node === undefined || node.name === of?.name) continue;
    for (const range of podCIDRs) {
      const via = node.addresses.find((address) => isIPv6(address) === isIPv6(range));
      if (via !== undefined) lines.push(`route replace ${range} via ${via}\n`);
    }
  }
  return lines.join('');
}

/** The load balancer: connections are passed on as they are, to servers that call themselves ready. */
export function haproxyConfiguration(plan: AddressPlan): string {
  const servers = plan.nodes.filter(({ role }) => role === 'control-plane');
  return `global
  maxconn 4096
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
frontend api
${plan.outside.map((address) => `  bind ${hostAndPort(address, API_PORT)}`).join('\n')}
  default_backend servers
backend servers
  balance roundrobin
  option redispatch
  option httpchk GET /readyz
  http-check expect status 200
  default-server check check-ssl verify none inter 1s fall 2 rise 1
${servers.map(({ name, addresses }) => `  server ${name} ${hostAndPort(addresses[0]!, API_PORT)}`).join('\n')}
`;
}

/**
 * A firewall as careful operators have it on a node, in the form of `nft -f`: what a kubeadm cluster needs comes in,
 * and nothing else.
 */
export function hostFirewall(node: NodePlan): string {
  const etcd = [2379, 2380];
  const ports = node.role === 'control-plane' ? [API_PORT, 10_250, ...etcd] : [10_250];
  return `table inet host-firewall {
  chain input {
    type filter hook input priority filter; policy drop;
    ct state established,related accept
    iifname "lo" accept
    meta l4proto { icmp, ipv6-icmp } accept
    tcp dport { ${ports.toSorted((a, b) => a - b).join(', ')} } accept
    tcp dport 30000-32767 accept
    udp dport 30000-32767 accept
  }
}
`;
}
