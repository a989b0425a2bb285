// Written by `npm run generate` from the tables in schema.ts and variables.ts: change those, not this file.

/**
 * Every value that a node is bootstrapped with, before it is printed into the script. Field names are those
 * of the Go type in lower camel case.
 */
export interface NodeBootstrapVariables {
  /**
   * Whether the node boots in a cloud that only its operator knows, which adds a second wait and a certificate download.
   */
  isAKSCustomCloud: boolean;
  /**
   * Script that the custom-cloud branch waits for.
   */
  initAKSCustomCloudFilepath: string;
  /**
   * Package source of a custom cloud: REPO_DEPOT_ENDPOINT, which only the custom-cloud branch prints.
   */
  aksCustomCloudRepoDepotEndpoint: string;
  /**
   * Login of the administrator, whose password ageing is set.
   * Printed as ADMINUSER.
   */
  adminUsername: string;
  /**
   * Version of Moby, from the time before containerd.
   * Printed as MOBY_VERSION.
   */
  mobyVersion: string;
  /**
   * Entra tenant, for azure.json and the cloud provider.
   * Printed as TENANT_ID.
   */
  tenantID: string;
  /**
   * Kubernetes version of the node; the node scripts choose packages and kubelet settings by it.
   * Printed as KUBERNETES_VERSION.
   */
  kubernetesVersion: string;
  /**
   * Image of the all-in-one Kubernetes binary, which no longer exists.
   * Printed as HYPERKUBE_URL.
   */
  hyperkubeURL: string;
  /**
   * Where kubelet and kubectl are downloaded from when the image has not cached them; empty where they come as packages.
   * Printed as KUBE_BINARY_URL.
   */
  kubeBinaryURL: string;
  /**
   * Download of a private kubelet build, used instead of the other URL.
   * Printed as CUSTOM_KUBE_BINARY_URL.
   */
  customKubeBinaryURL: string;
  /**
   * Where the image credential provider is downloaded from when the image has not cached it.
   * Printed as CREDENTIAL_PROVIDER_DOWNLOAD_URL, only in aks/v1.14.
   */
  credentialProviderDownloadURL: string;
  /**
   * Image of kube-proxy, which runs as a Pod today.
   * Printed as KUBEPROXY_URL.
   */
  kubeproxyURL: string;
  /**
   * Certificate of the API server, base64, written to /etc/kubernetes/certs/apiserver.crt. Nodes do not need it.
   * Printed as APISERVER_PUBLIC_KEY.
   */
  apiServerPublicKey: string;
  /**
   * Azure subscription, for azure.json and the cloud provider.
   * Printed as SUBSCRIPTION_ID.
   */
  subscriptionID: string;
  /**
   * Resource group of the node, for azure.json and the cloud provider.
   * Printed as RESOURCE_GROUP.
   */
  resourceGroup: string;
  /**
   * Azure region, for azure.json and the cloud provider.
   * Printed as LOCATION.
   */
  location: string;
  /**
   * Kind of virtual machine that the cloud provider looks for: a wrong one breaks attaching disks.
   * Printed as VM_TYPE.
   */
  vmType: string;
  /**
   * Subnet of the node, for azure.json.
   * Printed as SUBNET.
   */
  subnet: string;
  /**
   * Network security group of the node subnet, for azure.json.
   * Printed as NETWORK_SECURITY_GROUP.
   */
  networkSecurityGroup: string;
  /**
   * Virtual network of the node, for azure.json.
   * Printed as VIRTUAL_NETWORK.
   */
  virtualNetwork: string;
  /**
   * Resource group of the virtual network, for azure.json.
   * Printed as VIRTUAL_NETWORK_RESOURCE_GROUP.
   */
  virtualNetworkResourceGroup: string;
  /**
   * Route table of the node subnet, for azure.json.
   * Printed as ROUTE_TABLE.
   */
  routeTable: string;
  /**
   * Availability set that the cloud provider puts behind load balancers.
   * Printed as PRIMARY_AVAILABILITY_SET.
   */
  primaryAvailabilitySet: string;
  /**
   * Scale set that the cloud provider puts behind load balancers.
   * Printed as PRIMARY_SCALE_SET.
   */
  primaryScaleSet: string;
  /**
   * Client ID of a service principal; `msi` says that a managed identity is used.
   * Printed as SERVICE_PRINCIPAL_CLIENT_ID.
   */
  servicePrincipalClientID: string;
  /**
   * Network plugin that the node scripts install.
   * Printed as NETWORK_PLUGIN.
   */
  networkPlugin: string;
  /**
   * Network policy engine; it also lands in /etc/default/kubelet.
   * Printed as NETWORK_POLICY.
   */
  networkPolicy: string;
  /**
   * Download of Azure CNI, used with the plugin azure when the image has not cached it.
   * Printed as VNET_CNI_PLUGINS_URL.
   */
  vnetcniLinuxPluginsURL: string;
  /**
   * Download of the standard CNI plugins, which images carry today.
   * Printed as CNI_PLUGINS_URL.
   */
  cniPluginsURL: string;
  /**
   * Whether the cloud provider backs off after a failed call.
   * Printed as CLOUDPROVIDER_BACKOFF.
   */
  cloudProviderBackoff: boolean;
  /**
   * How it backs off; with `v2` the node scripts delete exponent and jitter again.
   * Printed as CLOUDPROVIDER_BACKOFF_MODE.
   */
  cloudProviderBackoffMode: string;
  /**
   * How often a failed call is repeated.
   * Printed as CLOUDPROVIDER_BACKOFF_RETRIES.
   */
  cloudProviderBackoffRetries: string;
  /**
   * Base of the exponential back-off.
   * Printed as CLOUDPROVIDER_BACKOFF_EXPONENT.
   */
  cloudProviderBackoffExponent: string;
  /**
   * First pause between two tries, in seconds.
   * Printed as CLOUDPROVIDER_BACKOFF_DURATION.
   */
  cloudProviderBackoffDuration: string;
  /**
   * Random share added to each pause.
   * Printed as CLOUDPROVIDER_BACKOFF_JITTER.
   */
  cloudProviderBackoffJitter: string;
  /**
   * Whether the cloud provider limits its own calls.
   * Printed as CLOUDPROVIDER_RATELIMIT.
   */
  cloudProviderRatelimit: boolean;
  /**
   * Reads per second that the cloud provider allows itself.
   * Printed as CLOUDPROVIDER_RATELIMIT_QPS.
   */
  cloudProviderRatelimitQPS: string;
  /**
   * Writes per second that the cloud provider allows itself.
   * Printed as CLOUDPROVIDER_RATELIMIT_QPS_WRITE.
   */
  cloudProviderRatelimitQPSWrite: string;
  /**
   * Reads that it may do in a burst.
   * Printed as CLOUDPROVIDER_RATELIMIT_BUCKET.
   */
  cloudProviderRatelimitBucket: string;
  /**
   * Writes that it may do in a burst.
   * Printed as CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE.
   */
  cloudProviderRatelimitBucketWrite: string;
  /**
   * Whether load-balancer rules leave outbound address translation off.
   * Printed as LOAD_BALANCER_DISABLE_OUTBOUND_SNAT.
   */
  loadBalancerDisableOutboundSNAT: boolean;
  /**
   * Whether the node authenticates to Azure with a managed identity; false breaks pulls from Azure Container Registry.
   * Printed as USE_MANAGED_IDENTITY_EXTENSION.
   */
  useManagedIdentityExtension: boolean;
  /**
   * Whether the cloud provider asks the instance metadata service.
   * Printed as USE_INSTANCE_METADATA.
   */
  useInstanceMetadata: boolean;
  /**
   * Kind of load balancer of the cluster.
   * Printed as LOAD_BALANCER_SKU.
   */
  loadBalancerSKU: string;
  /**
   * Whether control-plane nodes stay out of the load balancer.
   * Printed as EXCLUDE_MASTER_FROM_STANDARD_LB.
   */
  excludeMasterFromStandardLB: boolean;
  /**
   * Most rules that the cloud provider puts on one load balancer.
   * Printed as MAXIMUM_LOADBALANCER_RULE_COUNT.
   */
  maximumLoadbalancerRuleCount: number;
  /**
   * Container runtime, always containerd.
   * Printed as CONTAINER_RUNTIME.
   */
  containerRuntime: string;
  /**
   * Client that the node scripts pull images with.
   * Printed as CLI_TOOL.
   */
  cliTool: string;
  /**
   * Where containerd was once downloaded from.
   * Printed as CONTAINERD_DOWNLOAD_URL_BASE.
   */
  containerdDownloadURLBase: string;
  /**
   * Mode of Azure CNI: the node scripts only look for `transparent`.
   * Printed as NETWORK_MODE.
   */
  networkMode: string;
  /**
   * Client ID of the kubelet identity, for azure.json and the credential provider.
   * Printed as USER_ASSIGNED_IDENTITY_ID.
   */
  userAssignedIdentityID: string;
  /**
   * Host name of the API server, for the kubeconfig files and the reachability check.
   * Printed as API_SERVER_NAME.
   */
  apiServerName: string;
  /**
   * Whether the image was built with everything on it; false makes the node scripts install it.
   * Printed as IS_VHD.
   */
  isVHD: boolean;
  /**
   * Whether the node scripts set up a GPU.
   * Printed as GPU_NODE.
   */
  gpuNode: boolean;
  /**
   * Whether the machine has SGX enclaves.
   * Printed as SGX_NODE.
   */
  sgxNode: boolean;
  /**
   * Whether the GPU is cut into instances; the node reboots once for it.
   * Printed as MIG_NODE.
   */
  migNode: boolean;
  /**
   * Whether the GPU driver is installed when the GPU needs one.
   * Printed as CONFIG_GPU_DRIVER_IF_NEEDED.
   */
  configGPUDriverIfNeeded: boolean;
  /**
   * Whether the GPU device plugin runs as a service of the node.
   * Printed as ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED.
   */
  enableGPUDevicePluginIfNeeded: boolean;
  /**
   * Download of the Teleport snapshotter, which was given up.
   * Printed as TELEPORTD_PLUGIN_DOWNLOAD_URL.
   */
  teleportdPluginDownloadURL: string;
  /**
   * Version of containerd to install in place of the one on the image.
   * Printed as CONTAINERD_VERSION.
   */
  containerdVersion: string;
  /**
   * Package of containerd to install in place of the one on the image.
   * Printed as CONTAINERD_PACKAGE_URL.
   */
  containerdPackageURL: string;
  /**
   * Version of runc, chosen by the image today.
   * Printed as RUNC_VERSION.
   */
  runcVersion: string;
  /**
   * Package of runc to install in place of the one on the image.
   * Printed as RUNC_PACKAGE_URL.
   */
  runcPackageURL: string;
  /**
   * Whether a service keeps the private API server address in /etc/hosts.
   * Printed as ENABLE_HOSTS_CONFIG_AGENT.
   */
  enableHostsConfigAgent: boolean;
  /**
   * Whether the SSH server is turned off.
   * Printed as DISABLE_SSH.
   */
  disableSSH: boolean;
  /**
   * Whether containerd is set up, always true.
   * Printed as NEEDS_CONTAINERD.
   */
  needsContainerd: boolean;
  /**
   * Whether the Teleport snapshotter is used, which was given up.
   * Printed as TELEPORT_ENABLED.
   */
  teleportEnabled: boolean;
  /**
   * Whether the proxy settings are applied.
   * Printed as SHOULD_CONFIGURE_HTTP_PROXY.
   */
  shouldConfigureHTTPProxy: boolean;
  /**
   * Whether the certificate of the proxy is trusted.
   * Printed as SHOULD_CONFIGURE_HTTP_PROXY_CA.
   */
  shouldConfigureHTTPProxyCA: boolean;
  /**
   * Certificates with which the proxy signs, base64 of PEM.
   * Printed as HTTP_PROXY_TRUSTED_CA.
   */
  httpProxyTrustedCA: string;
  /**
   * Whether the extra certificates are trusted.
   * Printed as SHOULD_CONFIGURE_CUSTOM_CA_TRUST.
   */
  shouldConfigureCustomCATrust: boolean;
  /**
   * Extra certificates that the whole node trusts, each base64 of PEM: CUSTOM_CA_TRUST_COUNT and one CUSTOM_CA_CERT_<n> each, counted from 0.
   * Printed as CUSTOM_CA_TRUST_COUNT.
   */
  customCATrustConfigCerts: readonly string[];
  /**
   * Whether the node runs WebAssembly instead of a kubelet, which was given up.
   * Printed as IS_KRUSTLET.
   */
  isKrustlet: boolean;
  /**
   * Whether the service runs without which NVLink machines report CUDA error 802.
   * Printed as GPU_NEEDS_FABRIC_MANAGER.
   */
  gpuNeedsFabricManager: boolean;
  /**
   * Whether Docker logs in to a registry, from the time before containerd.
   * Printed as NEEDS_DOCKER_LOGIN.
   */
  needsDockerLogin: boolean;
  /**
   * Whether the node gets an IPv6 address by DHCP besides the IPv4 one.
   * Printed as IPV6_DUAL_STACK_ENABLED.
   */
  ipv6DualStackEnabled: boolean;
  /**
   * Command that proves that the node reaches the Internet; split at blanks, no shell syntax. Empty skips the test.
   * Printed as OUTBOUND_COMMAND.
   */
  outboundCommand: string;
  /**
   * Whether the operating system installs updates by itself.
   * Printed as ENABLE_UNATTENDED_UPGRADES.
   */
  enableUnattendedUpgrades: boolean;
  /**
   * Whether duplicate packets of the kubenet bridge are filtered.
   * Printed as ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE.
   */
  ensureNoDupePromiscuousBridge: boolean;
  /**
   * Whether a swap file is made.
   * Printed as SHOULD_CONFIG_SWAP_FILE.
   */
  shouldConfigSwapFile: boolean;
  /**
   * Whether the huge-page settings are applied.
   * Printed as SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE.
   */
  shouldConfigTransparentHugePage: boolean;
  /**
   * Azure cloud of the node.
   * Printed as TARGET_CLOUD.
   */
  targetCloud: string;
  /**
   * Azure environment of the node, the same as the cloud outside custom clouds.
   * Printed as TARGET_ENVIRONMENT.
   */
  targetEnvironment: string;
  /**
   * Endpoints of a custom cloud, base64 of JSON.
   * Printed as CUSTOM_ENV_JSON.
   */
  customEnvJSON: string;
  /**
   * Whether the endpoints of a custom cloud are written.
   * Printed as IS_CUSTOM_CLOUD.
   */
  isCustomCloud: boolean;
  /**
   * Node script with shared functions.
   * Printed as CSE_HELPERS_FILEPATH.
   */
  cseHelpersFilepath: string;
  /**
   * Node script with shared functions of the distribution.
   * Printed as CSE_DISTRO_HELPERS_FILEPATH.
   */
  cseDistroHelpersFilepath: string;
  /**
   * Node script that installs.
   * Printed as CSE_INSTALL_FILEPATH.
   */
  cseInstallFilepath: string;
  /**
   * Node script that installs what only the distribution knows.
   * Printed as CSE_DISTRO_INSTALL_FILEPATH.
   */
  cseDistroInstallFilepath: string;
  /**
   * Node script that writes configuration.
   * Printed as CSE_CONFIG_FILEPATH.
   */
  cseConfigFilepath: string;
  /**
   * Private registry to log in to, from the time before the credential provider.
   * Printed as AZURE_PRIVATE_REGISTRY_SERVER.
   */
  azurePrivateRegistryServer: string;
  /**
   * Whether the node joins a realm and gets its DNS search domain.
   * Printed as HAS_CUSTOM_SEARCH_DOMAIN.
   */
  hasCustomSearchDomain: boolean;
  /**
   * Node script that joins the realm.
   * Printed as CUSTOM_SEARCH_DOMAIN_FILEPATH.
   */
  customSearchDomainFilepath: string;
  /**
   * Proxy for http, a URL.
   * Printed as HTTP_PROXY_URLS.
   */
  httpProxyURLs: string;
  /**
   * Proxy for https, a URL.
   * Printed as HTTPS_PROXY_URLS.
   */
  httpsProxyURLs: string;
  /**
   * Hosts that are reached without a proxy, separated by commas.
   * Printed as NO_PROXY_URLS.
   */
  noProxyURLs: string;
  /**
   * Whether the kubelet asks for its certificate, always true.
   * Printed as ENABLE_TLS_BOOTSTRAPPING.
   */
  tlsBootstrappingEnabled: boolean;
  /**
   * Whether the kubelet proves itself with its Azure identity first; the token stays as the fallback.
   * Printed as ENABLE_SECURE_TLS_BOOTSTRAPPING.
   */
  secureTLSBootstrappingEnabled: boolean;
  /**
   * Whether the cluster signs the kubelet's serving certificate instead of the node itself.
   * Printed as ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION, only in aks/v1.14.
   */
  enableKubeletServingCertificateRotation: boolean;
  /**
   * Unit file of the DHCPv6 client, fixed on images today.
   * Printed as DHCPV6_SERVICE_FILEPATH.
   */
  dhcpv6ServiceFilepath: string;
  /**
   * Configuration of the DHCPv6 client, fixed on images today.
   * Printed as DHCPV6_CONFIG_FILEPATH.
   */
  dhcpv6ConfigFilepath: string;
  /**
   * When the kernel uses transparent huge pages.
   * Printed as THP_ENABLED.
   */
  thpEnabled: string;
  /**
   * When the kernel makes room for transparent huge pages.
   * Printed as THP_DEFRAG.
   */
  thpDefrag: string;
  /**
   * Password of the service principal, base64; base64 of `msi` with a managed identity.
   * Printed as SERVICE_PRINCIPAL_FILE_CONTENT.
   */
  servicePrincipalFileContent: string;
  /**
   * Private key of a ready-made kubelet certificate, base64; only read without a bootstrap token.
   * Printed as KUBELET_CLIENT_CONTENT.
   */
  kubeletClientContent: string;
  /**
   * Ready-made kubelet certificate, base64; only read without a bootstrap token.
   * Printed as KUBELET_CLIENT_CERT_CONTENT.
   */
  kubeletClientCertContent: string;
  /**
   * Whether the kubelet reads a configuration file besides its flags; flags win.
   * Printed as KUBELET_CONFIG_FILE_ENABLED.
   */
  kubeletConfigFileEnabled: boolean;
  /**
   * The kubelet configuration file, base64 of JSON.
   * Printed as KUBELET_CONFIG_FILE_CONTENT.
   */
  kubeletConfigFileContent: string;
  /**
   * Size of the swap file, in units of 1,000 KiB.
   * Printed as SWAP_FILE_SIZE_MB.
   */
  swapFileSizeMB: number;
  /**
   * Suffix of the tag of the GPU driver image.
   * Printed as GPU_IMAGE_SHA.
   */
  gpuImageSHA: string;
  /**
   * Version of the GPU driver, a part of the name of its image.
   * Printed as GPU_DRIVER_VERSION.
   */
  gpuDriverVersion: string;
  /**
   * Kind of the GPU driver, a part of the name of its image.
   * Printed as GPU_DRIVER_TYPE, only in aks/v1.14.
   */
  gpuDriverType: string;
  /**
   * How the GPU is cut into instances.
   * Printed as GPU_INSTANCE_PROFILE.
   */
  gpuInstanceProfile: string;
  /**
   * DNS search domain and name of the realm.
   * Printed as CUSTOM_SEARCH_DOMAIN_NAME.
   */
  customSearchDomainName: string;
  /**
   * Account that joins the realm.
   * Printed as CUSTOM_SEARCH_REALM_USER.
   */
  customSearchRealmUser: string;
  /**
   * Password of that account.
   * Printed as CUSTOM_SEARCH_REALM_PASSWORD.
   */
  customSearchRealmPassword: string;
  /**
   * Text that /etc/motd shows at login, base64.
   * Printed as MESSAGE_OF_THE_DAY.
   */
  messageOfTheDay: string;
  /**
   * Whether the kubelet keeps its data on the temporary disk.
   * Printed as HAS_KUBELET_DISK_TYPE.
   */
  hasKubeletDiskType: boolean;
  /**
   * Whether the kubelet uses the systemd cgroup driver, as containerd does.
   * Printed as NEEDS_CGROUPV2.
   */
  needsCgroupV2: boolean;
  /**
   * Kernel settings of the node, base64 of `name=value` lines.
   * Printed as SYSCTL_CONTENT.
   */
  sysctlContent: string;
  /**
   * Token with which the kubelet asks for its first certificate.
   * Printed as TLS_BOOTSTRAP_TOKEN.
   */
  tlsBootstrapToken: string;
  /**
   * Flags of the kubelet, `--name=value`, separated by one blank.
   * Printed as KUBELET_FLAGS.
   */
  kubeletFlags: string;
  /**
   * Labels that the node registers with, `key=value`, separated by commas.
   * Printed as KUBELET_NODE_LABELS.
   */
  kubeletNodeLabels: string;
  /**
   * File with the endpoints of a custom cloud; empty elsewhere.
   * Printed as AZURE_ENVIRONMENT_FILEPATH.
   */
  azureEnvironmentFilepath: string;
  /**
   * Certificates of the cluster's authority, base64 of PEM, written to /etc/kubernetes/certs/ca.crt.
   * Printed as KUBE_CA_CRT.
   */
  kubeCACrt: string;
  /**
   * CNI configuration that containerd fills in for kubenet, base64.
   * Printed as KUBENET_TEMPLATE, only in aks/v0.4.0.
   */
  kubenetTemplate: string;
  /**
   * Configuration of containerd, base64 of TOML.
   * Printed as CONTAINERD_CONFIG_CONTENT.
   */
  containerdConfigContent: string;
  /**
   * Whether Pods run in Kata virtual machines, which needs another containerd configuration than ours.
   * Printed as IS_KATA.
   */
  isKata: boolean;
  /**
   * Registry of Microsoft's images. A literal of the Go template.
   * Printed as MCR_REPOSITORY_BASE, only in aks/v1.14.
   */
  mcrRepositoryBase: string;
  /**
   * Whether Pods are kept away from the instance metadata service. A literal of the Go template.
   * Printed as ENABLE_IMDS_RESTRICTION, only in aks/v1.14.
   */
  enableIMDSRestriction: boolean;
  /**
   * Whether that rule goes into the mangle table. A literal of the Go template.
   * Printed as INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE, only in aks/v1.14.
   */
  insertIMDSRestrictionRuleToMangleTable: boolean;
  /**
   * How long the node scripts may take, as `timeout` of GNU coreutils reads it: a number and s, m, h or d. A literal of the Go template.
   * Printed as CSE_TIMEOUT, only in aks/v1.14.
   */
  cseTimeout: string;
}
