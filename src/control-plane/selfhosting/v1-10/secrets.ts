import type { Secret } from '../../../cluster/objects.ts';
import { SelfHostingError } from '../errors.ts';
import { CONTROL_PLANE_NAMESPACE } from '../labels.ts';

/** A Secret that a self-hosted control plane mounts. */
export interface SecretDefinition {
  readonly name: string;
  readonly type: 'kubernetes.io/tls' | 'Opaque';
  /** Which directory its files are in: that of certificates and keys, or that of kubeconfigs. */
  readonly directory: 'certificatesDir' | 'kubeConfigDir';
  /** File name by key, in the order in which the files are read. */
  readonly files: Readonly<Record<string, string>>;
}

function pair(name: string, certificate = `${name}.crt`): SecretDefinition {
  const files = { 'tls.crt': certificate, 'tls.key': `${name}.key` };
  return { name, type: 'kubernetes.io/tls', directory: 'certificatesDir', files };
}

function kubeconfig(name: string): SecretDefinition {
  return { name, type: 'Opaque', directory: 'kubeConfigDir', files: { [name]: name } };
}

/**
 * The Secrets, in the order in which they are stored. A pair of keys for service-account tokens is no certificate:
 * its public key stands where the type wants one.
 */
export const SELF_HOSTED_SECRETS: readonly SecretDefinition[] = [
  pair('ca'),
  pair('apiserver'),
  pair('apiserver-kubelet-client'),
  pair('sa', 'sa.pub'),
  pair('front-proxy-ca'),
  pair('front-proxy-client'),
  kubeconfig('scheduler.conf'),
  kubeconfig('controller-manager.conf'),
];

/** Bytes by file name. */
export type FileContents = Readonly<Record<string, Uint8Array>>;

/**
 * All Secrets that mutators with `StoreCertsInSecrets` refer to, in the order in which they are to be stored. Throws
 * a {@link SelfHostingError} with code `FILE_UNREADABLE` that names the first file that is missing.
 *
 * They hold private keys, that of the cluster's CA among them: whoever can read Secrets in kube-system, or etcd,
 * then owns the cluster.
 */
export function buildSelfHostedSecrets(contents: FileContents): Secret[] {
  return SELF_HOSTED_SECRETS.map((definition) => buildSelfHostedSecret(definition, contents));
}

/** One of them. */
export function buildSelfHostedSecret(definition: SecretDefinition, contents: FileContents): Secret {
  const { name, type, files } = definition;
  const data: Record<string, string> = {};
  for (const [key, file] of Object.entries(files)) data[key] = base64Of(file, contents, name);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: CONTROL_PLANE_NAMESPACE }, type, data };
}

function base64Of(file: string, contents: FileContents, secret: string): string {
  const bytes = Object.hasOwn(contents, file) ? contents[file] : undefined;
  if (bytes !== undefined) return Buffer.from(bytes).toString('base64');
  throw new SelfHostingError(
    'FILE_UNREADABLE',
    `${file}, which Secret ${secret} needs, is missing. With an external CA there is no ca.key, and then nothing can be ` +
      'stored in Secrets.',
  );
}
