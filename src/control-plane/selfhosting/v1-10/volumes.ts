import type { Volume } from '../../../cluster/objects.ts';
import type { Draft, DraftPodSpec, PodSpecMutatorFunc } from '../daemonset.ts';
import { withFlag } from './arguments.ts';
import { firstContainer } from './container.ts';

/** Names that kubeadm gives to volumes and their mounts. */
const CERTIFICATES = 'k8s-certs';
const KUBECONFIG = 'kubeconfig';

/**
 * Where a kubeconfig from a Secret is mounted. A Secret covers a whole directory, and in /etc/kubernetes, where the
 * file lies on the node, it would hide the certificates in /etc/kubernetes/pki.
 */
const KUBECONFIG_DIRECTORY = '/etc/kubernetes/kubeconfig';

/** What a volume holds, without its name. */
type VolumeSource = () => Omit<Draft<Volume>, 'name'>;

type Warn = (message: string) => void;

/**
 * What each component sees of the Secrets: a Secret, and the path for each of its keys that is shown. The list is that
 * of kubeadm 1.10 and older than TLS for etcd, so an API server that reads etcd's certificates from the same directory does not find them
 * (kubernetes/kubernetes#61322).
 */
const API_SERVER_FILES = [
  ['ca', { 'tls.crt': 'ca.crt' }],
  ['apiserver', { 'tls.crt': 'apiserver.crt', 'tls.key': 'apiserver.key' }],
  [
    'apiserver-kubelet-client',
    { 'tls.crt': 'apiserver-kubelet-client.crt', 'tls.key': 'apiserver-kubelet-client.key' },
  ],
  ['sa', { 'tls.crt': 'sa.pub' }],
  ['front-proxy-ca', { 'tls.crt': 'front-proxy-ca.crt' }],
  ['front-proxy-client', { 'tls.crt': 'front-proxy-client.crt', 'tls.key': 'front-proxy-client.key' }],
] as const satisfies readonly Projection[];

const CONTROLLER_MANAGER_FILES = [
  ['ca', { 'tls.crt': 'ca.crt', 'tls.key': 'ca.key' }],
  ['sa', { 'tls.key': 'sa.key' }],
] as const satisfies readonly Projection[];

/** A Secret and the path of each of its keys that is shown. */
type Projection = readonly [secret: string, paths: Readonly<Record<string, string>>];

/** Takes the API server's certificates and keys from Secrets. */
export function apiServerSecrets(podSpec: DraftPodSpec): void {
  replaceSources(podSpec, { [CERTIFICATES]: () => projected(API_SERVER_FILES) });
}

/** Takes the controller manager's certificates, keys and kubeconfig from Secrets. */
export function controllerManagerSecrets(warn: Warn): PodSpecMutatorFunc {
  const file = 'controller-manager.conf';
  return (podSpec) => {
    replaceSources(podSpec, {
      [CERTIFICATES]: () => projected(CONTROLLER_MANAGER_FILES),
      [KUBECONFIG]: () => secret(file),
    });
    moveKubeconfig(podSpec, file, warn);
  };
}

/** Takes the scheduler's kubeconfig from a Secret. It has no certificates. */
export function schedulerSecrets(warn: Warn): PodSpecMutatorFunc {
  const file = 'scheduler.conf';
  return (podSpec) => {
    replaceSources(podSpec, { [KUBECONFIG]: () => secret(file) });
    moveKubeconfig(podSpec, file, warn);
  };
}

/** Gives volumes another source, by their names. A name that no volume has changes nothing. */
function replaceSources(podSpec: DraftPodSpec, sources: Readonly<Record<string, VolumeSource>>): void {
  if (!podSpec.volumes) return;
  podSpec.volumes = podSpec.volumes.map((volume) => {
    const { name } = volume;
    return Object.hasOwn(sources, name) ? { name, ...sources[name]!() } : volume;
  });
}

// The flag is set whether or not there was one, and whether or not there is such a volume.
function moveKubeconfig(podSpec: DraftPodSpec, file: string, warn: Warn): void {
  const container = firstContainer(podSpec);
  for (const mount of container.volumeMounts ?? []) {
    if (mount.name === KUBECONFIG) mount.mountPath = KUBECONFIG_DIRECTORY;
  }
  container.command = withFlag(container.command ?? [], 'kubeconfig', `${KUBECONFIG_DIRECTORY}/${file}`, warn);
}

function secret(secretName: string): Omit<Draft<Volume>, 'name'> {
  return { secret: { secretName } };
}

function projected(files: readonly Projection[]): Omit<Draft<Volume>, 'name'> {
  const sources = files.map(([name, paths]) => ({
    secret: { name, items: Object.entries(paths).map(([key, path]) => ({ key, path })) },
  }));
  return { projected: { sources } };
}
