import { expect, test } from 'vitest';
import { unitText } from './boot.ts';

test('the unit comes after every firewall and before the kubelet, and only while the relay is on the disk', () => {
  const lines = unitText({
    command: ['/usr/sbin/nft', '-f'],
    rules: '',
    file: '/etc/kubernetes/manifests/kube-apiserver-relay.yaml',
  }).split('\n');
  expect(lines).toContain('ConditionPathExists=/etc/kubernetes/manifests/kube-apiserver-relay.yaml');
  expect(lines).toContain('Before=kubelet.service');
  expect(lines).toContain('ExecStart=/usr/sbin/nft -f /etc/kubernetes/bootlace/redirect.rules');
  expect(lines.find((line) => line.startsWith('After='))).toContain('nftables.service');
});
