import type { Cluster } from '../cluster/bench.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { runOnNode } from '../cluster/machines.ts';

const ON_NODE =
  'ls -d /etc/kubernetes/bootlace /etc/systemd/system/*bootlace* /etc/systemd/system/kubelet.service.wants 2> /dev/null; ' +
  'nft list tables | grep bootlace; iptables-save -t nat | grep -i bootlace; ' +
  'ls /etc/kubernetes/manifests -A | grep -v "^\\(etcd\\|kube-[a-z-]*\\).yaml$"; ' +
  'ls /etc/kubernetes/manifests -A | grep "\\(relay\\|standby\\)"; true';

const KINDS =
  'daemonsets,leases,configmaps,endpointslices,validatingadmissionpolicies,validatingadmissionpolicybindings';

/** What of bootlace is on a node and in the cluster, but for the program and its Events. */
export async function remainsOn(cluster: Cluster, node: string): Promise<readonly string[]> {
  const onDisk = await runOnNode(cluster, node, ['bash', '-c', ON_NODE]);
  const objects = await kubectl(cluster, ['get', KINDS, '--all-namespaces', '--output', 'name']);
  const labels = await kubectl(cluster, ['get', 'node', node, '--output', 'jsonpath={.metadata.labels}']);
  return [
    ...onDisk.split('\n').filter((line) => line !== ''),
    ...objects.split('\n').filter((name) => /bootlace|self-hosted/.test(name)),
    ...(labels.includes('bootlace') ? [labels] : []),
  ];
}
