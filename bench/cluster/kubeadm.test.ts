import { expect, test } from 'vitest';
import { clusterOf } from './bench.ts';
import { initConfiguration, joinConfiguration, kubeProxyConfiguration } from './kubeadm.ts';
import { readSettings, type SettingFlags } from './settings.ts';

const secrets = { token: 'abcdef.0123456789abcdef', certificateKey: 'ff' };
const cluster = (flags: SettingFlags = {}) =>
  clusterOf({ state: '/state', cache: '/cache', cgroup: 'bootlace-x' }, readSettings(flags));
const parse = (text: string): Record<string, any>[] => text.split('---\n').map((one) => JSON.parse(one)); // eslint-disable-line

test('a control plane with workers keeps its taint, and one without has none', () => {
  const withWorkers = cluster();
  const alone = cluster({ workers: '0' });
  const node = withWorkers.plan.nodes[0]!;
  const registration = (one: typeof alone) => parse(initConfiguration(one, node, secrets))[0]!['nodeRegistration'];
  expect(registration(withWorkers)).not.toHaveProperty('taints');
  expect(registration(alone).taints).toEqual([]);
});

test('only several control planes have an endpoint that is none of theirs', () => {
  const init = (one: ReturnType<typeof cluster>) => parse(initConfiguration(one, one.plan.nodes[0]!, secrets))[1]!;
  expect(init(cluster())).not.toHaveProperty('controlPlaneEndpoint');
  expect(init(cluster({ 'control-planes': '3' }))['controlPlaneEndpoint']).toBe('10.89.0.1:6443');
});

test('a node of both families tells its kubelet both addresses', () => {
  const one = cluster({ 'ip-family': 'dual' });
  const [, , worker] = [...one.plan.nodes, one.plan.nodes.at(-1)!];
  const [join] = parse(joinConfiguration(one, worker!, secrets, 'sha256:0'));
  expect(join!['nodeRegistration'].kubeletExtraArgs).toEqual([{ name: 'node-ip', value: '10.89.0.21,fd89::21' }]);
  expect(join).not.toHaveProperty('controlPlane');
});

test('a control plane joins with the key of the certificates', () => {
  const one = cluster({ 'control-planes': '2' });
  const [join] = parse(joinConfiguration(one, one.plan.nodes[1]!, secrets, 'sha256:0'));
  expect(join!['controlPlane']).toEqual({
    localAPIEndpoint: { advertiseAddress: '10.89.0.12', bindPort: 6443 },
    certificateKey: 'ff',
  });
});

test('kube-proxy leaves the settings of the whole computer alone', () => {
  const [proxy] = parse(kubeProxyConfiguration(cluster({ proxy: 'nftables' }), '/k'));
  expect(proxy).toMatchObject({
    mode: 'nftables',
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  });
});
