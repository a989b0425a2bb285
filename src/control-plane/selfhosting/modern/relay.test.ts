import { describe, expect, test } from 'vitest';
import { lines, manifest, withContainer, withFlags, withSpec } from '../../../../test/support/manifests.ts';
import type { Container, Pod, Volume, VolumeMount } from '../../../cluster/objects.ts';
import { accountFor } from './accounting.ts';
import type { RelayOptions } from './relay-options.ts';
import { relayPod } from './relay.ts';

const server = manifest('kube-apiserver');
const audited = manifest('kube-apiserver', 'audit-encryption');

function relayOf(pod: Pod, options: Partial<RelayOptions> = {}): Pod {
  const { pod: relay, changes, problems } = relayPod(pod, { port: 6444, ...options });
  expect(lines(problems)).toEqual([]);
  const accounts = accountFor(pod, { output: relay, changes, problems });
  expect(accounts.filter(({ verdict }) => verdict === 'lost')).toEqual([]);
  return relay!;
}

function problemsOf(pod: Pod, options: Partial<RelayOptions> = {}): readonly string[] {
  const { pod: relay, problems } = relayPod(pod, { port: 6444, ...options });
  if (problems.some(({ severity }) => severity === 'error')) expect(relay).toBeUndefined();
  return lines(problems);
}

function flagsOf(pod: Pod): readonly string[] {
  return pod.spec.containers[0]!.command!;
}

function withVolume(pod: Pod, volume: Volume, mount: VolumeMount, ...others: readonly Container[]): Pod {
  const [first] = pod.spec.containers;
  const container = { ...first!, volumeMounts: [...first!.volumeMounts!, mount] };
  return withSpec(pod, { volumes: [...pod.spec.volumes!, volume], containers: [container, ...others] });
}

describe('the relay', () => {
  test('serves on its port, asks its probes there and declares none', () => {
    const container = relayOf(server).spec.containers[0]!;
    expect(flagsOf(relayOf(server))).toContain('--secure-port=6444');
    expect(
      [container.livenessProbe, container.readinessProbe, container.startupProbe].map((one) => one!.httpGet!.port),
    ).toEqual([6444, 6444, 6444]);
    expect(container.ports).toBeUndefined();
  });

  test('is in no endpoints, and for kubeadm no API server', () => {
    const relay = relayOf(server);
    expect(flagsOf(relay)).toContain('--endpoint-reconciler-type=none');
    expect(relay.metadata).toEqual({
      annotations: {},
      labels: { 'control-plane.bootlace.io/relay': 'kube-apiserver' },
      name: 'kube-apiserver-relay',
      namespace: 'kube-system',
    });
    expect(relayOf(server, { name: 'other' }).metadata.name).toBe('other');
  });

  test('asks for no resources, not by a limit either, and keeps its class', () => {
    const { spec } = relayOf(manifest('kube-apiserver', 'patched'));
    expect(spec.containers[0]!.resources).toEqual({});
    expect(spec).toMatchObject({ priorityClassName: 'system-node-critical', priority: 2_000_001_000 });
  });

  test('is the API server alone, wherever its container stands', () => {
    const others: Container[] = [{ name: 'a' }, { name: 'b' }];
    const pod = withSpec(server, {
      containers: [others[0]!, server.spec.containers[0]!, others[1]!],
      initContainers: others,
      volumes: [{ name: 'unused', emptyDir: {} }, ...server.spec.volumes!],
    });
    expect(relayOf(pod)).toEqual(relayOf(server));
  });

  test('writes an audit log of its own in the same folder', () => {
    expect(flagsOf(relayOf(audited))).toContain('--audit-log-path=/var/log/kubernetes/relay-audit.log');
    expect(flagsOf(relayOf(withFlags(server, '--audit-log-path=-')))).toContain('--audit-log-path=-');
    expect(flagsOf(relayOf(server)).some((flag) => flag.includes('audit'))).toBe(false);
  });

  test('has a debug socket of its own', () => {
    expect(flagsOf(relayOf(withFlags(server, '--debug-socket-path', '/run/debug.sock')))).toContain(
      '/run/relay-debug.sock',
    );
  });

  test('proxies for no peer, and has none of the flags that the gate belongs to', () => {
    const pod = withFlags(
      server,
      '--peer-ca-file=/p/ca.crt',
      '--peer-advertise-ip=1.2.3.4',
      '--feature-gates=A=true,UnknownVersionInteroperabilityProxy=true',
    );
    expect(flagsOf(relayOf(pod)).slice(-2)).toEqual([
      '--feature-gates=A=true,UnknownVersionInteroperabilityProxy=false',
      '--endpoint-reconciler-type=none',
    ]);
  });

  test('keeps every other flag with order, repeats and bare ones', () => {
    const pod = withFlags(server, '--bare', '--service-account-issuer=https://b', '--service-account-issuer=https://a');
    const kept = flagsOf(pod).filter((flag) => !flag.startsWith('--secure-port'));
    expect(flagsOf(relayOf(pod)).filter((flag) => !/^--(secure-port|endpoint)/.test(flag))).toEqual(kept);
  });

  test('has its flags where the others are', () => {
    const [command, ...args] = server.spec.containers[0]!.command!;
    const container = relayOf(withContainer(server, { command: [command!], args })).spec.containers[0]!;
    expect(container.command).toEqual(['kube-apiserver']);
    expect(container.args!.at(-1)).toBe('--endpoint-reconciler-type=none');
    expect(container.args).toContain('--secure-port=6444');
  });
});

describe('a port is refused', () => {
  test.each<[string, number, Partial<RelayOptions>]>([
    ['that is none', 0, {}],
    ['that is too large', 65_536, {}],
    ['that is no whole number', 6444.5, {}],
    ['that the server has', 6443, {}],
    ['that etcd has', 2379, {}],
    ['that the kubelet has', 10250, {}],
    ['that the scheduler has', 10259, {}],
    ['that a Service may get', 30_000, {}],
    ['that a Service may get, the last', 32_767, {}],
    ['that a connection may get', 32_768, {}],
    ['that a connection may get, the last', 60_999, {}],
    ['that a connection of this node may get', 20_000, { ephemeralPorts: { from: 15_000, to: 25_000 } }],
    ['that something listens on', 7000, { takenPorts: [7000] }],
  ])('%s: %d', (_, port, options) => {
    expect(problemsOf(server, { port, ...options })).toEqual(['error RELAY_PORT_TAKEN ']);
  });

  test.each([1, 6444, 29_999, 61_000, 65_535])('unless nothing speaks against it: %d', (port) => {
    expect(problemsOf(server, { port })).toEqual([]);
  });

  test.each(['20000-20100', '20000+100'])('that a Service may get where the range is %s', (range) => {
    const pod = withFlags(server, `--service-node-port-range=${range}`);
    expect(problemsOf(pod, { port: 20_050 })).toEqual(['error RELAY_PORT_TAKEN ']);
    expect(problemsOf(pod, { port: 30_001 })).toEqual([]);
  });

  test('with the place of a flag that is no range', () => {
    expect(problemsOf(withFlags(server, '--service-node-port-range=a'))).toEqual([
      'error FLAG_INVALID /spec/containers/0/command/28',
    ]);
  });

  test('with the place of a flag that is no port, once, and nothing about probes of a port that is not known', () => {
    expect(problemsOf(withFlags(server, '--secure-port=abc'))).toEqual([
      'error FLAG_INVALID /spec/containers/0/command/28',
    ]);
  });
});

describe('two servers are refused', () => {
  const sidecar = (mount: VolumeMount): Container => ({ name: 'sidecar', volumeMounts: [mount] });
  const shared: VolumeMount = { name: 'shared', mountPath: '/shared' };
  const folder: Volume = { name: 'shared', hostPath: { path: '/shared' } };
  const CONFLICT = 'error RELAY_CONFLICT /spec/containers/0';

  test('where the server needs an emptyDir', () => {
    expect(problemsOf(withVolume(server, { name: 'shared', emptyDir: {} }, shared))).toEqual([
      `${CONFLICT}/volumeMounts/3`,
    ]);
  });

  test('where another container may have a socket in a volume of the server', () => {
    expect(problemsOf(withVolume(server, folder, shared, sidecar(shared)))).toEqual([`${CONFLICT}/volumeMounts/3`]);
  });

  test('but not where the other container only reads', () => {
    const pod = withVolume(server, folder, { ...shared, readOnly: true }, sidecar({ ...shared, readOnly: true }));
    expect(problemsOf(pod)).toEqual([]);
  });

  test('where the audit log is mounted as a single file', () => {
    const mount = { name: 'shared', mountPath: '/var/log/audit.log' };
    const pod = withFlags(withVolume(server, folder, mount), '--audit-log-path=/var/log/audit.log');
    expect(problemsOf(pod)).toEqual([`${CONFLICT}/command/28`]);
  });

  test('where encryption may ask a KMS plugin that is another container', () => {
    const pod = withSpec(audited, { containers: [...audited.spec.containers, { name: 'kms' }] });
    expect(problemsOf(pod)).toEqual([`${CONFLICT}/command/30`]);
    const asks = (provider: object) => ({ encryptionConfiguration: { resources: [{ providers: [provider] }] } });
    expect(problemsOf(pod, asks({ kms: { endpoint: 'unix:///@kms' } }))).toEqual([`${CONFLICT}/command/30`]);
    expect(problemsOf(pod, asks({ aescbc: {} }))).toEqual([]);
  });

  test('but not where a KMS plugin can only be outside of the Pod', () => {
    expect(problemsOf(audited)).toEqual([]);
  });

  test('where another container may sign tokens', () => {
    const pod = withFlags(
      withSpec(server, { containers: [...server.spec.containers, { name: 's' }] }),
      '--service-account-signing-endpoint=@sign',
    );
    expect(problemsOf(pod)).toEqual([`${CONFLICT}/command/28`]);
  });

  test('where a probe asks another port', () => {
    const pod = withContainer(server, { livenessProbe: { httpGet: { port: 8080 } } });
    expect(problemsOf(pod)).toEqual([`${CONFLICT}/livenessProbe/httpGet/port`]);
  });

  test.each(['10.0.0.11', '127.0.0.1', 'fd00::1'])(
    'where a redirect would catch what the server asks itself at %s',
    (to) => {
      expect(problemsOf(withFlags(server, `--bind-address=${to}`))).toEqual([`${CONFLICT}/command/28`]);
    },
  );

  test.each(['0.0.0.0', '::'])('but not where the server binds all addresses by %s', (to) => {
    expect(problemsOf(withFlags(server, `--bind-address=${to}`))).toEqual([]);
  });

  test('where the Pod has a network of its own', () => {
    expect(problemsOf(withSpec(server, { hostNetwork: false }))).toEqual(['error RELAY_CONFLICT /spec/hostNetwork']);
  });

  test('and warned of where both may write to a folder', () => {
    expect(problemsOf(withVolume(server, folder, shared))).toEqual([
      'warning RELAY_SHARED_VOLUME /spec/containers/0/volumeMounts/3',
    ]);
  });
});

test.each(['kube-controller-manager', 'kube-scheduler'])('%s has no relay', (component) => {
  expect(problemsOf(manifest(component))).toEqual(['error COMPONENT_UNKNOWN /spec/containers/0/name']);
});
