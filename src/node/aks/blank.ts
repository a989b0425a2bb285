// Written by `npm run generate` from the tables in schema.ts and variables.ts: change those, not this file.

// Every record from a literal has the same shape, which makes reading its fields fast.
export function blankOptions(): Record<string, unknown> {
  return {
    clusterName: undefined,
    clusterEndpoint: undefined,
    kubeletConfig: undefined,
    taints: undefined,
    labels: undefined,
    caBundle: undefined,
    gpuNode: undefined,
    gpuDriverVersion: undefined,
    gpuDriverType: undefined,
    gpuImageSHA: undefined,
    gpuDriverInstallationEnabled: undefined,
    subnetId: undefined,
    arch: undefined,
    tenantId: undefined,
    subscriptionId: undefined,
    userAssignedIdentityId: undefined,
    kubeletIdentityClientId: undefined,
    location: undefined,
    resourceGroup: undefined,
    clusterId: undefined,
    networkSecurityGroupName: undefined,
    routeTableName: undefined,
    apiServerName: undefined,
    kubeletClientTLSBootstrapToken: undefined,
    networkPlugin: undefined,
    networkPolicy: undefined,
    kubernetesVersion: undefined,
    overrides: undefined,
    extraVariables: undefined,
  };
}

export function blankKubeletConfiguration(): Record<string, unknown> {
  return {
    maxPods: undefined,
    podsPerCore: undefined,
    clusterDNS: undefined,
    clusterDNSServiceIP: undefined,
    systemReserved: undefined,
    kubeReserved: undefined,
    evictionHard: undefined,
    evictionSoft: undefined,
    evictionSoftGracePeriod: undefined,
    evictionMaxPodGracePeriod: undefined,
    imageGCHighThresholdPercent: undefined,
    imageGCLowThresholdPercent: undefined,
    cpuCFSQuota: undefined,
    cpuCFSQuotaPeriod: undefined,
    failSwapOn: undefined,
    cpuManagerPolicy: undefined,
    topologyManagerPolicy: undefined,
    containerLogMaxSize: undefined,
    containerLogMaxFiles: undefined,
    podPidsLimit: undefined,
    allowedUnsafeSysctls: undefined,
  };
}

export function blankTaint(): Record<string, unknown> {
  return { key: undefined, value: undefined, effect: undefined, timeAdded: undefined };
}
