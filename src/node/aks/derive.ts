import { encodeBundle } from './bundle.ts';
import { containerdContent, kubenetContent, sysctlContent } from './containerd.ts';
import { isGpuOn } from './gpu.ts';
import type { KubeletFlags } from './flags.ts';
import { printNodeLabels } from './labels.ts';
import { networkNames, parseSubnetId } from './network.ts';
import type { NodeBootstrapVariables } from './node-bootstrap-variables.ts';
import { azureCniUrl, cniPluginsUrl, credentialProviderUrl, kubeBinaryUrl, type Profile } from './profiles.ts';
import type { Entries, WellFormedOptions } from './read.ts';
import { VARIABLES } from './variables.ts';
import type { KubernetesVersion } from './version.ts';

/** What {@link deriveVariables} needs beyond the options. */
export interface Derivation {
  readonly profile: Profile;
  readonly version: KubernetesVersion;
  readonly lenient: boolean;
  readonly flags: KubeletFlags;
  readonly labels: Entries;
}

/** The variables that the options decide; every other one has the value that {@link defaults} gives it. */
export type DerivedVariables = Partial<NodeBootstrapVariables>;

/** Every variable that options decide, without the overrides. */
export function deriveVariables(options: WellFormedOptions, derivation: Derivation): DerivedVariables {
  const { profile, version, lenient, flags, labels } = derivation;
  const { arch = '' } = options;
  const isGpu = isGpuOn(options, profile);
  const isKubenet = profile.kubenet && options.networkPlugin === 'kubenet' && options.networkPolicy !== 'calico';
  const names = networkNames(options, profile);
  const subnet = parseSubnetId(options.subnetId ?? '');
  return {
    tenantID: options.tenantId ?? '',
    subscriptionID: options.subscriptionId ?? '',
    resourceGroup: options.resourceGroup ?? '',
    location: options.location ?? '',
    userAssignedIdentityID: options.kubeletIdentityClientId ?? options.userAssignedIdentityId ?? '',
    apiServerName: options.apiServerName ?? '',
    tlsBootstrapToken: options.kubeletClientTLSBootstrapToken ?? '',
    kubeCACrt: encodeBundle(options.caBundle ?? '', lenient),
    kubernetesVersion: version.text,
    kubeBinaryURL: version.minor < profile.binaryUrlBelow ? kubeBinaryUrl(version.text, arch) : '',
    credentialProviderDownloadURL: credentialProvider(profile, version.minor, arch),
    vnetcniLinuxPluginsURL: azureCniUrl(arch),
    cniPluginsURL: cniPluginsUrl(arch),
    networkPlugin: options.networkPlugin ?? '',
    networkPolicy: options.networkPolicy ?? '',
    networkSecurityGroup: names.securityGroup,
    routeTable: names.routeTable,
    subnet: subnet.subnet,
    virtualNetwork: subnet.virtualNetwork,
    virtualNetworkResourceGroup: subnet.resourceGroup,
    ensureNoDupePromiscuousBridge: isKubenet,
    gpuNode: isGpu,
    configGPUDriverIfNeeded: isGpu || profile.configGPUDriverAlways,
    gpuDriverVersion: isGpu ? (options.gpuDriverVersion ?? '') : '',
    gpuDriverType: isGpu ? (options.gpuDriverType ?? '') : '',
    gpuImageSHA: isGpu ? (options.gpuImageSHA ?? '') : '',
    containerdConfigContent: containerdContent({ gpu: isGpu, bridge: isKubenet }),
    kubeletFlags: flags.print(),
    kubeletNodeLabels: printNodeLabels(labels),
  };
}

function credentialProvider(profile: Profile, minor: number, arch: string): string {
  const facts = profile.credentialProvider;
  if (facts === undefined || minor < facts.from) return '';
  return credentialProviderUrl(facts.versions[minor] ?? facts.otherwise, arch);
}

/** The variables of a profile before any option is looked at. */
export function defaults(profile: Profile): NodeBootstrapVariables {
  return {
    ...(Object.fromEntries(VARIABLES.map((fact) => [fact.field, fact.default])) as unknown as NodeBootstrapVariables),
    vmType: profile.vmType,
    configGPUDriverIfNeeded: profile.configGPUDriverAlways,
    sysctlContent: sysctlContent(),
    kubenetTemplate: profile.kubenet ? kubenetContent() : '',
  };
}
