import { expect, test } from 'vitest';
import { hostAndPort, planAddresses } from './addresses.ts';

test('one control plane is its own endpoint', () => {
  const plan = planAddresses({ controlPlanes: 1, workers: 2, ipFamily: 'ipv4' });
  expect(plan.nodes).toEqual([
    { name: 'cp1', role: 'control-plane', addresses: ['10.89.0.11'] },
    { name: 'w1', role: 'worker', addresses: ['10.89.0.21'] },
    { name: 'w2', role: 'worker', addresses: ['10.89.0.22'] },
  ]);
  expect(plan.endpoint).toBe('10.89.0.11:6443');
  expect(plan.withPrefix('10.89.0.11')).toBe('10.89.0.11/24');
});

test('several control planes have the load balancer as their endpoint', () => {
  const plan = planAddresses({ controlPlanes: 3, workers: 0, ipFamily: 'ipv6' });
  expect(plan.endpoint).toBe('[fd89::1]:6443');
  expect(plan.service).toBe('fd96::1');
  expect(plan.withPrefix(plan.outside[0]!)).toBe('fd89::1/64');
});

test('with both families every node has an address of each, IPv4 first', () => {
  const plan = planAddresses({ controlPlanes: 1, workers: 0, ipFamily: 'dual' });
  expect(plan.nodes[0]!.addresses).toEqual(['10.89.0.11', 'fd89::11']);
  expect(plan.podSubnets).toHaveLength(2);
  expect(plan.service).toBe('10.96.0.1');
});

test('the most nodes that settings allow have different addresses', () => {
  const { nodes, outside } = planAddresses({ controlPlanes: 7, workers: 32, ipFamily: 'dual' });
  const addresses = [...nodes.flatMap((node) => node.addresses), ...outside];
  expect(new Set(addresses).size).toBe(addresses.length);
});

test('a port stands behind brackets for IPv6', () => {
  expect([hostAndPort('10.0.0.1', 1), hostAndPort('fd::1', 1)]).toEqual(['10.0.0.1:1', '[fd::1]:1']);
});
