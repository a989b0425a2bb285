import { describe, expect, test } from 'vitest';
import { errorOf } from '../../../../test/support/errors.ts';
import type { PodSpec } from '../../../cluster/objects.ts';
import { buildDaemonSet } from '../daemonset.ts';
import { SelfHostingError } from '../errors.ts';
import { getDefaultMutators, getMutatorsFromFeatureGates } from './mutators.ts';

const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const MASTER = 'node-role.kubernetes.io/master';
const TOLERATION = { key: MASTER, effect: 'NoSchedule' };
const HOST_IP = { name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } };

function mutated(component: string, podSpec: PodSpec): PodSpec {
  return buildDaemonSet(component, podSpec, getDefaultMutators()).spec.template.spec;
}

function withCommand(...command: string[]): PodSpec {
  return { containers: [{ name: 'x', command }] };
}

describe.each(COMPONENTS)('the default mutators of %s', (component) => {
  const podSpec: PodSpec = { containers: [{ name: component }] };

  test('select nodes with the label of a master', () => {
    expect(mutated(component, podSpec).nodeSelector).toEqual({ [MASTER]: '' });
  });

  test('keep other keys of the node selector, and empty that one', () => {
    const nodeSelector = { disk: 'ssd', [MASTER]: 'true' };
    expect(mutated(component, { ...podSpec, nodeSelector }).nodeSelector).toEqual({ disk: 'ssd', [MASTER]: '' });
  });

  test('append a toleration without an operator, which means Equal, and without a value', () => {
    const own = { key: 'x', operator: 'Exists' };
    expect(mutated(component, podSpec).tolerations).toEqual([TOLERATION]);
    expect(mutated(component, { ...podSpec, tolerations: [own] }).tolerations).toEqual([own, TOLERATION]);
  });

  test('append the toleration again when it is there already', () => {
    const twice = mutated(component, mutated(component, podSpec));
    expect(twice.tolerations).toEqual([TOLERATION, TOLERATION]);
  });

  test('overwrite the DNS policy', () => {
    expect(mutated(component, { ...podSpec, dnsPolicy: 'Default' }).dnsPolicy).toBe('ClusterFirstWithHostNet');
  });

  test('take a null as nothing, as YAML writes it', () => {
    const nulls = { ...podSpec, nodeSelector: null, tolerations: null } as unknown as PodSpec;
    expect(mutated(component, nulls)).toMatchObject({ nodeSelector: { [MASTER]: '' }, tolerations: [TOLERATION] });
  });

  test('leave containers after the first one, init containers and volumes alone', () => {
    const others: Partial<PodSpec> = {
      initContainers: [{ name: 'init', command: ['--advertise-address=1'] }],
      volumes: [{ name: 'k8s-certs', hostPath: { path: '/etc/kubernetes/pki' } }],
    };
    const second = { name: 'second', command: ['--advertise-address=1'], env: [] };
    const result = mutated(component, { ...podSpec, ...others, containers: [...podSpec.containers, second] });
    expect(result).toMatchObject(others);
    expect(result.containers[1]).toEqual(second);
  });
});

describe('the address that an API server advertises', () => {
  test('is that of the node, by a variable after those that are there', () => {
    const own = { name: 'HTTPS_PROXY', value: 'http://p' };
    const podSpec = {
      containers: [{ name: 'x', command: ['kube-apiserver', '--advertise-address=10.0.0.1'], env: [own] }],
    };
    expect(mutated('kube-apiserver', podSpec).containers[0]).toEqual({
      name: 'x',
      command: ['kube-apiserver', '--advertise-address=$(HOST_IP)'],
      env: [own, HOST_IP],
    });
  });

  test('gets its variable again when it is there already, and also when no flag uses it', () => {
    const twice = mutated('kube-apiserver', mutated('kube-apiserver', { containers: [{ name: 'x' }] }));
    expect(twice.containers).toEqual([{ name: 'x', env: [HOST_IP, HOST_IP] }]);
  });

  test.each([
    ['a flag without a value', '--advertise-address'],
    ['another flag with the text in its name', '--no-advertise-address=true'],
    ['another flag with the text in its value', '--audit-log-path=/var/log/advertise-address.log'],
    ['the executable', '/opt/advertise-address/kube-apiserver'],
    ['a text that is no flag', 'advertise-address'],
  ])('takes the place of %s, since the text alone decides', (_, argument) => {
    expect(mutated('kube-apiserver', withCommand('a', argument, 'z')).containers[0]?.command).toEqual([
      'a',
      '--advertise-address=$(HOST_IP)',
      'z',
    ]);
  });

  test('is set in every element that has the text', () => {
    const { containers } = mutated(
      'kube-apiserver',
      withCommand('--advertise-address=1', '--x', '--advertise-address=2'),
    );
    expect(containers[0]?.command).toEqual(['--advertise-address=$(HOST_IP)', '--x', '--advertise-address=$(HOST_IP)']);
  });

  test('is not looked for in another spelling, nor in args, and never added', () => {
    const container = { name: 'x', command: ['--Advertise-Address=1'], args: ['--advertise-address=1'] };
    expect(mutated('kube-apiserver', { containers: [container] }).containers[0]).toEqual({
      ...container,
      env: [HOST_IP],
    });
  });

  test.each(['kube-controller-manager', 'kube-scheduler'])('is nothing to %s', (component) => {
    const { containers } = mutated(component, withCommand('--advertise-address=1'));
    expect(containers).toEqual([{ name: 'x', command: ['--advertise-address=1'] }]);
  });
});

describe('a Pod without containers', () => {
  const specs = [{ containers: [] }, {} as PodSpec, { containers: null } as unknown as PodSpec];
  const secrets = getMutatorsFromFeatureGates({ StoreCertsInSecrets: true });

  test.each(specs)('is refused for the API server, where Go panics: %j', (podSpec) => {
    const error = errorOf(() => mutated('kube-apiserver', podSpec));
    expect(error).toBeInstanceOf(SelfHostingError);
    expect(error).toMatchObject({ code: 'CONTAINER_MISSING' });
  });

  test.each(['kube-controller-manager', 'kube-scheduler'])('is nothing bad for %s without Secrets', (component) => {
    for (const podSpec of specs) expect(mutated(component, podSpec).dnsPolicy).toBe('ClusterFirstWithHostNet');
  });

  test.each(['kube-controller-manager', 'kube-scheduler'])('is refused for %s with Secrets', (component) => {
    for (const podSpec of specs) {
      expect(errorOf(() => buildDaemonSet(component, podSpec, secrets))).toMatchObject({ code: 'CONTAINER_MISSING' });
    }
  });
});

describe('feature gates', () => {
  const lengths = (mutators: Record<string, unknown[]>): number[] => COMPONENTS.map((name) => mutators[name]!.length);

  test.each([
    ['none', {}],
    ['the gate turned off', { StoreCertsInSecrets: false }],
    ['another gate', { SelfHosting: true, HighAvailability: true }],
    ['a gate that is no boolean', { StoreCertsInSecrets: 'true' as unknown as boolean }],
    ['a gate of the prototype', Object.create({ StoreCertsInSecrets: true }) as Record<string, boolean>],
  ])('%s: the default mutators', (_, featureGates) => {
    expect(lengths(getMutatorsFromFeatureGates(featureGates))).toEqual([4, 3, 3]);
  });

  test('StoreCertsInSecrets adds one mutator to each component, after the others', () => {
    expect(lengths(getMutatorsFromFeatureGates({ StoreCertsInSecrets: true }))).toEqual([5, 4, 4]);
  });

  test('each caller gets a record of its own', () => {
    getDefaultMutators()['kube-apiserver']!.length = 0;
    getMutatorsFromFeatureGates({ StoreCertsInSecrets: true })['kube-scheduler']!.length = 0;
    expect(lengths(getDefaultMutators())).toEqual([4, 3, 3]);
  });
});
