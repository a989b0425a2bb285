import { expect, test } from 'vitest';
import { manifest, MANIFESTS, withFlags } from '../../../../test/support/manifests.ts';
import type { ControlPlaneComponent } from '../labels.ts';
import { neededFiles } from './certificates.ts';

function filesOf(component: ControlPlaneComponent, pod = manifest(component)): readonly string[] {
  return neededFiles(component, pod.spec.containers[0]!).map(({ flag, path, kind }) => `${kind} ${path} for --${flag}`);
}

const PKI = '/etc/kubernetes/pki';

test('an API server needs these', () => {
  expect(filesOf('kube-apiserver')).toEqual([
    `certificate ${PKI}/ca.crt for --client-ca-file`,
    `certificate ${PKI}/etcd/ca.crt for --etcd-cafile`,
    `certificate ${PKI}/apiserver-etcd-client.crt for --etcd-certfile`,
    `key ${PKI}/apiserver-etcd-client.key for --etcd-keyfile`,
    `certificate ${PKI}/apiserver-kubelet-client.crt for --kubelet-client-certificate`,
    `key ${PKI}/apiserver-kubelet-client.key for --kubelet-client-key`,
    `certificate ${PKI}/front-proxy-client.crt for --proxy-client-cert-file`,
    `key ${PKI}/front-proxy-client.key for --proxy-client-key-file`,
    `certificate ${PKI}/front-proxy-ca.crt for --requestheader-client-ca-file`,
    `certificate ${PKI}/sa.pub for --service-account-key-file`,
    `token-key ${PKI}/sa.key for --service-account-signing-key-file`,
    `certificate ${PKI}/apiserver.crt for --tls-cert-file`,
    `key ${PKI}/apiserver.key for --tls-private-key-file`,
  ]);
});

test('a controller-manager needs these, the front-proxy CA among them', () => {
  expect(filesOf('kube-controller-manager')).toEqual([
    'kubeconfig /etc/kubernetes/controller-manager.conf for --authentication-kubeconfig',
    'kubeconfig /etc/kubernetes/controller-manager.conf for --authorization-kubeconfig',
    `certificate ${PKI}/ca.crt for --client-ca-file`,
    `certificate ${PKI}/ca.crt for --cluster-signing-cert-file`,
    `ca-key ${PKI}/ca.key for --cluster-signing-key-file`,
    'kubeconfig /etc/kubernetes/controller-manager.conf for --kubeconfig',
    `certificate ${PKI}/front-proxy-ca.crt for --requestheader-client-ca-file`,
    `certificate ${PKI}/ca.crt for --root-ca-file`,
    `token-key ${PKI}/sa.key for --service-account-private-key-file`,
  ]);
});

test('a scheduler needs its kubeconfig three times', () => {
  expect(filesOf('kube-scheduler')).toEqual(
    ['authentication-kubeconfig', 'authorization-kubeconfig', 'kubeconfig'].map(
      (flag) => `kubeconfig /etc/kubernetes/scheduler.conf for --${flag}`,
    ),
  );
});

test('an external CA leaves no key to need', () => {
  const pod = manifest('kube-controller-manager', 'external-ca');
  expect(filesOf('kube-controller-manager', pod).filter((line) => line.includes('signing'))).toEqual([]);
});

test('an external etcd has its files elsewhere', () => {
  const files = filesOf('kube-apiserver', manifest('kube-apiserver', 'external-etcd'));
  expect(files).toContain('key /etc/etcd/client.key for --etcd-keyfile');
});

test('a repeated flag needs each of its files, and a pair for further names needs both', () => {
  const pod = withFlags(
    manifest('kube-apiserver'),
    '--service-account-key-file=/old.pub',
    '--tls-sni-cert-key=/a.crt,/a.key:a.example,b.example',
  );
  expect(filesOf('kube-apiserver', pod)).toEqual(
    expect.arrayContaining([
      `certificate ${PKI}/sa.pub for --service-account-key-file`,
      'certificate /old.pub for --service-account-key-file',
      'certificate /a.crt for --tls-sni-cert-key',
      'key /a.key for --tls-sni-cert-key',
    ]),
  );
});

test('in no manifest does a flag with the path of a file go unnoticed', () => {
  for (const { name, component, pod } of MANIFESTS) {
    const container = pod.spec.containers[0]!;
    const needed = neededFiles(component as ControlPlaneComponent, container).map(
      ({ flag, path }) => `--${flag}=${path}`,
    );
    const others = container.command!.filter((element) => /=\//.test(element) && !needed.includes(element));
    expect(
      others.filter((element) => !element.startsWith('--audit-log-path=')),
      name,
    ).toEqual([]);
  }
});
