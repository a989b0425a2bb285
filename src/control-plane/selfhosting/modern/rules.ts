import { advertiseAddress } from './rules/address.ts';
import { selectorLabels, templateMetadata } from './rules/metadata.ts';
import { containerPorts, probeHosts, probePorts } from './rules/probes.ts';
import { dnsPolicy, gracePeriod, serviceAccountToken, serviceLinks } from './rules/runtime.ts';
import { nodeName, nodeSelector, priority, tolerations } from './rules/scheduling.ts';
import { coverFiles } from './secrets.ts';
import type { ConvertOptions } from './options.ts';
import type { Rule } from './rule.ts';

const certificatesInSecrets: Rule<ConvertOptions> = {
  name: 'certificates-in-secrets',
  reason: 'Asked for. The files that the flags name come from Secrets; what else lies in their folders is left behind.',
  apply: (pod, context) => (context.options.certificates === 'secrets' ? coverFiles(pod, context).edits : []),
};

/**
 * The rules that make the template of a DaemonSet from a static Pod, in the order in which they run: probe ports are
 * looked up before the ports go. What none of them names stays as it is in the manifest: image, command, resources,
 * security settings, host network, volumes.
 */
export const MODERN_RULES: readonly Rule<ConvertOptions>[] = [
  templateMetadata,
  selectorLabels,
  nodeName,
  nodeSelector,
  tolerations,
  priority,
  probePorts,
  containerPorts,
  probeHosts,
  advertiseAddress,
  certificatesInSecrets,
  dnsPolicy,
  serviceAccountToken,
  serviceLinks,
  gracePeriod,
];
