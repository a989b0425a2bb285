import { describe, expect, test } from 'vitest';
import { nodeNameIn, runtimeEndpointIn } from './kubelet.ts';

describe('the socket of the runtime', () => {
  test('is that of the flags before that of a configuration', () => {
    const configs = ['containerRuntimeEndpoint: unix:///run/crio/crio.sock\n'];
    const flags = 'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock --v=2"\n';
    expect(runtimeEndpointIn({ flags, configs })).toBe('/run/containerd/containerd.sock');
    expect(runtimeEndpointIn({ configs })).toBe('/run/crio/crio.sock');
  });

  test('may be the last of the flags', () => {
    const flags = 'KUBELET_KUBEADM_ARGS="--v=2 --container-runtime-endpoint=/run/x.sock"\n';
    expect(runtimeEndpointIn({ flags, configs: [] })).toBe('/run/x.sock');
  });

  test('is that of the first configuration that has one', () => {
    const configs = [undefined, 'containerRuntimeEndpoint: ""\n', 'containerRuntimeEndpoint: unix:///run/y.sock\n'];
    expect(runtimeEndpointIn({ configs })).toBe('/run/y.sock');
    expect(runtimeEndpointIn({ configs: ['kind: KubeletConfiguration\n', ''] })).toBeUndefined();
  });
});

test('a text without a certificate names no node', () => {
  expect(nodeNameIn('')).toBeUndefined();
  expect(nodeNameIn('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')).toBeUndefined();
});
