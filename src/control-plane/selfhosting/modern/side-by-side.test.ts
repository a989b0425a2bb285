import { expect, test } from 'vitest';
import { lines, manifest, withContainer, withFlags } from '../../../../test/support/manifests.ts';
import { relayPod } from './relay.ts';
import { checkSideBySide } from './side-by-side.ts';

const server = manifest('kube-apiserver');

test('a server may stand beside itself, beside its relay and beside one with other flags', () => {
  expect(checkSideBySide(server, server)).toEqual([]);
  expect(checkSideBySide(server, relayPod(server, { port: 6444 }).pod!)).toEqual([]);
  expect(checkSideBySide(server, withFlags(server, '--v=4'))).toEqual([]);
});

test.each([
  '--encryption-provider-config=/e.yaml',
  '--etcd-prefix=/other',
  '--etcd-servers=https://10.0.0.1:2379',
  '--service-account-issuer=https://other',
  '--service-account-key-file=/other.pub',
  '--service-account-signing-key-file=/other.key',
  '--service-cluster-ip-range=10.0.0.0/12',
  '--storage-media-type=application/json',
])('and not with %s', (flag) => {
  expect(lines(checkSideBySide(server, withFlags(server, flag)))).toEqual([
    'error SERVERS_DIFFER /spec/containers/0/command/28',
  ]);
  expect(lines(checkSideBySide(withFlags(server, flag), server))).toHaveLength(1);
});

test.each<[string, string, number]>([
  ['registry.k8s.io/kube-apiserver:v1.35.4', 'registry.k8s.io/kube-apiserver:v1.36.0', 0],
  ['registry.k8s.io/kube-apiserver:v1.35.4', 'registry.k8s.io/kube-apiserver:v1.37.2', 1],
  ['registry.k8s.io/kube-apiserver:v1.37.2', 'registry.k8s.io/kube-apiserver:v1.35.4', 1],
  ['registry:5000/kube-apiserver:v1.35', 'a@sha256:00', 0],
])('images %s and %s give %d problems', (first, second, count) => {
  const problems = checkSideBySide(withContainer(server, { image: first }), withContainer(server, { image: second }));
  expect(lines(problems)).toEqual(Array.from({ length: count }, () => 'error SERVERS_DIFFER /spec/containers/0/image'));
});
