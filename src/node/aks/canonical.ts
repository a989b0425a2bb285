import type { CanonicalVariables } from '../bootstrapper.ts';
import { nodeBootstrapVariables, type Bootstrap } from './bootstrap.ts';
import { containerdConfig } from './containerd.ts';
import type { Profile } from './profiles.ts';
import { VARIABLES } from './variables.ts';

/**
 * The assignments of a script without the accidents of its text: composite values are taken apart, and KUBENET_TEMPLATE
 * only says that it is there, since its meaning is containerd's to render.
 */
export function canonicalVariables(profile: Profile, bootstrap: Bootstrap): CanonicalVariables {
  const { extra, flags, labels } = bootstrap;
  const variables = nodeBootstrapVariables(profile, bootstrap);
  const plain: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const fact of VARIABLES) {
    if (fact.variable === null || !fact.profiles.includes(profile.name)) continue;
    const value = variables[fact.field as keyof typeof variables];
    if (Array.isArray(value)) {
      plain[fact.variable] = String(value.length);
      for (const [index, certificate] of value.entries()) plain[`CUSTOM_CA_CERT_${index}`] = String(certificate);
    } else plain[fact.variable] = String(value);
  }
  for (const [name, value] of extra) plain[name] = value;
  const decoded: Record<string, unknown> = {
    CONTAINERD_CONFIG_CONTENT: containerdConfig({
      gpu: variables.gpuNode,
      bridge: variables.ensureNoDupePromiscuousBridge,
    }),
    KUBELET_FLAGS: plainRecord(flags),
    KUBELET_NODE_LABELS: plainRecord(labels),
    ...(profile.kubenet && { KUBENET_TEMPLATE: 'present' }),
    SYSCTL_CONTENT: plainRecord(parseSysctls(decode(variables.sysctlContent))),
  };
  for (const name of Object.keys(decoded)) delete plain[name];
  return { variables: sortedRecord(plain), decoded };
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function parseSysctls(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => /^[^#;]*=/.test(line));
  return new Map(
    lines.map((line): [string, string] => {
      const equals = line.indexOf('=');
      return [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
    }),
  );
}

// A record without prototype, so that a label named __proto__ is an entry like any other.
function plainRecord(map: Iterable<readonly [string, string]>): Record<string, string> {
  const record = Object.create(null) as Record<string, string>;
  for (const [key, value] of map) record[key] = value;
  return record;
}

function sortedRecord(record: Readonly<Record<string, string>>): Record<string, string> {
  return plainRecord(new Map(Object.entries(record).toSorted((a, b) => (a[0] < b[0] ? -1 : 1))));
}
