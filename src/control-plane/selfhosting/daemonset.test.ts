import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../cluster/objects.ts';
import { buildDaemonSet, type PodSpecMutatorFunc } from './daemonset.ts';
import { getDefaultMutators, getMutatorsFromFeatureGates } from './v1-10/mutators.ts';

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const SCHEDULER: PodSpec = {
  containers: [{ name: 'kube-scheduler', command: ['kube-scheduler', '--leader-elect=true'] }],
  hostNetwork: true,
};

describe('a DaemonSet', () => {
  test('is an apps/v1 object with its label on itself, on its Pods and in its selector', () => {
    const labels = { 'k8s-app': 'self-hosted-kube-scheduler' };
    expect(buildDaemonSet('kube-scheduler', SCHEDULER, getDefaultMutators())).toEqual({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'self-hosted-kube-scheduler', namespace: 'kube-system', labels },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: 'kube-scheduler', command: ['kube-scheduler', '--leader-elect=true'] }],
            hostNetwork: true,
            dnsPolicy: 'ClusterFirstWithHostNet',
            nodeSelector: { 'node-role.kubernetes.io/master': '' },
            tolerations: [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }],
          },
        },
        updateStrategy: { type: 'RollingUpdate' },
      },
    });
  });

  test('rolls without parameters, so that one Pod goes before the next comes', () => {
    const { updateStrategy } = buildDaemonSet('kube-scheduler', SCHEDULER, {}).spec;
    expect(updateStrategy).toEqual({ type: 'RollingUpdate' });
  });

  test('has no annotations, no owner and no status: only the spec of the static Pod is looked at', () => {
    const daemonSet = buildDaemonSet('kube-scheduler', SCHEDULER, getDefaultMutators());
    expect(Object.keys(daemonSet)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(Object.keys(daemonSet.metadata)).toEqual(['name', 'namespace', 'labels']);
    expect(Object.keys(daemonSet.spec.template.metadata)).toEqual(['labels']);
  });

  test.each(['etcd', 'constructor', '__proto__', 'toString', ''])(
    'of a component without mutators, %j, keeps the Pod spec as it is',
    (name) => {
      expect(buildDaemonSet(name, SCHEDULER, getDefaultMutators()).spec.template.spec).toEqual(SCHEDULER);
    },
  );

  test('runs the mutators of its own component alone, in their order', () => {
    const mark =
      (text: string): PodSpecMutatorFunc =>
      (podSpec) => {
        podSpec.dnsPolicy = `${podSpec.dnsPolicy ?? ''}${text}`;
      };
    const { spec } = buildDaemonSet('b', { containers: [] }, { a: [mark('x')], b: [mark('1'), mark('2'), mark('3')] });
    expect(spec.template.spec.dnsPolicy).toBe('123');
  });

  test('changes the first container alone also where it shares its parts with the second', () => {
    const command = ['kube-apiserver', '--advertise-address=1'];
    const env = [{ name: 'A', value: 'b' }];
    const podSpec: PodSpec = {
      containers: [
        { name: 'a', command, env },
        { name: 'b', command, env },
      ],
    };
    const { containers } = buildDaemonSet('kube-apiserver', podSpec, getDefaultMutators()).spec.template.spec;
    expect(containers[0]?.env).toHaveLength(2);
    expect(containers[1]).toEqual({ name: 'b', command, env });
  });

  test('carries fields that nobody here knows, and a key named __proto__', () => {
    const podSpec = JSON.parse(
      '{"containers": [], "newInKubernetes": {"x": [1, null]}, "nodeSelector": {"__proto__": "x"}}',
    ) as PodSpec;
    const { spec } = buildDaemonSet('kube-scheduler', podSpec, getDefaultMutators()).spec.template;
    expect(spec['newInKubernetes']).toEqual({ x: [1, null] });
    expect(JSON.stringify(spec.nodeSelector)).toBe('{"__proto__":"x","node-role.kubernetes.io/master":""}');
  });
});

describe('the Pod spec that is given', () => {
  const entries = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 });
  const argument = fc.oneof(
    fc.string(),
    fc.constantFrom('--advertise-address=1.2.3.4', '--kubeconfig=/x', '--kubeconfig=/y', '--bare', 'kube-apiserver'),
  );
  const container = fc.record(
    {
      name: fc.string(),
      command: fc.array(argument),
      env: fc.array(fc.record({ name: fc.string(), value: fc.string() }), { maxLength: 2 }),
      volumeMounts: fc.array(
        fc.record({ name: fc.constantFrom('kubeconfig', 'k8s-certs', 'x'), mountPath: fc.string() }),
      ),
    },
    { requiredKeys: ['name'] },
  );
  const podSpecs = fc.record(
    {
      containers: fc.array(container, { minLength: 1, maxLength: 3 }),
      volumes: fc.array(
        fc.record({
          name: fc.constantFrom('kubeconfig', 'k8s-certs', 'x'),
          hostPath: fc.record({ path: fc.string() }),
        }),
      ),
      nodeSelector: entries,
      tolerations: fc.array(fc.record({ key: fc.string() }), { maxLength: 2 }),
      dnsPolicy: fc.string(),
    },
    { requiredKeys: ['containers'] },
  );

  test.each(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'other'])(
    'is never changed, and shares nothing with the DaemonSet of %s',
    (component) => {
      const mutators = getMutatorsFromFeatureGates({ StoreCertsInSecrets: true });
      fc.assert(
        fc.property(podSpecs, (podSpec) => {
          const before = JSON.stringify(podSpec);
          const frozen = deepFreeze(podSpec);
          const first = buildDaemonSet(component, frozen, mutators);
          expect(JSON.stringify(podSpec)).toBe(before);
          // Writing to the result must not reach the input, nor the next result.
          const { containers } = first.spec.template.spec as { containers: { name: string }[] };
          containers[0]!.name += '!';
          expect(buildDaemonSet(component, frozen, mutators).spec.template.spec.containers[0]!.name).toBe(
            podSpec.containers[0]!.name,
          );
        }),
      );
    },
  );

  test('makes the same DaemonSet each time', () => {
    fc.assert(
      fc.property(podSpecs, (podSpec) => {
        const mutators = getMutatorsFromFeatureGates({ StoreCertsInSecrets: true });
        expect(buildDaemonSet('kube-apiserver', podSpec, mutators)).toEqual(
          buildDaemonSet('kube-apiserver', podSpec, mutators),
        );
      }),
    );
  });
});
