import { describe, expect, test } from 'vitest';
import { parseDocuments } from '../../format/documents.ts';
import type { Pod } from '../objects.ts';
import { createSimulatedCluster, type SimulatedClusterSettings } from './cluster.ts';
import { stockManifests } from './stock.ts';

const STOCK = stockManifests({ address: '10.0.0.11' });

function textIn(settings: SimulatedClusterSettings = {}): string {
  const cluster = createSimulatedCluster(settings);
  return cluster.find('ConfigMap', 'kube-system', 'kubeadm-config')!.data!['ClusterConfiguration']!;
}

function configurationIn(settings: SimulatedClusterSettings = {}): unknown {
  return parseDocuments(textIn(settings))[0]!.value;
}

/** Stock manifests, with more flags in one of them. */
function withFlags(component: string, ...flags: readonly string[]): Readonly<Record<string, string>> {
  const pod = JSON.parse(STOCK[`${component}.yaml`]!) as Pod;
  const containers = pod.spec.containers.map((container) => ({
    ...container,
    command: [...container.command!, ...flags],
  }));
  return { ...STOCK, [`${component}.yaml`]: JSON.stringify({ ...pod, spec: { ...pod.spec, containers } }) };
}

describe('the configuration that kubeadm keeps of a simulated cluster', () => {
  test('is that of a cluster for which nobody asked for anything', () => {
    expect(textIn()).toMatchInlineSnapshot(`
      "apiServer: {}
      apiVersion: kubeadm.k8s.io/v1beta4
      caCertificateValidityPeriod: 87600h0m0s
      certificateValidityPeriod: 8760h0m0s
      certificatesDir: /etc/kubernetes/pki
      clusterName: kubernetes
      controllerManager: {}
      dns: {}
      encryptionAlgorithm: RSA-2048
      etcd:
        local:
          dataDir: /var/lib/etcd
      imageRepository: registry.k8s.io
      kind: ClusterConfiguration
      kubernetesVersion: v1.35.4
      networking:
        dnsDomain: cluster.local
        serviceSubnet: 10.96.0.0/12
      proxy: {}
      scheduler: {}
      "
    `);
  });

  test.each([
    ['kube-apiserver', 'apiServer'],
    ['kube-controller-manager', 'controllerManager'],
    ['kube-scheduler', 'scheduler'],
  ])('has the flags of %s that kubeadm would not give by itself, repeated ones too', (component, field) => {
    const flags = ['--v=4', '--bind_address', '0.0.0.0', '--profiling', '--v=5'];
    const extraArgs = [
      { name: 'bind-address', value: '0.0.0.0' },
      { name: 'profiling', value: 'true' },
      { name: 'v', value: '4' },
      { name: 'v', value: '5' },
    ];
    expect(configurationIn({ manifests: withFlags(component, ...flags) })).toMatchObject({ [field]: { extraArgs } });
  });

  test('has flags of kubeadm that somebody gave another value', () => {
    const manifests = withFlags('kube-apiserver', '--authorization-mode=RBAC', '--secure-port=7443');
    const extraArgs = [{ name: 'authorization-mode', value: 'RBAC' }];
    expect(configurationIn({ manifests })).toMatchObject({ apiServer: { extraArgs } });
  });

  test('has the flags of etcd where it is on the node, and how to get there where it is elsewhere', () => {
    expect(configurationIn({ manifests: withFlags('etcd', '--quota-backend-bytes=1') })).toMatchObject({
      etcd: { local: { dataDir: '/var/lib/etcd', extraArgs: [{ name: 'quota-backend-bytes', value: '1' }] } },
    });
    const { 'etcd.yaml': _etcd, ...manifests } = STOCK;
    expect(configurationIn({ manifests })).toMatchObject({
      etcd: { external: { endpoints: ['https://127.0.0.1:2379'], caFile: '/etc/kubernetes/pki/etcd/ca.crt' } },
    });
  });

  test('names the load balancer where there is one', () => {
    expect(configurationIn()).not.toHaveProperty('controlPlaneEndpoint');
    expect(configurationIn({ controlPlanes: 3 })).toMatchObject({ controlPlaneEndpoint: '10.0.0.2:6443' });
  });

  test.each([
    ['registry.k8s.io/', 'bench.local:5000/k8s/', 'bench.local:5000/k8s'],
    ['registry.k8s.io/', '', 'registry.k8s.io'],
  ])('says where images come from (%s as "%s": %s)', (stock, other, imageRepository) => {
    const manifests = Object.fromEntries(
      Object.entries(STOCK).map(([name, text]) => [name, text.replaceAll(stock, other)]),
    );
    expect(configurationIn({ manifests })).toMatchObject({ imageRepository });
  });

  test('has the networks of the cluster', () => {
    const manifests = withFlags('kube-controller-manager', '--cluster-cidr=10.244.0.0/16');
    expect(configurationIn({ manifests })).toMatchObject({
      networking: { dnsDomain: 'cluster.local', podSubnet: '10.244.0.0/16', serviceSubnet: '10.96.0.0/12' },
      controllerManager: {},
    });
  });
});
