import { expect, test } from 'vitest';
import { conversionConfig } from './config.ts';

test('certificates are where kubeadm puts them, unless the configuration says otherwise', () => {
  expect(conversionConfig({ nodeName: 'n' }).certificatesDir).toBe('/etc/kubernetes/pki');
  expect(conversionConfig({ nodeName: 'n', certificatesDir: '' }).certificatesDir).toBe('/etc/kubernetes/pki');
  expect(conversionConfig({ nodeName: 'n', certificatesDir: '/x' }).certificatesDir).toBe('/x');
});

test('fields of a whole kubeadm configuration that are not read do no harm', () => {
  const config = {
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'ClusterConfiguration',
    networking: { podSubnet: '10.0.0.0/8' },
    certificatesDir: '/x',
    featureGates: { StoreCertsInSecrets: true, PublicKeysECDSA: false },
    nodeRegistration: { name: 'n', taints: [] },
  };
  expect(conversionConfig(config)).toEqual({
    nodeName: 'n',
    certificatesDir: '/x',
    featureGates: config.featureGates,
    storesCertsInSecrets: true,
  });
});
