import { describe, expect, test } from 'vitest';
import type { Container, PodSpec, Volume } from '../../../cluster/objects.ts';
import { buildDaemonSet } from '../daemonset.ts';
import { getMutatorsFromFeatureGates } from './mutators.ts';

const CERTIFICATES: Volume = {
  name: 'k8s-certs',
  hostPath: { path: '/etc/kubernetes/pki', type: 'DirectoryOrCreate' },
};
const OTHER: Volume = { name: 'ca-certs', hostPath: { path: '/etc/ssl/certs' } };
const MOUNTS = [
  { name: 'k8s-certs', mountPath: '/etc/kubernetes/pki', readOnly: true },
  { name: 'ca-certs', mountPath: '/etc/ssl/certs', readOnly: true },
];

function converted(component: string, podSpec: PodSpec, warn?: (message: string) => void): PodSpec {
  const mutators = getMutatorsFromFeatureGates({ StoreCertsInSecrets: true }, warn);
  return buildDaemonSet(component, podSpec, mutators).spec.template.spec;
}

function podSpecFor(name: string, ...flags: string[]): PodSpec {
  const file = name === 'kube-scheduler' ? 'scheduler.conf' : 'controller-manager.conf';
  const path = `/etc/kubernetes/${file}`;
  const kubeconfig: Volume = { name: 'kubeconfig', hostPath: { path, type: 'FileOrCreate' } };
  const mount = { name: 'kubeconfig', mountPath: path, readOnly: true };
  const command = [name, ...flags, `--kubeconfig=${path}`];
  return {
    containers: [{ name, command, volumeMounts: [...MOUNTS, mount] }],
    volumes: [CERTIFICATES, OTHER, kubeconfig],
  };
}

describe('the API server with its certificates in Secrets', () => {
  const command = ['kube-apiserver', '--z=1', '--bare', '--a=1', '--a=2', '--kubeconfig=/x'];
  const podSpec: PodSpec = {
    containers: [{ name: 'kube-apiserver', command, volumeMounts: MOUNTS }],
    volumes: [OTHER, CERTIFICATES],
  };

  test('sees what each Secret has for it, and of the CAs and the signing key only the public half', () => {
    const pair = (name: string): object => ({
      secret: {
        name,
        items: [
          { key: 'tls.crt', path: `${name}.crt` },
          { key: 'tls.key', path: `${name}.key` },
        ],
      },
    });
    const one = (name: string, path: string): object => ({ secret: { name, items: [{ key: 'tls.crt', path }] } });
    expect(converted('kube-apiserver', podSpec).volumes).toEqual([
      OTHER,
      {
        name: 'k8s-certs',
        projected: {
          sources: [
            one('ca', 'ca.crt'),
            pair('apiserver'),
            pair('apiserver-kubelet-client'),
            one('sa', 'sa.pub'),
            one('front-proxy-ca', 'front-proxy-ca.crt'),
            pair('front-proxy-client'),
          ],
        },
      },
    ]);
  });

  test('does not see the certificates of etcd, so that it cannot reach an etcd with TLS (kubernetes#61322)', () => {
    expect(JSON.stringify(converted('kube-apiserver', podSpec).volumes)).not.toContain('etcd');
  });

  test('keeps its mounts and its command, bare and repeated flags and all', () => {
    expect(converted('kube-apiserver', podSpec).containers[0]).toMatchObject({ command, volumeMounts: MOUNTS });
  });

  test('keeps a kubeconfig volume, which is not its own', () => {
    const kubeconfig = { name: 'kubeconfig', hostPath: { path: '/x' } };
    expect(converted('kube-apiserver', { ...podSpec, volumes: [kubeconfig] }).volumes).toEqual([kubeconfig]);
  });

  test('gets every volume of that name replaced, and none added', () => {
    const volumes = converted('kube-apiserver', { ...podSpec, volumes: [CERTIFICATES, CERTIFICATES] }).volumes;
    expect(volumes?.map(Object.keys)).toEqual([
      ['name', 'projected'],
      ['name', 'projected'],
    ]);
    expect(converted('kube-apiserver', { containers: podSpec.containers })).not.toHaveProperty('volumes');
  });
});

test('the controller manager sees the CA with its key, and the key that signs tokens', () => {
  expect(converted('kube-controller-manager', podSpecFor('kube-controller-manager')).volumes).toEqual([
    {
      name: 'k8s-certs',
      projected: {
        sources: [
          {
            secret: {
              name: 'ca',
              items: [
                { key: 'tls.crt', path: 'ca.crt' },
                { key: 'tls.key', path: 'ca.key' },
              ],
            },
          },
          { secret: { name: 'sa', items: [{ key: 'tls.key', path: 'sa.key' }] } },
        ],
      },
    },
    OTHER,
    { name: 'kubeconfig', secret: { secretName: 'controller-manager.conf' } },
  ]);
});

test('the scheduler gets its kubeconfig, and a volume of certificates stays as it is', () => {
  expect(converted('kube-scheduler', podSpecFor('kube-scheduler')).volumes).toEqual([
    CERTIFICATES,
    OTHER,
    { name: 'kubeconfig', secret: { secretName: 'scheduler.conf' } },
  ]);
});

describe.each([
  ['kube-controller-manager', 'controller-manager.conf'],
  ['kube-scheduler', 'scheduler.conf'],
])('the kubeconfig of %s in a Secret', (component, file) => {
  const flag = `--kubeconfig=/etc/kubernetes/kubeconfig/${file}`;
  const commandOf = (podSpec: PodSpec): readonly string[] | undefined =>
    converted(component, podSpec).containers[0]?.command;
  const container = (more: Partial<Container>): PodSpec => ({ containers: [{ name: component, ...more }] });

  test('is mounted in a directory of its own, read-only as before, and other mounts stay', () => {
    expect(converted(component, podSpecFor(component)).containers[0]?.volumeMounts).toEqual([
      ...MOUNTS,
      { name: 'kubeconfig', mountPath: '/etc/kubernetes/kubeconfig', readOnly: true },
    ]);
  });

  test('is where the flag says', () => {
    expect(commandOf(podSpecFor(component))).toEqual([component, flag]);
  });

  test('is not where the flags for authentication and authorization say, which are not rewritten (kubernetes#72518)', () => {
    const path = `/etc/kubernetes/${file}`;
    const flags = [`--authentication-kubeconfig=${path}`, `--authorization-kubeconfig=${path}`];
    expect(commandOf(podSpecFor(component, ...flags))).toEqual([component, ...flags, flag]);
  });

  test('gets its flag added when there is none, and also without such a volume', () => {
    expect(commandOf(container({ command: [component, '--z=1'] }))).toEqual([component, flag, '--z=1']);
  });

  test.each([{}, { command: [] }])('gets its flag as the whole command when there is none: %j', (more) => {
    expect(commandOf(container(more))).toEqual([flag]);
  });

  test('is set in the first container alone', () => {
    const podSpec = podSpecFor(component);
    const second = { ...podSpec.containers[0]!, name: 'second' };
    const { containers } = converted(component, { ...podSpec, containers: [...podSpec.containers, second] });
    expect(containers[1]).toEqual(second);
  });

  test('tells of the arguments that are lost on the way', () => {
    const warnings: string[] = [];
    converted(component, podSpecFor(component, '--bare'), (message) => warnings.push(message));
    expect(warnings).toEqual(['Element 1 of the command "--bare" is not of the form --key=value and is dropped.']);
  });
});
