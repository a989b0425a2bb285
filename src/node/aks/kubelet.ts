import { RefusedError } from '../../core/errors.ts';
import { ProblemList } from '../../core/problem.ts';
import { canonicalGoDuration } from '../../format/duration.ts';
import { KubeletFlags } from './flags.ts';
import type { KubeletConfiguration } from './options.ts';
import type { Profile } from './profiles.ts';
import {
  readKubeletConfiguration,
  type Entries,
  type WellFormedKubeletConfiguration,
  type WellFormedOptions,
} from './read.ts';
import { KUBELET_FIELDS, type FieldFact } from './schema.ts';
import { registerWithTaints } from './taints.ts';

/**
 * The kubelet flags that a configuration sets, by name with both hyphens.
 *
 * Map-valued settings are joined with {@link joinParameterArgsToMap}; durations are printed as Go prints them.
 * `null` and `undefined` give an empty record. `clusterDNS` sets nothing, in Go as here; a quota period brings the
 * feature gate that it needs.
 *
 * @throws RefusedError when a field is unknown or of the wrong type.
 */
export function kubeletConfigToMap(config: KubeletConfiguration | null | undefined): Record<string, string> {
  if (config === null || config === undefined) return {};
  const problems = new ProblemList();
  const wellFormed = readKubeletConfiguration(config, problems);
  if (problems.hasErrors) throw new RefusedError(problems.sorted());
  const flags: Record<string, string> = {};
  for (const fact of KUBELET_FIELDS) {
    const value = flagValue(fact, wellFormed);
    if (value !== undefined) flags[fact.flag!] = value;
  }
  if (wellFormed.cpuCFSQuotaPeriod !== undefined) flags['--feature-gates'] = QUOTA_PERIOD_GATE;
  return flags;
}

/**
 * Joins the entries of a map, key and value with the separator between them and a comma between entries, and
 * stores the text under a name. Entries are sorted by code unit (Go leaves them in random order). An empty or
 * absent map stores nothing, so that an entry which is already there stays.
 */
export function joinParameterArgsToMap(
  result: Record<string, string>,
  name: string,
  m: Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown> | null | undefined,
  separator: string,
): void {
  if (m === null || m === undefined) return;
  const joined = joinEntries(
    m instanceof Map ? [...(m as ReadonlyMap<unknown, unknown>)] : Object.entries(m),
    separator,
  );
  if (joined !== undefined) result[name] = joined;
}

/** Without this gate the kubelet refuses every period but its default. */
export const QUOTA_PERIOD_GATE = 'CustomCPUCFSQuotaPeriod=true';

/** Fields of the configuration that Go accepts and never prints: lenient drops them as well. */
export const DROPPED_BY_GO: readonly (keyof KubeletConfiguration)[] = ['cpuCFSQuotaPeriod', 'failSwapOn'];

/** Every flag of the kubelet: the base flags of the version, the taints, then the configuration, which wins. */
export function kubeletFlags(
  options: WellFormedOptions,
  profile: Profile,
  minor: number,
  lenient: boolean,
): KubeletFlags {
  const flags = KubeletFlags.base(profile, minor);
  const config = options.kubeletConfig;
  if (options.taints !== undefined && options.taints.length > 0) {
    flags.set('--register-with-taints', registerWithTaints(options.taints));
  }
  if (config !== undefined) {
    if (profile.maxPodsAlways) flags.set('--max-pods', '0');
    for (const fact of KUBELET_FIELDS) {
      if (config[fact.name as keyof KubeletConfiguration] === undefined) continue;
      if (lenient && DROPPED_BY_GO.includes(fact.name as keyof KubeletConfiguration)) continue;
      const value = flagValue(fact, config);
      if (value !== undefined) flags.set(fact.flag!, value);
    }
    if (!lenient && config.cpuCFSQuotaPeriod !== undefined) {
      flags.set('--feature-gates', mergeFeatureGates(flags.get('--feature-gates'), QUOTA_PERIOD_GATE));
    }
  }
  if (options.overrides?.swapFileSizeMB && flags.get('--fail-swap-on') === undefined)
    flags.set('--fail-swap-on', 'false');
  return flags;
}

/** The kubelet takes one `--feature-gates` and forgets an earlier one, so gates are merged into it. */
export function mergeFeatureGates(present: string | undefined, gate: string): string {
  if (present === undefined) return gate;
  return [...present.split(','), gate].toSorted().join(',');
}

/** The value of the flag that a field sets, or `undefined` when it sets none. */
function flagValue(fact: FieldFact, config: WellFormedKubeletConfiguration): string | undefined {
  const value = config[fact.name as keyof KubeletConfiguration];
  if (value === undefined || fact.flag === undefined) return undefined;
  switch (fact.type) {
    case 'string':
      return value === '' ? undefined : (value as string);
    case 'boolean':
    case 'int32':
    case 'int64':
    case 'percent':
      return String(value);
    case 'duration':
      return goDuration(value as string);
    case 'string list':
      return (value as readonly string[]).length > 0 ? (value as readonly string[]).join(',') : undefined;
    case 'string map':
      return joinEntries(value as Entries, fact.separator ?? '=');
    case 'duration map':
      return joinEntries(
        (value as Entries).map(([key, text]) => [key, goDuration(text)]),
        '=',
      );
    case 'taint list':
    case 'kubelet configuration':
    case 'overrides':
      return undefined;
    default:
      return fact.type satisfies never;
  }
}

// Sorted as whole entries, by code unit, which is the default order of strings. Entries sorted by key mostly
// are in that order already.
function joinEntries(entries: readonly (readonly [unknown, unknown])[], separator: string): string | undefined {
  if (entries.length === 0) return undefined;
  let text = '';
  let previous = '';
  for (const [key, value] of entries) {
    const entry = `${String(key)}${separator}${String(value)}`;
    if (entry < previous) {
      return entries
        .map(([name, content]) => `${String(name)}${separator}${String(content)}`)
        .toSorted()
        .join(',');
    }
    text += text === '' ? entry : `,${entry}`;
    previous = entry;
  }
  return text;
}

// The reader has refused every text that does not parse.
function goDuration(text: string): string {
  return canonicalGoDuration(text) ?? '0s';
}
