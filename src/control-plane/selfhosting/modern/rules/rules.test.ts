import { describe, expect, test } from 'vitest';
import { lines, manifest, withContainer, withFlags, withSpec } from '../../../../../test/support/manifests.ts';
import type { Container, Pod } from '../../../../cluster/objects.ts';
import { convertStaticPod } from '../convert.ts';
import type { ConvertOptions } from '../options.ts';
import { MODERN_RULES } from '../rules.ts';

const NODE: ConvertOptions = { nodeName: 'n1' };
const server = manifest('kube-apiserver');
const manager = manifest('kube-controller-manager');
const scheduler = manifest('kube-scheduler');

function templateOf(pod: Pod, options: ConvertOptions = NODE) {
  const { daemonSet, problems } = convertStaticPod(pod, options);
  expect(lines(problems)).toEqual([]);
  return daemonSet!.spec.template;
}

function containerOf(pod: Pod, options?: ConvertOptions): Container {
  return templateOf(pod, options).spec.containers[0]!;
}

function problemsOf(pod: Pod, options: ConvertOptions = NODE): readonly string[] {
  return lines(convertStaticPod(pod, options).problems);
}

test('every rule has a name of its own and a reason', () => {
  const names = MODERN_RULES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { reason } of MODERN_RULES) expect(reason).toMatch(/^[A-Z].*\.$/s);
});

describe('ports and probes', () => {
  test('no container declares a port, and probes have the number', () => {
    const { ports, livenessProbe, startupProbe } = containerOf(scheduler);
    expect(ports).toBeUndefined();
    expect([livenessProbe!.httpGet!.port, startupProbe!.httpGet!.port]).toEqual([10259, 10259]);
  });

  test('a patched port is looked up by its name', () => {
    const pod = withContainer(scheduler, {
      ports: [
        { name: 'other', containerPort: 1 },
        { name: 'probe-port', containerPort: 2 },
      ],
    });
    expect(containerOf(pod).livenessProbe!.httpGet!.port).toBe(2);
  });

  test('a number in quotes is a number', () => {
    const pod = withContainer(scheduler, { livenessProbe: { httpGet: { port: '10259' } } });
    expect(containerOf(pod).livenessProbe!.httpGet!.port).toBe(10259);
  });

  test('a name that no port has is refused, at each probe', () => {
    const pod = withContainer(scheduler, { ports: [] });
    expect(problemsOf(pod)).toEqual(
      ['livenessProbe', 'readinessProbe', 'startupProbe'].map(
        (probe) => `error PROBE_PORT_UNKNOWN /spec/containers/0/${probe}/httpGet/port`,
      ),
    );
  });

  test('hooks, TCP probes, sidecars and init containers are looked at as well', () => {
    const sidecar: Container = {
      name: 'sidecar',
      ports: [{ name: 'web', containerPort: 80 }],
      livenessProbe: { tcpSocket: { port: 'web' } },
      lifecycle: { preStop: { httpGet: { port: 'web' } } },
    };
    const pod = withSpec(scheduler, { containers: [...scheduler.spec.containers, sidecar], initContainers: [sidecar] });
    const expected = {
      name: 'sidecar',
      livenessProbe: { tcpSocket: { port: 80 } },
      lifecycle: { preStop: { httpGet: { port: 80 } } },
    };
    const { spec } = templateOf(pod);
    expect([spec.containers[1], spec.initContainers![0]]).toEqual([expected, expected]);
  });

  test.each<[string, string | undefined, string | undefined]>([
    ['binds every address by default', undefined, '127.0.0.1'],
    ['binds every address', '0.0.0.0', '127.0.0.1'],
    ['binds every IPv6 address', '::', '127.0.0.1'],
    ['binds loopback', '127.0.0.1', '127.0.0.1'],
    ['binds another loopback address', '127.0.0.2', '127.0.0.2'],
    ['binds the loopback of IPv6', '::1', '::1'],
    ['binds the address of the node', '10.89.0.11', undefined],
  ])('where the server %s, probes ask %s', (_, bound, host) => {
    const pod = bound === undefined ? server : withFlags(server, `--bind-address=${bound}`);
    const { livenessProbe } = containerOf(pod);
    expect(livenessProbe!.httpGet).toEqual({
      ...server.spec.containers[0]!.livenessProbe!.httpGet,
      port: 6443,
      ...(host ? { host } : { host: undefined }),
    });
    expect('host' in livenessProbe!.httpGet!).toBe(host !== undefined);
  });

  test('a probe without a host stays without: it asks the address of the Pod', () => {
    expect(containerOf(manifest('kube-scheduler', 'extra-args')).livenessProbe!.httpGet).not.toHaveProperty('host');
  });

  test('a sidecar’s probe of the address of the node asks the Pod, and another host stays', () => {
    const probes = (host: string) => ({ name: 's', livenessProbe: { httpGet: { host, port: 1 } } });
    const pod = withSpec(server, {
      containers: [...server.spec.containers, probes('10.89.0.11'), probes('example.com')],
    });
    const [, first, second] = templateOf(pod).spec.containers;
    expect(first!.livenessProbe).toEqual({ httpGet: { port: 1 } });
    expect(second!.livenessProbe).toEqual({ httpGet: { host: 'example.com', port: 1 } });
  });
});

describe('scheduling', () => {
  test('the node needs our label and that of control planes', () => {
    expect(templateOf(server).spec.nodeSelector).toEqual({
      'control-plane.bootlace.io/kube-apiserver': 'n1',
      'node-role.kubernetes.io/control-plane': '',
    });
    expect(templateOf(scheduler).spec.nodeSelector).toEqual({
      'control-plane.bootlace.io/kube-scheduler': 'self-hosted',
      'node-role.kubernetes.io/control-plane': '',
    });
  });

  test('other keys of the selector stay', () => {
    expect(templateOf(withSpec(server, { nodeSelector: { disk: 'ssd' } })).spec.nodeSelector).toMatchObject({
      disk: 'ssd',
    });
  });

  test('the node of the manifest goes', () => {
    expect(templateOf(withSpec(server, { nodeName: 'n1' })).spec).not.toHaveProperty('nodeName');
  });

  const ours = { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' };
  const evicted = { operator: 'Exists', effect: 'NoExecute' };
  test.each<[string, object[] | undefined, object[]]>([
    ['added', undefined, [ours, evicted]],
    ['added behind others', [{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'Exists' }, ours, evicted]],
    ['not added twice', [evicted, ours], [evicted, ours]],
    ['put in the place of one with the same key and one effect', [{ ...ours, effect: 'NoSchedule' }], [ours, evicted]],
    [
      'put in the place of one for some seconds',
      [{ ...ours, effect: 'NoExecute', tolerationSeconds: 5 }],
      [ours, evicted],
    ],
    ['not needed where all is tolerated', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
  ])('tolerations are %s', (_, given, expected) => {
    const pod = given === undefined ? server : withSpec(server, { tolerations: given });
    expect(templateOf(pod).spec.tolerations).toEqual(expected);
  });

  test('the old taint is tolerated on request', () => {
    const { tolerations } = templateOf(server, { ...NODE, tolerateMaster: true }).spec;
    expect(tolerations).toContainEqual({ key: 'node-role.kubernetes.io/master', operator: 'Exists' });
  });

  test.each<[string, object, object, string[]]>([
    [
      'kept with its number',
      { priorityClassName: 'system-node-critical', priority: 2_000_001_000 },
      { priorityClassName: 'system-node-critical', priority: 2_000_001_000 },
      [],
    ],
    [
      'kept without a number that differs',
      { priorityClassName: 'system-cluster-critical', priority: 2_000_001_000 },
      { priorityClassName: 'system-cluster-critical' },
      [],
    ],
    [
      'kept without a number that only the cluster knows',
      { priorityClassName: 'mine', priority: 7 },
      { priorityClassName: 'mine' },
      [],
    ],
    [
      'named after its number',
      { priority: 2_000_000_000, priorityClassName: undefined },
      { priorityClassName: 'system-cluster-critical', priority: 2_000_000_000 },
      [],
    ],
    [
      'given where there is none',
      { priority: undefined, priorityClassName: undefined },
      { priorityClassName: 'system-node-critical' },
      [],
    ],
    [
      'given with a warning for a number without a class',
      { priority: 7, priorityClassName: undefined },
      { priorityClassName: 'system-node-critical' },
      ['warning PRIORITY_LOST /spec/priority'],
    ],
  ])('the priority class is %s', (_, given, expected, found) => {
    const pod = JSON.parse(JSON.stringify({ ...server, spec: { ...server.spec, ...given } })) as Pod;
    const { daemonSet, problems } = convertStaticPod(pod, NODE);
    const { priority, priorityClassName } = daemonSet!.spec.template.spec;
    expect(JSON.parse(JSON.stringify({ priority, priorityClassName }))).toEqual(expected);
    expect(lines(problems)).toEqual(found);
  });
});

describe('the Pod', () => {
  test('gets no token of a service account and no links to Services', () => {
    expect(templateOf(server).spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });

  test.each([undefined, 'ClusterFirstWithHostNet', 'Default'])('keeps its DNS policy: %s', (dnsPolicy) => {
    const pod = dnsPolicy === undefined ? server : withSpec(server, { dnsPolicy });
    expect(templateOf(pod).spec.dnsPolicy).toBe(dnsPolicy);
  });

  test('gets the DNS policy that is asked for', () => {
    expect(templateOf(server, { ...NODE, dnsPolicy: 'Default' }).spec.dnsPolicy).toBe('Default');
  });

  test('keeps its labels and annotations, under the labels of the DaemonSet', () => {
    const { metadata } = templateOf(manifest('kube-apiserver', 'patched'));
    expect(metadata).toEqual({
      annotations: {
        'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint': '10.89.0.11:6443',
        team: 'platform',
      },
      labels: {
        component: 'kube-apiserver',
        'control-plane.bootlace.io/kube-apiserver': 'n1',
        'k8s-app': 'self-hosted-kube-apiserver',
        tier: 'control-plane',
        zone: 'a',
      },
    });
  });

  test.each<[string, string[], number | undefined, number | undefined]>([
    ['none without a shutdown delay', [], undefined, undefined],
    ['its own without a shutdown delay', [], 10, 10],
    ['the delay on top of the default', ['--shutdown-delay-duration=20s'], undefined, 50],
    [
      'the delay of the last flag, rounded up',
      ['--shutdown-delay-duration=1s', '--shutdown-delay-duration=1m0.5s'],
      undefined,
      91,
    ],
    [
      'the time that watches have as well',
      ['--shutdown-delay-duration=5s', '--shutdown-watch-termination-grace-period=7s'],
      undefined,
      42,
    ],
    ['its own where it is longer', ['--shutdown-delay-duration=20s'], 60, 60],
    ['more where its own is shorter', ['--shutdown-delay-duration=20s'], 40, 50],
    ['none for a delay of 0', ['--shutdown-delay-duration=0'], undefined, undefined],
  ])('has as grace period %s', (_, flags, given, expected) => {
    const pod = withFlags(server, ...flags);
    const { spec } = templateOf(given === undefined ? pod : withSpec(pod, { terminationGracePeriodSeconds: given }));
    expect(spec['terminationGracePeriodSeconds']).toBe(expected);
  });

  test('is refused with a shutdown delay that is no duration', () => {
    expect(problemsOf(withFlags(server, '--shutdown-delay-duration=20'))).toEqual([
      'error FLAG_INVALID /spec/containers/0/command/28',
    ]);
  });
});

describe('the advertise address', () => {
  const flag = (pod: Pod, options?: ConvertOptions) =>
    containerOf(pod, options).command!.filter((element) => element.includes('advertise-address'));

  test('is not touched unless the address of the node is given', () => {
    expect(flag(server)).toEqual(['--advertise-address=10.89.0.11']);
    expect(containerOf(server).env).toBeUndefined();
  });

  test('is asked of the Pod where it is the address of the node', () => {
    const container = containerOf(server, { ...NODE, nodeAddress: '10.89.0.11' });
    expect(container.command).toContain('--advertise-address=$(HOST_IP)');
    expect(container.env).toEqual([{ name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }]);
  });

  test('is the same address in another spelling', () => {
    const pod = manifest('kube-apiserver', 'ipv6-port');
    expect(flag(pod, { ...NODE, nodeAddress: 'FD00:89:0::11' })).toEqual(['--advertise-address=$(HOST_IP)']);
  });

  test('is never rewritten where it differs', () => {
    expect(flag(server, { ...NODE, nodeAddress: '10.89.0.12' })).toEqual(['--advertise-address=10.89.0.11']);
  });

  test('leaves flags alone that have the text in their name or value', () => {
    const pod = withFlags(server, '--my-advertise-address=1', '--x=advertise-address');
    expect(flag(pod, { ...NODE, nodeAddress: '10.89.0.11' })).toEqual([
      '--advertise-address=$(HOST_IP)',
      '--my-advertise-address=1',
      '--x=advertise-address',
    ]);
  });

  test('uses the variable that is there, and leaves one that means something else', () => {
    const options = { ...NODE, nodeAddress: '10.89.0.11' };
    const same = { name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } };
    expect(containerOf(withContainer(server, { env: [same] }), options).env).toEqual([same]);
    const other = { name: 'HOST_IP', value: 'x' };
    expect(flag(withContainer(server, { env: [other] }), options)).toEqual(['--advertise-address=10.89.0.11']);
  });
});

describe('refused', () => {
  test.each<[string, Pod, string]>([
    [
      'a mirror Pod',
      { ...server, metadata: { ...server.metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } } },
      'error MANIFEST_UNSUPPORTED /metadata/annotations/kubernetes.io~1config.mirror',
    ],
    [
      'a Pod with a network of its own',
      withSpec(server, { hostNetwork: false }),
      'error MANIFEST_UNSUPPORTED /spec/hostNetwork',
    ],
    [
      'a Pod that does not restart',
      withSpec(server, { restartPolicy: 'Never' }),
      'error MANIFEST_UNSUPPORTED /spec/restartPolicy',
    ],
    [
      'a Pod with a deadline',
      withSpec(server, { activeDeadlineSeconds: 5 }),
      'error MANIFEST_UNSUPPORTED /spec/activeDeadlineSeconds',
    ],
    [
      'a gated Pod',
      withSpec(server, { schedulingGates: [{ name: 'a' }] }),
      'error MANIFEST_UNSUPPORTED /spec/schedulingGates',
    ],
    ['a Pod with a field that none has', { ...server, specs: {} } as Pod, 'error FIELD_UNKNOWN /specs'],
  ])('%s', (_, pod, expected) => {
    expect(problemsOf(pod)).toEqual([expected]);
    expect(convertStaticPod(pod, NODE).daemonSet).toBeUndefined();
  });

  test('a name that no node has', () => {
    expect(problemsOf(server, { nodeName: 'N 1' })).toEqual(['error NAME_INVALID ']);
  });
});

describe('what is of one node', () => {
  test('is warned of where the node has no name', () => {
    expect(problemsOf(server, {})).toEqual(['warning NODE_UNNAMED ']);
    expect(problemsOf(manager, {})).toEqual([]);
  });

  test('is warned of where a manager binds an address of the node', () => {
    expect(problemsOf(withFlags(manager, '--bind-address=10.0.0.1'))).toEqual([
      'warning ADDRESS_OF_ONE_NODE /spec/containers/0/command/18',
    ]);
    expect(problemsOf(withFlags(server, '--bind-address=10.0.0.1'))).toEqual([]);
  });
});
