import { compareCodeUnits } from '../../../core/problem.ts';
import type { Container } from '../../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../labels.ts';
import { flagValues } from '../../../format/flags.ts';
import { argvOf } from './rule.ts';

/**
 * What a file is. The two kinds that issue credentials stand out: a CA's key, and the key that signs the tokens of
 * service accounts. A `configuration` may name further files.
 */
export type FileKind = 'certificate' | 'key' | 'ca-key' | 'token-key' | 'kubeconfig' | 'configuration';

/** A file that a component reads because a flag names it. */
export interface NeededFile {
  readonly flag: string;
  readonly path: string;
  readonly kind: FileKind;
}

type FlagTable = Readonly<Record<string, FileKind>>;

/** What every component of the control plane serves and asks with. */
const COMMON: FlagTable = {
  'client-ca-file': 'certificate',
  'requestheader-client-ca-file': 'certificate',
  'tls-cert-file': 'certificate',
  'tls-private-key-file': 'key',
};

const MANAGERS: FlagTable = {
  ...COMMON,
  'authentication-kubeconfig': 'kubeconfig',
  'authorization-kubeconfig': 'kubeconfig',
  kubeconfig: 'kubeconfig',
};

/** Every flag of a component whose value is a file that it reads. A flag without a value, or an empty one, needs none. */
const FILE_FLAGS: Readonly<Record<ControlPlaneComponent, FlagTable>> = {
  'kube-apiserver': {
    ...COMMON,
    'admission-control-config-file': 'configuration',
    'audit-policy-file': 'configuration',
    'audit-webhook-config-file': 'kubeconfig',
    'authentication-config': 'configuration',
    'authentication-token-webhook-config-file': 'kubeconfig',
    'authorization-config': 'configuration',
    'authorization-policy-file': 'configuration',
    'authorization-webhook-config-file': 'kubeconfig',
    'egress-selector-config-file': 'configuration',
    'encryption-provider-config': 'configuration',
    'etcd-cafile': 'certificate',
    'etcd-certfile': 'certificate',
    'etcd-keyfile': 'key',
    'kubelet-certificate-authority': 'certificate',
    'kubelet-client-certificate': 'certificate',
    'kubelet-client-key': 'key',
    'oidc-ca-file': 'certificate',
    'peer-ca-file': 'certificate',
    'proxy-client-cert-file': 'certificate',
    'proxy-client-key-file': 'key',
    'service-account-key-file': 'certificate',
    'service-account-signing-key-file': 'token-key',
    'token-auth-file': 'key',
    'tracing-config-file': 'configuration',
  },
  'kube-controller-manager': {
    ...MANAGERS,
    'cloud-config': 'configuration',
    'cluster-signing-cert-file': 'certificate',
    'cluster-signing-key-file': 'ca-key',
    'cluster-signing-kube-apiserver-client-cert-file': 'certificate',
    'cluster-signing-kube-apiserver-client-key-file': 'ca-key',
    'cluster-signing-kubelet-client-cert-file': 'certificate',
    'cluster-signing-kubelet-client-key-file': 'ca-key',
    'cluster-signing-kubelet-serving-cert-file': 'certificate',
    'cluster-signing-kubelet-serving-key-file': 'ca-key',
    'cluster-signing-legacy-unknown-cert-file': 'certificate',
    'cluster-signing-legacy-unknown-key-file': 'ca-key',
    'root-ca-file': 'certificate',
    'service-account-private-key-file': 'token-key',
  },
  'kube-scheduler': { ...MANAGERS, config: 'configuration' },
};

/** Certificates for further names: `certificate,key`, with the names behind a colon. Repeatable. */
const SNI_FLAG = 'tls-sni-cert-key';

/**
 * The files that the flags of a component name, sorted by flag and in the order of the flag's values. They are
 * computed from the flags alone: what kubeadm puts into a folder, and no flag names, nobody needs.
 */
export function neededFiles(component: ControlPlaneComponent, container: Container): readonly NeededFile[] {
  const argv = argvOf(container);
  const named = Object.entries(FILE_FLAGS[component])
    .toSorted(([a], [b]) => compareCodeUnits(a, b))
    .flatMap(([flag, kind]) => flagValues(argv, flag).map((path) => ({ flag, path, kind })));
  return [...named, ...flagValues(argv, SNI_FLAG).flatMap(sniFiles)].filter(({ path }) => path !== '');
}

function sniFiles(value: string): readonly NeededFile[] {
  const [certificate = '', key = ''] = value.split(':', 1)[0]!.split(',');
  return [
    { flag: SNI_FLAG, path: certificate, kind: 'certificate' },
    { flag: SNI_FLAG, path: key, kind: 'key' },
  ];
}
