import { expect, test } from 'vitest';
import {
  daemonSet,
  IDLE,
  manifestPath,
  nodeNameOf,
  podsOf,
  startedCluster,
  until,
} from '../../../../test/support/simulated.ts';
import type { PodObject } from '../../api.ts';
import type { PodSpec } from '../../objects.ts';
import type { SimulatedCluster } from '../cluster.ts';

function pod(name: string, spec: Partial<PodSpec> = {}): PodObject {
  const whole: PodSpec = { containers: [IDLE], ...spec };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: whole };
}

function asking(cpu: string): Partial<PodSpec> {
  return { containers: [{ ...IDLE, resources: { requests: { cpu } } }] };
}

function messageOf(cluster: SimulatedCluster, name: string): unknown {
  const conditions = podsOf(cluster, name)[0]?.status?.['conditions'] as readonly { readonly message?: string }[];
  return conditions?.[0]?.message;
}

test('a DaemonSet with a named container port beside the mirror Pod that has it waits for ever', async () => {
  const cluster = await startedCluster();
  const port = { name: 'probe-port', containerPort: 6443 };
  await cluster.connect().create(
    daemonSet('d', {
      pod: {
        hostNetwork: true,
        containers: [{ ...IDLE, ports: [port] }],
        nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
        tolerations: [{ operator: 'Exists' }],
      },
    }),
  );
  await cluster.clock.sleep(120_000);
  expect(podsOf(cluster, 'd-')).toMatchObject([{ status: { phase: 'Pending' } }]);
  expect(messageOf(cluster, 'd-')).toBe(
    "0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, " +
      "1 node(s) didn't match Pod's node affinity/selector.",
  );
  expect(podsOf(cluster, 'd-').map(nodeNameOf)).toEqual([undefined]);
  // As soon as the port is free it is placed.
  cluster.node('cp1').disk.remove(manifestPath('kube-apiserver'));
  await cluster.clock.sleep(10_000);
  expect(podsOf(cluster, 'd-').map(nodeNameOf)).toEqual([undefined]);
});

test('a port on the network of its own is no port of the host', async () => {
  const cluster = await startedCluster();
  const containers = [{ ...IDLE, ports: [{ containerPort: 80 }] }];
  await cluster.connect().create(pod('a', { containers }));
  await cluster.connect().create(pod('b', { containers }));
  await until(cluster, () => cluster.node('w1').pods.filter(({ isReady }) => isReady).length === 2);
});

test('a Pod waits for processors that others have, and is placed when they are free', async () => {
  const cluster = await startedCluster();
  const admin = cluster.connect();
  await admin.create(pod('a', asking('3')));
  await until(cluster, () => cluster.node('w1').pods.length === 1);
  await admin.create(pod('b', asking('1500m')));
  await cluster.clock.sleep(5000);
  expect(messageOf(cluster, 'b')).toBe(
    '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).',
  );
  await admin.delete({ kind: 'Pod', namespace: 'default', name: 'a' });
  await until(cluster, () => podsOf(cluster, 'b').map(nodeNameOf)[0] === 'w1');
});

test.each([
  [[], 'w1'],
  [[{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }], 'cp1'],
  [[{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoExecute' }], undefined],
  [[{ key: 'node-role.kubernetes.io/control-plane' }], 'cp1'],
  [[{ key: 'other', operator: 'Exists' }], undefined],
])('a Pod with the tolerations %j goes to %s', async (tolerations, name) => {
  const cluster = await startedCluster();
  const nodeSelector = name === 'w1' ? {} : { 'node-role.kubernetes.io/control-plane': '' };
  await cluster.connect().create(pod('a', { tolerations, nodeSelector }));
  await cluster.clock.sleep(5000);
  expect(podsOf(cluster, 'a').map(nodeNameOf)).toEqual([name]);
});

test('without a scheduler no Pod gets a node, but one that names its own runs', async () => {
  const cluster = await startedCluster();
  cluster.node('cp1').disk.remove(manifestPath('kube-scheduler'));
  await until(cluster, () => cluster.node('cp1').pods.length === 3);
  await cluster.connect().create(pod('a'));
  await cluster.connect().create(pod('b', { nodeName: 'w1' } as Partial<PodSpec>));
  await cluster.clock.sleep(60_000);
  expect(podsOf(cluster, 'a').map(nodeNameOf)).toEqual([undefined]);
  expect(cluster.node('w1').pods).toMatchObject([{ name: 'b', isReady: true }]);
});
