import { API_PORT, isIPv6, type NodePlan } from './addresses.ts';
import type { Cluster } from './bench.ts';
import { REPOSITORY } from './repository.ts';

/** What nodes join a cluster with. The cluster forgets it after two hours. */
export interface JoinSecrets {
  /** Bootstrap token of the form abcdef.0123456789abcdef. */
  readonly token: string;
  /** 32 bytes in hexadecimal, for the certificates that control planes share. */
  readonly certificateKey: string;
}

const API_VERSION = 'kubeadm.k8s.io/v1beta4';

/** What kubeadm needs to know to name images. Without a node name it takes this computer's, which may be none for it. */
export function imageConfiguration(kubernetes: string): string {
  return documents([
    { apiVersion: API_VERSION, kind: 'InitConfiguration', nodeRegistration: { name: 'node' } },
    {
      apiVersion: API_VERSION,
      kind: 'ClusterConfiguration',
      kubernetesVersion: kubernetes,
      imageRepository: REPOSITORY,
    },
  ]);
}

/** The file of `kubeadm init` on the first control-plane node. */
export function initConfiguration(cluster: Cluster, node: NodePlan, secrets: JoinSecrets): string {
  const { settings, plan } = cluster;
  return documents([
    {
      apiVersion: API_VERSION,
      kind: 'InitConfiguration',
      bootstrapTokens: [{ token: secrets.token, ttl: '2h0m0s' }],
      certificateKey: secrets.certificateKey,
      localAPIEndpoint: { advertiseAddress: node.addresses[0], bindPort: API_PORT },
      nodeRegistration: {
        ...registration(node),
        // As a user of a cluster without workers has it, so that Pods have a place.
        ...(settings.workers === 0 && { taints: [] }),
      },
    },
    {
      apiVersion: API_VERSION,
      kind: 'ClusterConfiguration',
      kubernetesVersion: settings.kubernetes,
      imageRepository: REPOSITORY,
      ...(settings.controlPlanes > 1 && { controlPlaneEndpoint: plan.endpoint }),
      networking: { podSubnet: plan.podSubnets.join(','), serviceSubnet: plan.serviceSubnets.join(',') },
    },
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      cgroupDriver: 'cgroupfs',
      failCgroupV1: false,
      failSwapOn: false,
      // The disk and the memory are this computer's, and what others take of it is no reason to evict a Pod.
      evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    },
  ]);
}

/** The file of `kubeadm join`. */
export function joinConfiguration(cluster: Cluster, node: NodePlan, secrets: JoinSecrets, caHash: string): string {
  return documents([
    {
      apiVersion: API_VERSION,
      kind: 'JoinConfiguration',
      discovery: {
        bootstrapToken: { apiServerEndpoint: cluster.plan.endpoint, token: secrets.token, caCertHashes: [caHash] },
      },
      nodeRegistration: registration(node),
      ...(node.role === 'control-plane' && {
        controlPlane: {
          localAPIEndpoint: { advertiseAddress: node.addresses[0], bindPort: API_PORT },
          certificateKey: secrets.certificateKey,
        },
      }),
    },
  ]);
}

function registration(node: NodePlan): object {
  return {
    name: node.name,
    criSocket: 'unix:///run/containerd/containerd.sock',
    kubeletExtraArgs: [{ name: 'node-ip', value: node.addresses.join(',') }],
  };
}

/** The file of kube-proxy on each node. It changes nothing that belongs to the whole computer. */
export function kubeProxyConfiguration(cluster: Cluster, kubeconfig: string): string {
  const { settings, plan } = cluster;
  return documents([
    {
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: settings.proxy,
      bindAddress: isIPv6(plan.service) ? '::' : '0.0.0.0',
      clusterCIDR: plan.podSubnets.join(','),
      clientConnection: { kubeconfig },
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    },
  ]);
}

function documents(list: readonly object[]): string {
  return list.map((one) => `${JSON.stringify(one, undefined, 2)}\n`).join('---\n');
}
