import { describe, expect, test } from 'vitest';
import { lines, manifest, MANIFESTS, withContainer, withFlags, withSpec } from '../../../../test/support/manifests.ts';
import type { Pod } from '../../../cluster/objects.ts';
import { accountFor } from './accounting.ts';
import { convertDaemonSet, convertStaticPod } from './convert.ts';

const SECRETS = { nodeName: 'n1', certificates: 'secrets' } as const;
const server = manifest('kube-apiserver');
const manager = manifest('kube-controller-manager');
const scheduler = manifest('kube-scheduler');

function errorsOf(pod: Pod): readonly string[] {
  return lines(convertStaticPod(pod, SECRETS).problems).filter((line) => line.startsWith('error'));
}

test('certificates stay on the disk of the node unless Secrets are asked for', () => {
  const { daemonSet, secrets } = convertStaticPod(server, { nodeName: 'n1' });
  expect(secrets).toEqual([]);
  expect(daemonSet!.spec.template.spec.volumes).toEqual(server.spec.volumes);
});

test('every file of an API server is covered, those of etcd and the signing key among them', () => {
  const { secrets, daemonSet } = convertStaticPod(server, SECRETS);
  expect(secrets.map(({ name, volume }) => ({ name, volume }))).toEqual([
    { name: 'self-hosted-kube-apiserver-n1-k8s-certs', volume: 'k8s-certs' },
  ]);
  expect(secrets[0]!.entries).toContainEqual({
    key: 'etcd.ca.crt',
    file: '/etc/kubernetes/pki/etcd/ca.crt',
    path: 'etcd/ca.crt',
  });
  expect(secrets[0]!.entries).toContainEqual({ key: 'sa.key', file: '/etc/kubernetes/pki/sa.key', path: 'sa.key' });
  expect(secrets[0]!.entries).toHaveLength(13);
  const volume = daemonSet!.spec.template.spec.volumes!.find(({ name }) => name === 'k8s-certs')!;
  expect(volume).not.toHaveProperty('hostPath');
  expect(volume.secret).toMatchObject({ secretName: 'self-hosted-kube-apiserver-n1-k8s-certs' });
  expect(volume.secret!['items']).toContainEqual({ key: 'etcd.ca.crt', path: 'etcd/ca.crt' });
});

test('a kubeconfig that is mounted as a file stays a file, so that all three flags stay right', () => {
  const { daemonSet, secrets } = convertStaticPod(scheduler, SECRETS);
  expect(secrets).toEqual([
    {
      name: 'self-hosted-kube-scheduler-n1-kubeconfig',
      volume: 'kubeconfig',
      entries: [{ key: 'scheduler.conf', file: '/etc/kubernetes/scheduler.conf', path: 'scheduler.conf' }],
    },
  ]);
  const { containers } = daemonSet!.spec.template.spec;
  expect(containers[0]!.command).toEqual(scheduler.spec.containers[0]!.command);
  expect(containers[0]!.volumeMounts).toEqual([
    { mountPath: '/etc/kubernetes/scheduler.conf', name: 'kubeconfig', readOnly: true, subPath: 'scheduler.conf' },
  ]);
});

test('each DaemonSet is of one node, for certificates and kubeconfigs are', () => {
  expect(convertStaticPod(scheduler, SECRETS).daemonSet!.metadata.name).toBe('self-hosted-kube-scheduler-n1');
  expect(lines(convertStaticPod(scheduler, { certificates: 'secrets' }).problems)).toEqual(['error NODE_UNNAMED ']);
});

test('keys that issue credentials are warned of, and no others', () => {
  const warned = (pod: Pod) =>
    convertStaticPod(pod, SECRETS)
      .problems.map(({ severity, code, message }) => `${severity} ${code} ${message.split('"')[1]}`)
      .toSorted();
  expect(warned(manager)).toEqual([
    'warning SECRET_KEY_EXPOSED /etc/kubernetes/pki/ca.key',
    'warning SECRET_KEY_EXPOSED /etc/kubernetes/pki/sa.key',
  ]);
  expect(warned(server)).toEqual(['warning SECRET_KEY_EXPOSED /etc/kubernetes/pki/sa.key']);
  expect(warned(manifest('kube-controller-manager', 'external-ca'))).toEqual([
    'warning SECRET_KEY_EXPOSED /etc/kubernetes/pki/sa.key',
  ]);
});

describe('refused', () => {
  const [mount, ...mounts] = server.spec.containers[0]!.volumeMounts!.toSorted((a) =>
    a.name === 'k8s-certs' ? -1 : 1,
  );
  test.each<[string, Pod, RegExp]>([
    ['a file in no volume', withFlags(server, '--oidc-ca-file=/somewhere/ca.crt'), /\/command\/28$/],
    [
      'a file among those that the system trusts',
      withFlags(server, '--oidc-ca-file=/etc/ssl/certs/ca.crt'),
      /\/command\/28$/,
    ],
    [
      'a file whose folder may be written to',
      withContainer(server, { volumeMounts: [{ name: mount!.name, mountPath: mount!.mountPath }, ...mounts] }),
      /command/,
    ],
    [
      'a file in a part of a volume',
      withContainer(server, { volumeMounts: [{ ...mount!, subPath: 'x' }, ...mounts] }),
      /command/,
    ],
    [
      'a file that another container mounts',
      withSpec(server, { containers: [...server.spec.containers, { name: 's', volumeMounts: [mount!] }] }),
      /command/,
    ],
    [
      'a configuration beside certificates',
      withFlags(server, '--encryption-provider-config=/etc/kubernetes/pki/e.yaml'),
      /\/command\/28$/,
    ],
    [
      'a flag that points into the folder and is not known',
      withFlags(server, '--unknown=/etc/kubernetes/pki/x'),
      /\/command\/28$/,
    ],
    [
      'two files that would share a key',
      withFlags(server, '--oidc-ca-file=/etc/kubernetes/pki/etcd.ca.crt'),
      /command/,
    ],
  ])('%s', (_, pod, path) => {
    const errors = errorsOf(pod);
    expect(errors).not.toEqual([]);
    for (const line of errors) expect(line).toMatch(/^error SECRET_UNCOVERED /);
    expect(errors.some((line) => path.test(line))).toBe(true);
    expect(convertStaticPod(pod, SECRETS).daemonSet).toBeUndefined();
  });
});

test('a configuration in a folder of its own stays on the disk of the node', () => {
  const pod = manifest('kube-apiserver', 'audit-encryption');
  expect(errorsOf(pod)).toEqual([]);
  expect(convertStaticPod(pod, SECRETS).secrets.map(({ volume }) => volume)).toEqual(['k8s-certs']);
});

test('certificates of an external etcd come from a Secret of their own', () => {
  const { secrets } = convertStaticPod(manifest('kube-apiserver', 'external-etcd'), SECRETS);
  expect(secrets.map(({ volume }) => volume)).toEqual(['etcd-certs-0', 'k8s-certs']);
});

test.each(MANIFESTS)('$name: with Secrets as well nothing is lost, and it comes back', ({ pod }) => {
  const conversion = convertStaticPod(pod, SECRETS);
  const accounts = accountFor(pod, { ...conversion, output: conversion.daemonSet!.spec.template });
  expect(accounts.filter(({ verdict }) => verdict === 'lost')).toEqual([]);
  expect(convertDaemonSet(conversion.daemonSet!).pod).toEqual(pod);
});

describe('Secrets of what kubeadm makes', () => {
  const conversions = MANIFESTS.map(({ name, pod }) => ({
    name,
    ...convertStaticPod(pod, { nodeName: 'cp1.example.com', certificates: 'secrets' }),
  }));

  test('have names and keys that the API takes, for every manifest of kubeadm', () => {
    for (const { name, secrets } of conversions) {
      expect(secrets.length, name).toBeGreaterThan(0);
      for (const secret of secrets) {
        expect(secret.name, name).toMatch(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
        for (const { key } of secret.entries) expect(key, name).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
      }
    }
  });

  test('are mounted nowhere inside another volume, for every manifest of kubeadm', () => {
    for (const { name, daemonSet, secrets } of conversions) {
      const mounts = daemonSet!.spec.template.spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
      const fromSecrets = mounts.filter((mount) => secrets.some(({ volume }) => volume === mount.name));
      expect(fromSecrets.length, name).toBeGreaterThan(0);
      for (const { mountPath } of fromSecrets)
        for (const other of mounts) expect(mountPath.startsWith(`${other.mountPath}/`), name).toBe(false);
    }
  });
});
