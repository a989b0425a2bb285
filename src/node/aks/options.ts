// Written by `npm run generate` from the tables in schema.ts and variables.ts: change those, not this file.

/** What a provisioner knows of a node pool, the same for every bootstrapper. `null` means absent. */
export interface Options {
  /**
   * Name of the cluster. It never reaches the script, in Go as here, and is accepted so that a caller can pass on what it has.
   * @default no effect
   * @since 0.1.0
   */
  readonly clusterName?: string | null | undefined;
  /**
   * URL of the API server. It never reaches the script, in Go as here: the node takes `apiServerName`.
   * @default no effect
   * @since 0.1.0
   */
  readonly clusterEndpoint?: string | null | undefined;
  /**
   * Settings of the kubelet, each of which replaces one flag of the profile's base set.
   * @default the base flags alone
   * @since 0.1.0
   */
  readonly kubeletConfig?: KubeletConfiguration | null | undefined;
  /**
   * Taints that the node registers with, kept in the order given. A key may come several times with different effects.
   * @default no taint
   * @since 0.1.0
   */
  readonly taints?: readonly Taint[] | null | undefined;
  /**
   * Labels that the node registers with. On aks/v0.4.0 the profile adds mode, role and cluster; on aks/v1.14 the caller owns every label.
   * @default none on aks/v1.14, the three of the profile on aks/v0.4.0
   * @since 0.1.0
   */
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  /**
   * Certificates of the cluster's certificate authority: base64 of PEM. Raw PEM and base64 with line breaks are taken and encoded (lenient passes the text on as it is).
   * @default required; Go panics without it
   * @since 0.1.0
   */
  readonly caBundle: string;
  /**
   * Whether the machine has a GPU that the node scripts set up.
   * @default false
   * @since 0.1.0
   */
  readonly gpuNode?: boolean | null | undefined;
  /**
   * Version of the GPU driver. On aks/v0.4.0 it begins with the driver type, as in `cuda-535.54.03`.
   * @default empty; required while GPU set-up is on
   * @since 0.1.0
   */
  readonly gpuDriverVersion?: string | null | undefined;
  /**
   * Kind of the GPU driver, a part of the name of its image: `cuda`, `cuda-lts`, `grid` and so on.
   * Only in aks/v1.14.
   * @default empty; required while GPU set-up is on
   * @since 0.1.0
   */
  readonly gpuDriverType?: string | null | undefined;
  /**
   * Suffix of the GPU driver image's tag. Write it in quotes: unquoted YAML digits are a number.
   * @default empty; required while GPU set-up is on
   * @since 0.1.0
   */
  readonly gpuImageSHA?: string | null | undefined;
  /**
   * Whether the node scripts install the GPU driver. False (the default, as in Go) turns the whole GPU set-up off, for users of the GPU Operator.
   * Only in aks/v1.14.
   * @default false
   * @since 0.1.0
   */
  readonly gpuDriverInstallationEnabled?: boolean | null | undefined;
  /**
   * Azure resource ID of the subnet. Names of the virtual network, its resource group and the subnet are taken from it; their case is kept.
   * @default required; lenient leaves the three variables empty, as Go does
   * @since 0.1.0
   */
  readonly subnetId: string;
}

/** Everything that the AKS bootstrappers take. `null` means absent. */
export interface AKSOptions extends Options {
  /**
   * CPU architecture of the machine, a part of every download URL.
   * @default required
   * @since 0.1.0
   */
  readonly arch: string;
  /**
   * Entra tenant of the subscription, a uuid (another text is a warning).
   * @default required
   * @since 0.1.0
   */
  readonly tenantId: string;
  /**
   * Azure subscription of the node, a uuid (another text is a warning).
   * @default required
   * @since 0.1.0
   */
  readonly subscriptionId: string;
  /**
   * Client ID of the kubelet's managed identity, a uuid. aks/v1.14 calls it `kubeletIdentityClientId`.
   * Only in aks/v0.4.0.
   * @default required
   * @since 0.1.0
   */
  readonly userAssignedIdentityId?: string | null | undefined;
  /**
   * Client ID of the kubelet's managed identity, a uuid. aks/v0.4.0 calls it `userAssignedIdentityId`.
   * Only in aks/v1.14.
   * @default required
   * @since 0.1.0
   */
  readonly kubeletIdentityClientId?: string | null | undefined;
  /**
   * Azure region in its short form, such as `westus2`.
   * @default required
   * @since 0.1.0
   */
  readonly location: string;
  /**
   * The cluster's node resource group, 1 to 90 characters. On aks/v0.4.0 the cluster label is made from it.
   * @default required
   * @since 0.1.0
   */
  readonly resourceGroup: string;
  /**
   * Eight digits that AKS puts into the names of the network security group and the route table. Write them in quotes: unquoted YAML digits are a number.
   * Only in aks/v0.4.0.
   * @default required
   * @since 0.1.0
   */
  readonly clusterId?: string | null | undefined;
  /**
   * Name of the node subnet's network security group.
   * Only in aks/v1.14.
   * @default required
   * @since 0.1.0
   */
  readonly networkSecurityGroupName?: string | null | undefined;
  /**
   * Name of the node subnet's route table.
   * Only in aks/v1.14.
   * @default required
   * @since 0.1.0
   */
  readonly routeTableName?: string | null | undefined;
  /**
   * DNS name or IPv4 address of the API server, without scheme and port: the node adds https and 443.
   * @default required
   * @since 0.1.0
   */
  readonly apiServerName: string;
  /**
   * Bootstrap token with which the kubelet asks for its first certificate: six characters, a dot, sixteen characters. Secret.
   * @default required
   * @since 0.1.0
   */
  readonly kubeletClientTLSBootstrapToken: string;
  /**
   * Network plugin that the node scripts install. Karpenter sends `none` for Azure CNI overlay.
   * @default required
   * @since 0.1.0
   */
  readonly networkPlugin: string;
  /**
   * Network policy engine of the cluster.
   * @default empty: none
   * @since 0.1.0
   */
  readonly networkPolicy?: string | null | undefined;
  /**
   * Kubernetes version of the node: three numbers without a leading v; pre-release and build are allowed. Write it in quotes.
   * @default required
   * @since 0.1.0
   */
  readonly kubernetesVersion: string;
  /**
   * Bootstrap variables that no other option reaches, by field name: proxy, certificates, swap and so on. See the variable reference. An override brings its companions with it, or is refused.
   * @default the values of the profile
   * @since 0.1.0
   */
  readonly overrides?: Overrides | null | undefined;
  /**
   * Variables that the node scripts read and the profile does not set, by shell name. Values are treated as secrets.
   * @default none
   * @since 0.1.0
   */
  readonly extraVariables?: Readonly<Record<string, string>> | null | undefined;
}

/** Settings of the kubelet, spelt as Kubernetes JSON spells them. */
export interface KubeletConfiguration {
  /**
   * Most Pods on the node: `--max-pods`. Must be set whenever `kubeletConfig` is on aks/v1.14, where Go makes 0 of an absent one.
   * @default 110 (aks/v0.4.0, or no `kubeletConfig` at all)
   * @since 0.1.0
   */
  readonly maxPods?: number | null | undefined;
  /**
   * Most Pods per CPU core: `--pods-per-core`; 0 is no limit.
   * Only in aks/v0.4.0.
   * @default no limit
   * @since 0.1.0
   */
  readonly podsPerCore?: number | null | undefined;
  /**
   * Accepted and dropped by the profile, in Go as under lenient: strict refuses it. aks/v1.14 has `clusterDNSServiceIP`.
   * Only in aks/v0.4.0.
   * @default 10.0.0.10, always
   * @since 0.1.0
   */
  readonly clusterDNS?: readonly string[] | null | undefined;
  /**
   * IP address of the cluster's DNS Service: `--cluster-dns`.
   * Only in aks/v1.14.
   * @default 10.0.0.10
   * @since 0.1.0
   */
  readonly clusterDNSServiceIP?: string | null | undefined;
  /**
   * Resources kept for the system: `--system-reserved`. Keys cpu, memory, ephemeral-storage, pid; values are quantities.
   * @default nothing
   * @since 0.1.0
   */
  readonly systemReserved?: Readonly<Record<string, string>> | null | undefined;
  /**
   * Resources kept for the kubelet and the container runtime: `--kube-reserved`. Keys and values as in `systemReserved`.
   * @default nothing
   * @since 0.1.0
   */
  readonly kubeReserved?: Readonly<Record<string, string>> | null | undefined;
  /**
   * Thresholds below which Pods are evicted at once: `--eviction-hard`. Values are quantities or percentages. A map replaces all thresholds of the base.
   * @default memory.available 750Mi, nodefs.available 10%, nodefs.inodesFree 5%
   * @since 0.1.0
   */
  readonly evictionHard?: Readonly<Record<string, string>> | null | undefined;
  /**
   * Thresholds below which Pods are evicted after a grace period: `--eviction-soft`. Each needs one in `evictionSoftGracePeriod`.
   * @default none
   * @since 0.1.0
   */
  readonly evictionSoft?: Readonly<Record<string, string>> | null | undefined;
  /**
   * How long a soft threshold is crossed before Pods are evicted, a Go duration by signal: `--eviction-soft-grace-period`.
   * @default none
   * @since 0.1.0
   */
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>> | null | undefined;
  /**
   * Longest termination grace of a Pod that a soft threshold evicts, in seconds: `--eviction-max-pod-grace-period`. Negative: the Pod's own.
   * @default 0
   * @since 0.1.0
   */
  readonly evictionMaxPodGracePeriod?: number | null | undefined;
  /**
   * Disk usage from which unused images are removed, in percent: `--image-gc-high-threshold`.
   * @default 85
   * @since 0.1.0
   */
  readonly imageGCHighThresholdPercent?: number | null | undefined;
  /**
   * Disk usage down to which unused images are removed, in percent: `--image-gc-low-threshold`. Must be below the high threshold.
   * @default 80
   * @since 0.1.0
   */
  readonly imageGCLowThresholdPercent?: number | null | undefined;
  /**
   * Whether CPU limits are enforced: `--cpu-cfs-quota`.
   * @default true
   * @since 0.1.0
   */
  readonly cpuCFSQuota?: boolean | null | undefined;
  /**
   * Period over which CPU limits are enforced, a Go duration from 1ms to 1s: `--cpu-cfs-quota-period`, with the feature gate that it needs. Go, and lenient, drop it.
   * Only in aks/v1.14.
   * @default 100ms
   * @since 0.1.0
   */
  readonly cpuCFSQuotaPeriod?: string | null | undefined;
  /**
   * Whether the kubelet refuses to start on a machine with swap: `--fail-swap-on`. Go, and lenient, drop it.
   * Only in aks/v1.14.
   * @default true
   * @since 0.1.0
   */
  readonly failSwapOn?: boolean | null | undefined;
  /**
   * How CPUs are given to containers: `--cpu-manager-policy`. `static` needs a CPU reservation.
   * Only in aks/v1.14.
   * @default none
   * @since 0.1.0
   */
  readonly cpuManagerPolicy?: string | null | undefined;
  /**
   * How resources are aligned to NUMA nodes: `--topology-manager-policy`.
   * Only in aks/v1.14.
   * @default none
   * @since 0.1.0
   */
  readonly topologyManagerPolicy?: string | null | undefined;
  /**
   * Size from which a container's log is rotated, a quantity of whole bytes: `--container-log-max-size`.
   * Only in aks/v1.14.
   * @default 10Mi
   * @since 0.1.0
   */
  readonly containerLogMaxSize?: string | null | undefined;
  /**
   * Most log files of a container, 2 or more: `--container-log-max-files`.
   * Only in aks/v1.14.
   * @default 5
   * @since 0.1.0
   */
  readonly containerLogMaxFiles?: number | null | undefined;
  /**
   * Most processes in a Pod: `--pod-max-pids`; -1 is the node's own limit.
   * Only in aks/v1.14.
   * @default -1
   * @since 0.1.0
   */
  readonly podPidsLimit?: number | null | undefined;
  /**
   * Unsafe sysctls that Pods may set, names or patterns that end in `*`: `--allowed-unsafe-sysctls`.
   * Only in aks/v1.14.
   * @default none
   * @since 0.1.0
   */
  readonly allowedUnsafeSysctls?: readonly string[] | null | undefined;
}

/** A taint, spelt as Kubernetes JSON spells it. */
export interface Taint {
  /**
   * Key of the taint, a qualified name.
   * @default required
   * @since 0.1.0
   */
  readonly key: string;
  /**
   * Value of the taint, as a label value.
   * @default empty
   * @since 0.1.0
   */
  readonly value?: string | null | undefined;
  /**
   * What happens to Pods that do not tolerate the taint.
   * @default required; lenient prints the taint without one, as Go does, and the kubelet refuses it
   * @since 0.1.0
   */
  readonly effect: string;
  /**
   * Part of the Kubernetes type. It never reaches the script.
   * @default no effect
   * @since 0.1.0
   */
  readonly timeAdded?: string | null | undefined;
}

/** Bootstrap variables that no other option reaches, by field name of `NodeBootstrapVariables`. */
export interface Overrides {
  /**
   * Login of the administrator, whose password ageing is set.
   * Printed as ADMINUSER.
   */
  readonly adminUsername?: string | null | undefined;
  /**
   * Version of Moby, from the time before containerd.
   * Printed as MOBY_VERSION.
   */
  readonly mobyVersion?: string | null | undefined;
  /**
   * Image of the all-in-one Kubernetes binary, which no longer exists.
   * Printed as HYPERKUBE_URL.
   */
  readonly hyperkubeURL?: string | null | undefined;
  /**
   * Download of a private kubelet build, used instead of the other URL.
   * Printed as CUSTOM_KUBE_BINARY_URL.
   */
  readonly customKubeBinaryURL?: string | null | undefined;
  /**
   * Image of kube-proxy, which runs as a Pod today.
   * Printed as KUBEPROXY_URL.
   */
  readonly kubeproxyURL?: string | null | undefined;
  /**
   * Certificate of the API server, base64, written to /etc/kubernetes/certs/apiserver.crt. Nodes do not need it.
   * Printed as APISERVER_PUBLIC_KEY.
   */
  readonly apiServerPublicKey?: string | null | undefined;
  /**
   * Kind of virtual machine that the cloud provider looks for: a wrong one breaks attaching disks.
   * Printed as VM_TYPE.
   */
  readonly vmType?: string | null | undefined;
  /**
   * Availability set that the cloud provider puts behind load balancers.
   * Printed as PRIMARY_AVAILABILITY_SET.
   */
  readonly primaryAvailabilitySet?: string | null | undefined;
  /**
   * Scale set that the cloud provider puts behind load balancers.
   * Printed as PRIMARY_SCALE_SET.
   */
  readonly primaryScaleSet?: string | null | undefined;
  /**
   * Client ID of a service principal; `msi` says that a managed identity is used.
   * Printed as SERVICE_PRINCIPAL_CLIENT_ID.
   */
  readonly servicePrincipalClientID?: string | null | undefined;
  /**
   * Whether the cloud provider backs off after a failed call.
   * Printed as CLOUDPROVIDER_BACKOFF.
   */
  readonly cloudProviderBackoff?: boolean | null | undefined;
  /**
   * How it backs off; with `v2` the node scripts delete exponent and jitter again.
   * Printed as CLOUDPROVIDER_BACKOFF_MODE.
   */
  readonly cloudProviderBackoffMode?: string | null | undefined;
  /**
   * How often a failed call is repeated.
   * Printed as CLOUDPROVIDER_BACKOFF_RETRIES.
   */
  readonly cloudProviderBackoffRetries?: string | null | undefined;
  /**
   * Base of the exponential back-off.
   * Printed as CLOUDPROVIDER_BACKOFF_EXPONENT.
   */
  readonly cloudProviderBackoffExponent?: string | null | undefined;
  /**
   * First pause between two tries, in seconds.
   * Printed as CLOUDPROVIDER_BACKOFF_DURATION.
   */
  readonly cloudProviderBackoffDuration?: string | null | undefined;
  /**
   * Random share added to each pause.
   * Printed as CLOUDPROVIDER_BACKOFF_JITTER.
   */
  readonly cloudProviderBackoffJitter?: string | null | undefined;
  /**
   * Whether the cloud provider limits its own calls.
   * Printed as CLOUDPROVIDER_RATELIMIT.
   */
  readonly cloudProviderRatelimit?: boolean | null | undefined;
  /**
   * Reads per second that the cloud provider allows itself.
   * Printed as CLOUDPROVIDER_RATELIMIT_QPS.
   */
  readonly cloudProviderRatelimitQPS?: string | null | undefined;
  /**
   * Writes per second that the cloud provider allows itself.
   * Printed as CLOUDPROVIDER_RATELIMIT_QPS_WRITE.
   */
  readonly cloudProviderRatelimitQPSWrite?: string | null | undefined;
  /**
   * Reads that it may do in a burst.
   * Printed as CLOUDPROVIDER_RATELIMIT_BUCKET.
   */
  readonly cloudProviderRatelimitBucket?: string | null | undefined;
  /**
   * Writes that it may do in a burst.
   * Printed as CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE.
   */
  readonly cloudProviderRatelimitBucketWrite?: string | null | undefined;
  /**
   * Whether load-balancer rules leave outbound address translation off.
   * Printed as LOAD_BALANCER_DISABLE_OUTBOUND_SNAT.
   */
  readonly loadBalancerDisableOutboundSNAT?: boolean | null | undefined;
  /**
   * Whether the node authenticates to Azure with a managed identity; false breaks pulls from Azure Container Registry.
   * Printed as USE_MANAGED_IDENTITY_EXTENSION.
   */
  readonly useManagedIdentityExtension?: boolean | null | undefined;
  /**
   * Whether the cloud provider asks the instance metadata service.
   * Printed as USE_INSTANCE_METADATA.
   */
  readonly useInstanceMetadata?: boolean | null | undefined;
  /**
   * Kind of load balancer of the cluster.
   * Printed as LOAD_BALANCER_SKU.
   */
  readonly loadBalancerSKU?: string | null | undefined;
  /**
   * Whether control-plane nodes stay out of the load balancer.
   * Printed as EXCLUDE_MASTER_FROM_STANDARD_LB.
   */
  readonly excludeMasterFromStandardLB?: boolean | null | undefined;
  /**
   * Most rules that the cloud provider puts on one load balancer.
   * Printed as MAXIMUM_LOADBALANCER_RULE_COUNT.
   */
  readonly maximumLoadbalancerRuleCount?: number | null | undefined;
  /**
   * Container runtime, always containerd.
   * Printed as CONTAINER_RUNTIME.
   */
  readonly containerRuntime?: string | null | undefined;
  /**
   * Client that the node scripts pull images with.
   * Printed as CLI_TOOL.
   */
  readonly cliTool?: string | null | undefined;
  /**
   * Where containerd was once downloaded from.
   * Printed as CONTAINERD_DOWNLOAD_URL_BASE.
   */
  readonly containerdDownloadURLBase?: string | null | undefined;
  /**
   * Mode of Azure CNI: the node scripts only look for `transparent`.
   * Printed as NETWORK_MODE.
   */
  readonly networkMode?: string | null | undefined;
  /**
   * Whether the image was built with everything on it; false makes the node scripts install it.
   * Printed as IS_VHD.
   */
  readonly isVHD?: boolean | null | undefined;
  /**
   * Whether the machine has SGX enclaves.
   * Printed as SGX_NODE.
   */
  readonly sgxNode?: boolean | null | undefined;
  /**
   * Whether the GPU is cut into instances; the node reboots once for it.
   * Printed as MIG_NODE.
   */
  readonly migNode?: boolean | null | undefined;
  /**
   * Whether the GPU device plugin runs as a service of the node.
   * Printed as ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED.
   */
  readonly enableGPUDevicePluginIfNeeded?: boolean | null | undefined;
  /**
   * Download of the Teleport snapshotter, which was given up.
   * Printed as TELEPORTD_PLUGIN_DOWNLOAD_URL.
   */
  readonly teleportdPluginDownloadURL?: string | null | undefined;
  /**
   * Version of containerd to install in place of the one on the image.
   * Printed as CONTAINERD_VERSION.
   */
  readonly containerdVersion?: string | null | undefined;
  /**
   * Package of containerd to install in place of the one on the image.
   * Printed as CONTAINERD_PACKAGE_URL.
   */
  readonly containerdPackageURL?: string | null | undefined;
  /**
   * Version of runc, chosen by the image today.
   * Printed as RUNC_VERSION.
   */
  readonly runcVersion?: string | null | undefined;
  /**
   * Package of runc to install in place of the one on the image.
   * Printed as RUNC_PACKAGE_URL.
   */
  readonly runcPackageURL?: string | null | undefined;
  /**
   * Whether a service keeps the private API server address in /etc/hosts.
   * Printed as ENABLE_HOSTS_CONFIG_AGENT.
   */
  readonly enableHostsConfigAgent?: boolean | null | undefined;
  /**
   * Whether the SSH server is turned off.
   * Printed as DISABLE_SSH.
   */
  readonly disableSSH?: boolean | null | undefined;
  /**
   * Whether containerd is set up, always true.
   * Printed as NEEDS_CONTAINERD.
   */
  readonly needsContainerd?: boolean | null | undefined;
  /**
   * Whether the Teleport snapshotter is used, which was given up.
   * Printed as TELEPORT_ENABLED.
   */
  readonly teleportEnabled?: boolean | null | undefined;
  /**
   * Whether the proxy settings are applied.
   * Printed as SHOULD_CONFIGURE_HTTP_PROXY.
   */
  readonly shouldConfigureHTTPProxy?: boolean | null | undefined;
  /**
   * Whether the certificate of the proxy is trusted.
   * Printed as SHOULD_CONFIGURE_HTTP_PROXY_CA.
   */
  readonly shouldConfigureHTTPProxyCA?: boolean | null | undefined;
  /**
   * Certificates with which the proxy signs, base64 of PEM.
   * Printed as HTTP_PROXY_TRUSTED_CA.
   */
  readonly httpProxyTrustedCA?: string | null | undefined;
  /**
   * Whether the extra certificates are trusted.
   * Printed as SHOULD_CONFIGURE_CUSTOM_CA_TRUST.
   */
  readonly shouldConfigureCustomCATrust?: boolean | null | undefined;
  /**
   * Extra certificates that the whole node trusts, each base64 of PEM: CUSTOM_CA_TRUST_COUNT and one CUSTOM_CA_CERT_<n> each, counted from 0.
   * Printed as CUSTOM_CA_TRUST_COUNT.
   */
  readonly customCATrustConfigCerts?: readonly string[] | null | undefined;
  /**
   * Whether the node runs WebAssembly instead of a kubelet, which was given up.
   * Printed as IS_KRUSTLET.
   */
  readonly isKrustlet?: boolean | null | undefined;
  /**
   * Whether the service runs without which NVLink machines report CUDA error 802.
   * Printed as GPU_NEEDS_FABRIC_MANAGER.
   */
  readonly gpuNeedsFabricManager?: boolean | null | undefined;
  /**
   * Whether Docker logs in to a registry, from the time before containerd.
   * Printed as NEEDS_DOCKER_LOGIN.
   */
  readonly needsDockerLogin?: boolean | null | undefined;
  /**
   * Whether the node gets an IPv6 address by DHCP besides the IPv4 one.
   * Printed as IPV6_DUAL_STACK_ENABLED.
   */
  readonly ipv6DualStackEnabled?: boolean | null | undefined;
  /**
   * Command that proves that the node reaches the Internet; split at blanks, no shell syntax. Empty skips the test.
   * Printed as OUTBOUND_COMMAND.
   */
  readonly outboundCommand?: string | null | undefined;
  /**
   * Whether the operating system installs updates by itself.
   * Printed as ENABLE_UNATTENDED_UPGRADES.
   */
  readonly enableUnattendedUpgrades?: boolean | null | undefined;
  /**
   * Whether a swap file is made.
   * Printed as SHOULD_CONFIG_SWAP_FILE.
   */
  readonly shouldConfigSwapFile?: boolean | null | undefined;
  /**
   * Whether the huge-page settings are applied.
   * Printed as SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE.
   */
  readonly shouldConfigTransparentHugePage?: boolean | null | undefined;
  /**
   * Azure cloud of the node.
   * Printed as TARGET_CLOUD.
   */
  readonly targetCloud?: string | null | undefined;
  /**
   * Azure environment of the node, the same as the cloud outside custom clouds.
   * Printed as TARGET_ENVIRONMENT.
   */
  readonly targetEnvironment?: string | null | undefined;
  /**
   * Node script with shared functions.
   * Printed as CSE_HELPERS_FILEPATH.
   */
  readonly cseHelpersFilepath?: string | null | undefined;
  /**
   * Node script with shared functions of the distribution.
   * Printed as CSE_DISTRO_HELPERS_FILEPATH.
   */
  readonly cseDistroHelpersFilepath?: string | null | undefined;
  /**
   * Node script that installs.
   * Printed as CSE_INSTALL_FILEPATH.
   */
  readonly cseInstallFilepath?: string | null | undefined;
  /**
   * Node script that installs what only the distribution knows.
   * Printed as CSE_DISTRO_INSTALL_FILEPATH.
   */
  readonly cseDistroInstallFilepath?: string | null | undefined;
  /**
   * Node script that writes configuration.
   * Printed as CSE_CONFIG_FILEPATH.
   */
  readonly cseConfigFilepath?: string | null | undefined;
  /**
   * Private registry to log in to, from the time before the credential provider.
   * Printed as AZURE_PRIVATE_REGISTRY_SERVER.
   */
  readonly azurePrivateRegistryServer?: string | null | undefined;
  /**
   * Whether the node joins a realm and gets its DNS search domain.
   * Printed as HAS_CUSTOM_SEARCH_DOMAIN.
   */
  readonly hasCustomSearchDomain?: boolean | null | undefined;
  /**
   * Node script that joins the realm.
   * Printed as CUSTOM_SEARCH_DOMAIN_FILEPATH.
   */
  readonly customSearchDomainFilepath?: string | null | undefined;
  /**
   * Proxy for http, a URL.
   * Printed as HTTP_PROXY_URLS.
   */
  readonly httpProxyURLs?: string | null | undefined;
  /**
   * Proxy for https, a URL.
   * Printed as HTTPS_PROXY_URLS.
   */
  readonly httpsProxyURLs?: string | null | undefined;
  /**
   * Hosts that are reached without a proxy, separated by commas.
   * Printed as NO_PROXY_URLS.
   */
  readonly noProxyURLs?: string | null | undefined;
  /**
   * Whether the kubelet asks for its certificate, always true.
   * Printed as ENABLE_TLS_BOOTSTRAPPING.
   */
  readonly tlsBootstrappingEnabled?: boolean | null | undefined;
  /**
   * Whether the kubelet proves itself with its Azure identity first; the token stays as the fallback.
   * Printed as ENABLE_SECURE_TLS_BOOTSTRAPPING.
   */
  readonly secureTLSBootstrappingEnabled?: boolean | null | undefined;
  /**
   * Whether the cluster signs the kubelet's serving certificate instead of the node itself.
   * Printed as ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION, only in aks/v1.14.
   */
  readonly enableKubeletServingCertificateRotation?: boolean | null | undefined;
  /**
   * Unit file of the DHCPv6 client, fixed on images today.
   * Printed as DHCPV6_SERVICE_FILEPATH.
   */
  readonly dhcpv6ServiceFilepath?: string | null | undefined;
  /**
   * Configuration of the DHCPv6 client, fixed on images today.
   * Printed as DHCPV6_CONFIG_FILEPATH.
   */
  readonly dhcpv6ConfigFilepath?: string | null | undefined;
  /**
   * When the kernel uses transparent huge pages.
   * Printed as THP_ENABLED.
   */
  readonly thpEnabled?: string | null | undefined;
  /**
   * When the kernel makes room for transparent huge pages.
   * Printed as THP_DEFRAG.
   */
  readonly thpDefrag?: string | null | undefined;
  /**
   * Password of the service principal, base64; base64 of `msi` with a managed identity.
   * Printed as SERVICE_PRINCIPAL_FILE_CONTENT.
   */
  readonly servicePrincipalFileContent?: string | null | undefined;
  /**
   * Private key of a ready-made kubelet certificate, base64; only read without a bootstrap token.
   * Printed as KUBELET_CLIENT_CONTENT.
   */
  readonly kubeletClientContent?: string | null | undefined;
  /**
   * Ready-made kubelet certificate, base64; only read without a bootstrap token.
   * Printed as KUBELET_CLIENT_CERT_CONTENT.
   */
  readonly kubeletClientCertContent?: string | null | undefined;
  /**
   * Whether the kubelet reads a configuration file besides its flags; flags win.
   * Printed as KUBELET_CONFIG_FILE_ENABLED.
   */
  readonly kubeletConfigFileEnabled?: boolean | null | undefined;
  /**
   * The kubelet configuration file, base64 of JSON.
   * Printed as KUBELET_CONFIG_FILE_CONTENT.
   */
  readonly kubeletConfigFileContent?: string | null | undefined;
  /**
   * Size of the swap file, in units of 1,000 KiB.
   * Printed as SWAP_FILE_SIZE_MB.
   */
  readonly swapFileSizeMB?: number | null | undefined;
  /**
   * How the GPU is cut into instances.
   * Printed as GPU_INSTANCE_PROFILE.
   */
  readonly gpuInstanceProfile?: string | null | undefined;
  /**
   * DNS search domain and name of the realm.
   * Printed as CUSTOM_SEARCH_DOMAIN_NAME.
   */
  readonly customSearchDomainName?: string | null | undefined;
  /**
   * Account that joins the realm.
   * Printed as CUSTOM_SEARCH_REALM_USER.
   */
  readonly customSearchRealmUser?: string | null | undefined;
  /**
   * Password of that account.
   * Printed as CUSTOM_SEARCH_REALM_PASSWORD.
   */
  readonly customSearchRealmPassword?: string | null | undefined;
  /**
   * Text that /etc/motd shows at login, base64.
   * Printed as MESSAGE_OF_THE_DAY.
   */
  readonly messageOfTheDay?: string | null | undefined;
  /**
   * Whether the kubelet keeps its data on the temporary disk.
   * Printed as HAS_KUBELET_DISK_TYPE.
   */
  readonly hasKubeletDiskType?: boolean | null | undefined;
  /**
   * Whether the kubelet uses the systemd cgroup driver, as containerd does.
   * Printed as NEEDS_CGROUPV2.
   */
  readonly needsCgroupV2?: boolean | null | undefined;
  /**
   * Kernel settings of the node, base64 of `name=value` lines.
   * Printed as SYSCTL_CONTENT.
   */
  readonly sysctlContent?: string | null | undefined;
  /**
   * File with the endpoints of a custom cloud; empty elsewhere.
   * Printed as AZURE_ENVIRONMENT_FILEPATH.
   */
  readonly azureEnvironmentFilepath?: string | null | undefined;
  /**
   * CNI configuration that containerd fills in for kubenet, base64.
   * Printed as KUBENET_TEMPLATE, only in aks/v0.4.0.
   */
  readonly kubenetTemplate?: string | null | undefined;
  /**
   * Whether Pods run in Kata virtual machines, which needs another containerd configuration than ours.
   * Printed as IS_KATA.
   */
  readonly isKata?: boolean | null | undefined;
  /**
   * Registry of Microsoft's images. A literal of the Go template.
   * Printed as MCR_REPOSITORY_BASE, only in aks/v1.14.
   */
  readonly mcrRepositoryBase?: string | null | undefined;
  /**
   * Whether Pods are kept away from the instance metadata service. A literal of the Go template.
   * Printed as ENABLE_IMDS_RESTRICTION, only in aks/v1.14.
   */
  readonly enableIMDSRestriction?: boolean | null | undefined;
  /**
   * Whether that rule goes into the mangle table. A literal of the Go template.
   * Printed as INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE, only in aks/v1.14.
   */
  readonly insertIMDSRestrictionRuleToMangleTable?: boolean | null | undefined;
  /**
   * How long the node scripts may take, as `timeout` of GNU coreutils reads it: a number and s, m, h or d. A literal of the Go template.
   * Printed as CSE_TIMEOUT, only in aks/v1.14.
   */
  readonly cseTimeout?: string | null | undefined;
}
