import { nodeBootstrapVariables, type Bootstrap } from './bootstrap.ts';
import { KubeletFlags } from './flags.ts';
import type { NodeBootstrapVariables } from './node-bootstrap-variables.ts';
import type { Profile } from './profiles.ts';
import { VARIABLES } from './variables.ts';
import { parseVersion } from './version.ts';

/** Variables that say which node of which cluster it is, in the order in which people ask. */
const IDENTITY: readonly (keyof NodeBootstrapVariables)[] = [
  'kubernetesVersion',
  'apiServerName',
  'location',
  'resourceGroup',
  'virtualNetwork',
  'subnet',
  'networkPlugin',
  'networkPolicy',
  'userAssignedIdentityID',
];

/** What a person wants to see of a node, by shell name: what it is, and what is not as in every other node. */
export function highlights(
  profile: Profile,
  bootstrap: Bootstrap,
): readonly (readonly [name: string, value: string])[] {
  const variables = nodeBootstrapVariables(profile, bootstrap);
  const chosen = new Set<string>(IDENTITY);
  if (variables.gpuNode)
    for (const field of ['gpuNode', 'gpuDriverType', 'gpuDriverVersion', 'gpuImageSHA']) chosen.add(field);
  for (const field of Object.keys(bootstrap.overrides ?? {})) chosen.add(field);
  const rows: [string, string][] = [];
  for (const field of chosen) {
    const fact = VARIABLES.find((candidate) => candidate.field === field);
    if (fact === undefined || fact.variable === null || !fact.profiles.includes(profile.name)) continue;
    const value = variables[field as keyof NodeBootstrapVariables];
    const text = Array.isArray(value) ? `${value.length} certificates` : String(value);
    rows.push([fact.variable, fact.secret ? '(set, not shown)' : text || '(empty)']);
  }
  for (const [name] of bootstrap.extra) rows.push([name, '(set, not shown)']);
  const base = KubeletFlags.base(profile, parseVersion(variables.kubernetesVersion)?.minor ?? 0);
  for (const [name, value] of bootstrap.flags) if (base.get(name) !== value) rows.push([`kubelet ${name}`, value]);
  for (const [key, value] of bootstrap.labels) rows.push(['label', `${key}=${value}`]);
  return rows;
}
