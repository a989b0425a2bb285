import { expect, test } from 'vitest';
import { unitText } from './boot.ts';

test('the unit comes after every firewall and before the kubelet, and only while the relay is on the disk', () => {
  const lines = unitText({
    parts: [{ command: ['/usr/sbin/nft', '-f'], rules: '' }],
    file: '/etc/kubernetes/manifests/kube-apiserver-relay.yaml',
  }).split('\n');
  expect(lines).toContain('ConditionPathExists=/etc/kubernetes/manifests/kube-apiserver-relay.yaml');
  expect(lines).toContain('Before=kubelet.service');
  expect(lines).toContain('ExecStart=/usr/sbin/nft -f /etc/kubernetes/bootlace/redirect.rules');
  expect(lines.find((line) => line.startsWith('After='))).toContain('nftables.service');
});

test('the unit sets the rules of both families where each has a program of its own', () => {
  const parts = ['iptables', 'ip6tables'].map((name) => ({
    command: [`/sbin/${name}-restore`, '--noflush'],
    rules: '',
  }));
  expect(unitText({ parts, file: '/relay.yaml' }).match(/^ExecStart=.*$/gm)).toEqual([
    'ExecStart=/sbin/iptables-restore --noflush /etc/kubernetes/bootlace/redirect.rules',
    'ExecStart=/sbin/ip6tables-restore --noflush /etc/kubernetes/bootlace/redirect-2.rules',
  ]);
});
