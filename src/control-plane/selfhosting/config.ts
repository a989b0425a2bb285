import { SelfHostingError } from './errors.ts';
import { storesCertsInSecrets, type FeatureGates } from './v1-10/mutators.ts';

/** The fields that are read of kubeadm's MasterConfiguration (kubeadm.k8s.io/v1alpha1). */
export interface MasterConfiguration {
  /** Name of the node that the static Pods run on. */
  readonly nodeName: string;
  /** Directory of certificates and keys. Default: /etc/kubernetes/pki. */
  readonly certificatesDir?: string;
  readonly featureGates?: FeatureGates;
}

/**
 * The fields that are read of today's ClusterConfiguration, together with those of InitConfiguration, which has the
 * name of the node since kubeadm.k8s.io/v1alpha3.
 */
export interface ClusterConfiguration {
  readonly nodeRegistration: { readonly name: string };
  /** Directory of certificates and keys. Default: /etc/kubernetes/pki. */
  readonly certificatesDir?: string;
  readonly featureGates?: FeatureGates;
}

/** A kubeadm configuration, old or new. Fields that are not named here may be there and are not read. */
export type SelfHostingConfig = MasterConfiguration | ClusterConfiguration;

/** What a conversion needs of a configuration. */
export interface ConversionConfig {
  readonly nodeName: string;
  readonly certificatesDir: string;
  readonly featureGates: FeatureGates;
  readonly storesCertsInSecrets: boolean;
}

/** kubeadm's own default. */
const CERTIFICATES_DIR = '/etc/kubernetes/pki';

/** Throws `CONFIG_INCOMPLETE` where the node has no name: without it the mirror Pods have none either. */
export function conversionConfig(config: SelfHostingConfig): ConversionConfig {
  const { nodeName: oldName, nodeRegistration }: Partial<MasterConfiguration & ClusterConfiguration> = config;
  const nodeName = oldName || nodeRegistration?.name;
  if (!nodeName) {
    throw new SelfHostingError(
      'CONFIG_INCOMPLETE',
      'The configuration does not name the node: set `nodeRegistration.name`, or `nodeName` in a MasterConfiguration, ' +
        'to what `kubectl get nodes` shows.',
    );
  }
  const featureGates = config.featureGates ?? {};
  return {
    nodeName,
    certificatesDir: config.certificatesDir || CERTIFICATES_DIR,
    featureGates,
    storesCertsInSecrets: storesCertsInSecrets(featureGates),
  };
}
