import { describe, expect, test } from 'vitest';
import { kubeletFlagsOf, SEED, v040, v114, variablesOf } from '../../../test/support/options.ts';

/** The base flags that both profiles share on every version of Kubernetes. */
const COMMON = {
  '--address': '0.0.0.0',
  '--anonymous-auth': 'false',
  '--authentication-token-webhook': 'true',
  '--authorization-mode': 'Webhook',
  '--cgroups-per-qos': 'true',
  '--client-ca-file': '/etc/kubernetes/certs/ca.crt',
  '--cloud-provider': 'external',
  '--cluster-dns': '10.0.0.10',
  '--cluster-domain': 'cluster.local',
  '--enforce-node-allocatable': 'pods',
  '--event-qps': '0',
  '--eviction-hard': 'memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%',
  '--image-gc-high-threshold': '85',
  '--image-gc-low-threshold': '80',
  '--kubeconfig': '/var/lib/kubelet/kubeconfig',
  '--max-pods': '110',
  '--node-status-update-frequency': '10s',
  '--pod-manifest-path': '/etc/kubernetes/manifests',
  '--pod-max-pids': '-1',
  '--protect-kernel-defaults': 'true',
  '--read-only-port': '0',
  '--resolv-conf': '/run/systemd/resolve/resolv.conf',
  '--rotate-certificates': 'true',
  '--streaming-connection-idle-timeout': '4h',
  '--tls-cert-file': '/etc/kubernetes/certs/kubeletserver.crt',
  '--tls-cipher-suites': [
    'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
    'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
    'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    'TLS_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_RSA_WITH_AES_128_GCM_SHA256',
  ].join(','),
  '--tls-private-key-file': '/etc/kubernetes/certs/kubeletserver.key',
};

const PAUSE = 'mcr.microsoft.com/oss/kubernetes/pause:3.6';

describe('base flags', () => {
  test('aks/v0.4.0 has 31, the same on every version', () => {
    const expected = {
      ...COMMON,
      '--azure-container-registry-config': '/etc/kubernetes/azure.json',
      '--cloud-config': '/etc/kubernetes/azure.json',
      '--keep-terminated-pod-volumes': 'false',
      '--pod-infra-container-image': PAUSE,
    };
    expect(kubeletFlagsOf(v040(), SEED)).toEqual(expected);
    expect(Object.keys(expected)).toHaveLength(31);
  });

  test('aks/v1.14 on 1.29 fetches registry credentials in the old way', () => {
    expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.29.5' }))).toEqual({
      ...COMMON,
      '--azure-container-registry-config': '/etc/kubernetes/azure.json',
      '--cloud-config': '/etc/kubernetes/azure.json',
      '--feature-gates': 'DisableKubeletCloudCredentialProviders=false',
      '--keep-terminated-pod-volumes': 'false',
      '--pod-infra-container-image': PAUSE,
    });
  });

  test('aks/v1.14 on 1.35 has the common flags and the credential provider alone', () => {
    expect(kubeletFlagsOf(v114({ kubernetesVersion: '1.35.5' }))).toEqual({
      ...COMMON,
      '--image-credential-provider-bin-dir': '/var/lib/kubelet/credential-provider',
      '--image-credential-provider-config': '/var/lib/kubelet/credential-provider-config.yaml',
    });
  });
});

describe('values that differ between the profiles', () => {
  const seed = variablesOf(v040(), SEED);
  const today = variablesOf(v114());

  test.each([
    ['VM_TYPE', 'vmss', 'standard'],
    ['CONFIG_GPU_DRIVER_IF_NEEDED', 'true', 'false'],
    ['CREDENTIAL_PROVIDER_DOWNLOAD_URL', undefined, expect.stringContaining('/v1.33.0/')],
    ['ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION', undefined, 'false'],
    ['GPU_DRIVER_TYPE', undefined, ''],
    ['MCR_REPOSITORY_BASE', undefined, 'mcr.microsoft.com'],
    ['ENABLE_IMDS_RESTRICTION', undefined, 'false'],
    ['INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE', undefined, 'false'],
    ['CSE_TIMEOUT', undefined, '15m'],
  ])('%s is %s on aks/v0.4.0 and %s on aks/v1.14', (name, before, now) => {
    expect(seed[name]).toEqual(before);
    expect(today[name]).toEqual(now);
  });

  test('the bridge is looked after on kubenet without Calico alone, and never on aks/v1.14', () => {
    const name = 'ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE';
    expect(variablesOf(v040({ networkPlugin: 'kubenet' }), SEED)[name]).toBe('true');
    expect(variablesOf(v040({ networkPlugin: 'kubenet', networkPolicy: 'calico' }), SEED)[name]).toBe('false');
    expect(seed[name]).toBe('false');
    expect(variablesOf(v114({ networkPlugin: 'kubenet' }), { lenient: true })[name]).toBe('false');
  });

  test('download URLs carry the architecture', () => {
    for (const name of ['KUBE_BINARY_URL', 'VNET_CNI_PLUGINS_URL', 'CNI_PLUGINS_URL']) {
      const url = variablesOf(v114({ arch: 'arm64' }))[name];
      expect(url).toContain('linux-arm64');
      expect(url).not.toContain('amd64');
    }
  });
});
