import { describe, expect, test } from 'vitest';
import { planAddresses } from './addresses.ts';
import { cniConfiguration, haproxyConfiguration, hostFirewall, podRoutes } from './network.ts';

const plan = planAddresses({ controlPlanes: 2, workers: 1, ipFamily: 'dual' });
const ranges = [
  { name: 'cp1', podCIDRs: ['10.244.0.0/24', 'fd44::/64'] },
  { name: 'cp2', podCIDRs: ['10.244.1.0/24', 'fd44:0:0:1::/64'] },
  { name: 'w1', podCIDRs: ['10.244.2.0/24', 'fd44:0:0:2::/64'] },
];

describe('routes to Pods', () => {
  test('lead through the address of the same family, and not to the node itself', () => {
    expect(podRoutes(plan, ranges, plan.nodes[0])).toBe(
      [
        'route replace 10.244.1.0/24 via 10.89.0.12',
        'route replace fd44:0:0:1::/64 via fd89::12',
        'route replace 10.244.2.0/24 via 10.89.0.21',
        'route replace fd44:0:0:2::/64 via fd89::21',
        '',
      ].join('\n'),
    );
  });

  test('from outside lead to every node', () => {
    expect(podRoutes(plan, ranges).trim().split('\n')).toHaveLength(6);
  });

  test('leave a node out that is not of the cluster', () => {
    expect(podRoutes(plan, [{ name: 'x', podCIDRs: ['10.244.9.0/24'] }])).toBe('');
  });
});

test('Pods get addresses of each family, and a way out in each', () => {
  const { plugins } = JSON.parse(cniConfiguration(ranges[0]!)) as { plugins: { type: string; ipam?: object }[] };
  expect(plugins.map(({ type }) => type)).toEqual(['ptp', 'portmap']);
  expect(plugins[0]!.ipam).toEqual({
    type: 'host-local',
    ranges: [[{ subnet: '10.244.0.0/24' }], [{ subnet: 'fd44::/64' }]],
    routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
  });
});

test('the load balancer listens on each address, and asks every API server whether it is ready', () => {
  const text = haproxyConfiguration(plan);
  expect(text).toContain('  bind 10.89.0.1:6443\n  bind [fd89::1]:6443\n');
  expect(text).toContain('option httpchk GET /readyz');
  expect(text.match(/^ {2}server .*$/gm)).toEqual(['  server cp1 10.89.0.11:6443', '  server cp2 10.89.0.12:6443']);
});

test('a firewall lets etcd in on control planes alone', () => {
  const [cp1, , w1] = plan.nodes;
  expect(hostFirewall(cp1!)).toContain('tcp dport { 2379, 2380, 6443, 10250 } accept');
  expect(hostFirewall(w1!)).toContain('tcp dport { 10250 } accept');
  expect(hostFirewall(w1!)).toContain('policy drop');
});
