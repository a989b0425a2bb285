import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { addressesIn } from './addresses.ts';

const of = (...addresses: readonly string[]) => addresses.map((address) => ({ address, internal: false }));

test('addresses of a node are those of all its interfaces, and neither its own alone nor those of Services', () => {
  const found = addressesIn({
    lo: [
      { address: '127.0.0.1', internal: true },
      { address: '::1', internal: true },
    ],
    eth0: of('10.0.0.11', 'fd00::11', 'fe80::1', '10.0.0.100'),
    eth1: of('192.168.7.11', '10.0.0.11'),
    nodelocaldns: of('169.254.20.10'),
    'kube-ipvs0': of('10.96.0.1', '10.96.0.10'),
    wlan0: undefined,
  });
  expect(found).toEqual(['10.0.0.100', '10.0.0.11', '192.168.7.11', 'fd00::11']);
});

test('the interfaces of this computer can be read', () => {
  expect(addressesIn(networkInterfaces())).not.toContain('127.0.0.1');
});
