import { describe, expect, test } from 'vitest';
import { SOURCE_CLASSES, VARIABLES } from './variables.ts';

/** Fields of the Go type at v0.4.0: name, type and the letters of its documentation. */
const GO_FIELDS: readonly (readonly [name: string, type: string, sourceClass: string])[] = [
  ['IsAKSCustomCloud', 'boolean', 'n'],
  ['InitAKSCustomCloudFilepath', 'string', 'n'],
  ['AKSCustomCloudRepoDepotEndpoint', 'string', 'n'],
  ['AdminUsername', 'string', 't'],
  ['MobyVersion', 'string', '-'],
  ['TenantID', 'string', 'p'],
  ['KubernetesVersion', 'string', '?'],
  ['HyperkubeURL', 'string', '-'],
  ['KubeBinaryURL', 'string', '-'],
  ['CustomKubeBinaryURL', 'string', '-'],
  ['KubeproxyURL', 'string', '-'],
  ['APIServerPublicKey', 'string', '-'],
  ['SubscriptionID', 'string', 'a'],
  ['ResourceGroup', 'string', 'a'],
  ['Location', 'string', 'a'],
  ['VMType', 'string', 'xd'],
  ['Subnet', 'string', 'xd'],
  ['NetworkSecurityGroup', 'string', 'xk'],
  ['VirtualNetwork', 'string', 'xk'],
  ['VirtualNetworkResourceGroup', 'string', 'xd'],
  ['RouteTable', 'string', 'xk'],
  ['PrimaryAvailabilitySet', 'string', '-'],
  ['PrimaryScaleSet', 'string', '-'],
  ['ServicePrincipalClientID', 'string', 'ad'],
  ['NetworkPlugin', 'string', 'x'],
  ['NetworkPolicy', 'string', 'x'],
  ['VNETCNILinuxPluginsURL', 'string', '-'],
  ['CNIPluginsURL', 'string', '-'],
  ['CloudProviderBackoff', 'boolean', 's'],
  ['CloudProviderBackoffMode', 'string', 's'],
  ['CloudProviderBackoffRetries', 'string', 's'],
  ['CloudProviderBackoffExponent', 'string', 's'],
  ['CloudProviderBackoffDuration', 'string', 's'],
  ['CloudProviderBackoffJitter', 'string', 's'],
  ['CloudProviderRatelimit', 'boolean', 's'],
  ['CloudProviderRatelimitQPS', 'string', 's'],
  ['CloudProviderRatelimitQPSWrite', 'string', 's'],
  ['CloudProviderRatelimitBucket', 'string', 's'],
  ['CloudProviderRatelimitBucketWrite', 'string', 's'],
  ['LoadBalancerDisableOutboundSNAT', 'boolean', 'xd'],
  ['UseManagedIdentityExtension', 'boolean', 's'],
  ['UseInstanceMetadata', 'boolean', 's'],
  ['LoadBalancerSKU', 'string', 'xd'],
  ['ExcludeMasterFromStandardLB', 'boolean', 's'],
  ['MaximumLoadbalancerRuleCount', 'integer', 'xd'],
  ['ContainerRuntime', 'string', 's'],
  ['CLITool', 'string', 's'],
  ['ContainerdDownloadURLBase', 'string', '-'],
  ['NetworkMode', 'string', 'c'],
  ['UserAssignedIdentityID', 'string', 'a'],
  ['APIServerName', 'string', 'x'],
  ['IsVHD', 'boolean', 's'],
  ['GPUNode', 'boolean', 'k'],
  ['SGXNode', 'boolean', '-'],
  ['MIGNode', 'boolean', 't'],
  ['ConfigGPUDriverIfNeeded', 'boolean', 's'],
  ['EnableGPUDevicePluginIfNeeded', 'boolean', '-'],
  ['TeleportdPluginDownloadURL', 'string', '-'],
  ['ContainerdVersion', 'string', '-'],
  ['ContainerdPackageURL', 'string', '-'],
  ['RuncVersion', 'string', '-'],
  ['RuncPackageURL', 'string', '-'],
  ['EnableHostsConfigAgent', 'boolean', 'n'],
  ['DisableSSH', 'boolean', 't'],
  ['NeedsContainerd', 'boolean', 's'],
  ['TeleportEnabled', 'boolean', 't'],
  ['ShouldConfigureHTTPProxy', 'boolean', 'c'],
  ['ShouldConfigureHTTPProxyCA', 'boolean', 'c'],
  ['HTTPProxyTrustedCA', 'string', 'c'],
  ['ShouldConfigureCustomCATrust', 'boolean', 'c'],
  ['CustomCATrustConfigCerts', 'string list', 'c'],
  ['IsKrustlet', 'boolean', 't'],
  ['GPUNeedsFabricManager', 'boolean', 'v'],
  ['NeedsDockerLogin', 'boolean', 't'],
  ['IPv6DualStackEnabled', 'boolean', 't'],
  ['OutboundCommand', 'string', 's'],
  ['EnableUnattendedUpgrades', 'boolean', 'c'],
  ['EnsureNoDupePromiscuousBridge', 'boolean', 'k'],
  ['ShouldConfigSwapFile', 'boolean', 't'],
  ['ShouldConfigTransparentHugePage', 'boolean', 't'],
  ['TargetCloud', 'string', 'n'],
  ['TargetEnvironment', 'string', 'n'],
  ['CustomEnvJSON', 'string', 'n'],
  ['IsCustomCloud', 'boolean', 'n'],
  ['CSEHelpersFilepath', 'string', 's'],
  ['CSEDistroHelpersFilepath', 'string', 's'],
  ['CSEInstallFilepath', 'string', 's'],
  ['CSEDistroInstallFilepath', 'string', 's'],
  ['CSEConfigFilepath', 'string', 's'],
  ['AzurePrivateRegistryServer', 'string', 'c'],
  ['HasCustomSearchDomain', 'boolean', 'c'],
  ['CustomSearchDomainFilepath', 'string', 's'],
  ['HTTPProxyURLs', 'string', 'c'],
  ['HTTPSProxyURLs', 'string', 'c'],
  ['NoProxyURLs', 'string', 'c'],
  ['TLSBootstrappingEnabled', 'boolean', 's'],
  ['SecureTLSBootstrappingEnabled', 'boolean', 's'],
  ['DHCPv6ServiceFilepath', 'string', 'k'],
  ['DHCPv6ConfigFilepath', 'string', 'k'],
  ['THPEnabled', 'string', 'c'],
  ['THPDefrag', 'string', 'c'],
  ['ServicePrincipalFileContent', 'string', 's'],
  ['KubeletClientContent', 'string', '-'],
  ['KubeletClientCertContent', 'string', '-'],
  ['KubeletConfigFileEnabled', 'boolean', 's'],
  ['KubeletConfigFileContent', 'string', 's'],
  ['SwapFileSizeMB', 'integer', 't'],
  ['GPUImageSHA', 'string', 's'],
  ['GPUDriverVersion', 'string', 'k'],
  ['GPUInstanceProfile', 'string', 't'],
  ['CustomSearchDomainName', 'string', 'c'],
  ['CustomSearchRealmUser', 'string', 'c'],
  ['CustomSearchRealmPassword', 'string', 'c'],
  ['MessageOfTheDay', 'string', 't'],
  ['HasKubeletDiskType', 'boolean', 't'],
  ['NeedsCgroupV2', 'boolean', 'k'],
  ['SysctlContent', 'string', 't'],
  ['TLSBootstrapToken', 'string', 'X'],
  ['KubeletFlags', 'string', 'psX'],
  ['KubeletNodeLabels', 'string', 'pk'],
  ['AzureEnvironmentFilepath', 'string', 's'],
  ['KubeCACrt', 'string', 'x'],
  ['KubenetTemplate', 'string', 's'],
  ['ContainerdConfigContent', 'string', 'k'],
  ['IsKata', 'boolean', 'n'],
];

/** Fields that the Go type has got since. */
const LATER_FIELDS = ['CredentialProviderDownloadURL', 'EnableKubeletServingCertificateRotation', 'GPUDriverType'];

/** Variables that no script of a node reads. */
const DEAD = [
  'AZURE_PRIVATE_REGISTRY_SERVER',
  'CNI_PLUGINS_URL',
  'CONTAINERD_DOWNLOAD_URL_BASE',
  'CONTAINER_RUNTIME',
  'DHCPV6_CONFIG_FILEPATH',
  'DHCPV6_SERVICE_FILEPATH',
  'ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED',
  'ENABLE_TLS_BOOTSTRAPPING',
  'HYPERKUBE_URL',
  'IS_KRUSTLET',
  'KUBEPROXY_URL',
  'MOBY_VERSION',
  'NEEDS_CONTAINERD',
  'NEEDS_DOCKER_LOGIN',
  'RUNC_VERSION',
  'SGX_NODE',
  'TELEPORTD_PLUGIN_DOWNLOAD_URL',
  'TELEPORT_ENABLED',
];

/** Variables that azure.json holds without quotes around them. */
const BARE_IN_AZURE_JSON = [
  'CLOUDPROVIDER_BACKOFF',
  'CLOUDPROVIDER_BACKOFF_DURATION',
  'CLOUDPROVIDER_BACKOFF_EXPONENT',
  'CLOUDPROVIDER_BACKOFF_JITTER',
  'CLOUDPROVIDER_BACKOFF_RETRIES',
  'CLOUDPROVIDER_RATELIMIT',
  'CLOUDPROVIDER_RATELIMIT_BUCKET',
  'CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE',
  'CLOUDPROVIDER_RATELIMIT_QPS',
  'CLOUDPROVIDER_RATELIMIT_QPS_WRITE',
  'EXCLUDE_MASTER_FROM_STANDARD_LB',
  'LOAD_BALANCER_DISABLE_OUTBOUND_SNAT',
  'MAXIMUM_LOADBALANCER_RULE_COUNT',
  'USE_INSTANCE_METADATA',
  'USE_MANAGED_IDENTITY_EXTENSION',
];

/** The leading capitals fall as one word; IPv6 and DHCPv6 are words. */
function lowerCamelCase(go: string): string {
  return go.replace(/^(?:IPv6|DHCPv6|[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z])/, (word) => word.toLowerCase());
}

function assignedBy(profile: 'aks/v0.4.0' | 'aks/v1.14'): string[] {
  return VARIABLES.filter((fact) => fact.profiles.includes(profile)).flatMap(({ variable }) => variable ?? []);
}

describe('every field of the Go type', () => {
  test.each(GO_FIELDS)('%s is there, a %s of class %s', (name, type, sourceClass) => {
    const facts = VARIABLES.filter((fact) => fact.go === name);
    expect(facts).toMatchObject([{ field: lowerCamelCase(name), type, sourceClass }]);
  });

  test('and no other, but for what newer versions have', () => {
    const known = [...GO_FIELDS.map(([name]) => name), ...LATER_FIELDS];
    expect(VARIABLES.flatMap(({ go }) => go ?? []).toSorted()).toEqual(known.toSorted());
  });

  test('what newer versions have is not in aks/v0.4.0', () => {
    for (const name of LATER_FIELDS) {
      expect(VARIABLES.find((fact) => fact.go === name)?.profiles, name).toEqual(['aks/v1.14']);
    }
  });
});

describe('the table', () => {
  test('has no field and no variable twice', () => {
    for (const names of [VARIABLES.map(({ field }) => field), VARIABLES.flatMap(({ variable }) => variable ?? [])]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('explains every letter of every class', () => {
    for (const { field, sourceClass } of VARIABLES) {
      for (const letter of sourceClass) expect(SOURCE_CLASSES, field).toHaveProperty([letter]);
    }
  });

  test('has a default of the type that it names', () => {
    for (const fact of VARIABLES) {
      const type = Array.isArray(fact.default) ? 'string list' : typeof fact.default;
      expect(type === 'number' ? 'integer' : type, fact.field).toBe(fact.type);
    }
  });

  test('has a default that is one of the values, where values are listed', () => {
    for (const fact of VARIABLES) if (fact.values) expect(fact.values, fact.field).toContain(fact.default);
  });

  test('names the options that decide a value which they decide', () => {
    for (const { field, origin, from } of VARIABLES) {
      expect(from !== undefined, field).toBe(origin === 'option' || origin === 'computed');
    }
  });

  test('assigns 122 variables on aks/v0.4.0 and 128 on aks/v1.14', () => {
    // Go has two lines more: KUBE_BINARY_URL a second time, and one in the custom-cloud branch.
    expect(assignedBy('aks/v0.4.0')).toHaveLength(122);
    expect(assignedBy('aks/v1.14')).toHaveLength(128);
  });

  test('marks the variables that nothing reads', () => {
    const dead = VARIABLES.filter(({ variable, readers }) => variable !== null && readers.length === 0);
    expect(dead.flatMap(({ variable }) => variable ?? []).toSorted()).toEqual(DEAD);
  });

  test('marks the variables that azure.json holds without quotes', () => {
    const bare = VARIABLES.filter(({ carrier }) => carrier === 'azure.json literal');
    expect(bare.flatMap(({ variable }) => variable ?? []).toSorted()).toEqual(BARE_IN_AZURE_JSON);
  });

  test('lets no text into azure.json without quotes that is no number', () => {
    for (const { field, carrier, type, rule } of VARIABLES) {
      if (carrier === 'azure.json literal' && type === 'string') expect(rule, field).toBe('json number');
    }
  });
});
