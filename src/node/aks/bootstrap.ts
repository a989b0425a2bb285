import { oncePer } from '../../core/once.ts';
import { ProblemList, type Source } from '../../core/problem.ts';
import { checkBundle } from './bundle.ts';
import { checkCluster } from './cluster-check.ts';
import { checkCompanions, overriddenVariables } from './companions.ts';
import { defaults, deriveVariables } from './derive.ts';
import { checkExtraVariables, extraVariables } from './extra.ts';
import { KubeletFlags } from './flags.ts';
import { checkGpu } from './gpu.ts';
import { kubeletFlags } from './kubelet.ts';
import { checkKubelet } from './kubelet-check.ts';
import { checkLabels, nodeLabels } from './labels.ts';
import { checkNetwork } from './network.ts';
import type { NodeBootstrapVariables } from './node-bootstrap-variables.ts';
import { checkOverrides } from './overrides.ts';
import { NETWORK_POLICIES, type Profile } from './profiles.ts';
import { readOptions, type Entries, type WellFormedOptions } from './read.ts';
import { exampleOf, OPTION_FIELDS, type FieldFact } from './schema.ts';
import type { Assignments } from './script.ts';
import { checkTaints } from './taints.ts';
import { checkVersion, type KubernetesVersion } from './version.ts';

/** How to treat the options. */
export interface BootstrapSettings {
  /** Findings about meaning are warnings, and values are those of the Go package. */
  readonly lenient?: boolean;
  /** The text that the options were read from, for positions in problems. */
  readonly source?: Source;
}

/** Everything that is known of a node before its script is printed. */
export interface Bootstrap extends Assignments {
  readonly flags: KubeletFlags;
  readonly labels: Entries;
}

/** Every bootstrap variable of a node. */
export function nodeBootstrapVariables(profile: Profile, { derived, overrides }: Assignments): NodeBootstrapVariables {
  return { ...defaults(profile), ...derived, ...overrides };
}

/** The outcome of looking at options: all problems, and the bootstrap unless one of them is an error. */
export interface Assessment {
  readonly problems: ProblemList;
  readonly bootstrap: Bootstrap | undefined;
  /** Certificates of the CA bundle in base64, as far as they have the right form. */
  readonly certificates: readonly string[];
}

/** Looks at options of unknown origin, and derives what the node is bootstrapped with. */
export function assess(
  input: unknown,
  profile: Profile,
  { lenient = false, source }: BootstrapSettings = {},
): Assessment {
  const problems = new ProblemList(lenient, source);
  const options = readOptions(input, profile.name, problems);
  checkRequired(input, options, profile, problems);
  const version =
    options.kubernetesVersion === undefined ? undefined : checkVersion(options.kubernetesVersion, profile, problems);
  const minor = version?.minor ?? profile.minors.newest;
  checkCluster(options, problems);
  const certificates = options.caBundle === undefined ? [] : checkBundle(options.caBundle, problems);
  checkNetwork(options, profile, NETWORK_POLICIES, problems);
  checkLabels(options, profile, problems);
  if (options.taints !== undefined) checkTaints(options.taints, problems);
  if (options.kubeletConfig !== undefined) {
    checkKubelet(options.kubeletConfig, profile, KubeletFlags.base(profile, minor), lenient, problems);
  }
  checkGpu(options, profile, problems);
  if (options.overrides !== undefined) {
    checkOverrides(options, profile, problems);
    checkCompanions(options, profile, problems);
  }
  if (options.extraVariables !== undefined) checkExtraVariables(options, profile, problems);
  const bootstrap = problems.hasErrors ? undefined : bootstrapOf(options, profile, version ?? NO_VERSION, lenient);
  return { problems, bootstrap, certificates };
}

// Lenient without a version, on the profile that takes any text: Go renders the empty one.
const NO_VERSION: KubernetesVersion = { text: '', major: 1, minor: 0 };

function bootstrapOf(
  options: WellFormedOptions,
  profile: Profile,
  version: KubernetesVersion,
  lenient: boolean,
): Bootstrap {
  const flags = kubeletFlags(options, profile, version.minor, lenient);
  const labels = nodeLabels(options, profile);
  return {
    derived: deriveVariables(options, { profile, version, lenient, flags, labels }),
    overrides: options.overrides && overriddenVariables(options.overrides),
    extra: extraVariables(options),
    flags,
    labels,
  };
}

/** Fields without which there is no result in any mode: Go panics. */
function isIndispensable(field: string, profile: Profile): boolean {
  return field === 'caBundle' || (field === 'kubernetesVersion' && profile.versionRule === 'strict');
}

const requiredFields = oncePer((name: Profile['name']) =>
  OPTION_FIELDS.filter((fact) => fact.required && fact.profiles.includes(name)),
);

function checkRequired(input: unknown, options: WellFormedOptions, profile: Profile, problems: ProblemList): void {
  for (const fact of requiredFields(profile.name)) {
    const value = options[fact.name as keyof WellFormedOptions];
    if (value === undefined) reportMissing(input, fact, profile, problems);
    else if (value === '' && (fact.name === 'tenantId' || fact.name === 'subscriptionId')) {
      problems.refuse(
        'FIELD_MISSING',
        `/${fact.name}`,
        'The field is empty.',
        `Write a value, as in ${JSON.stringify(fact.example)}.`,
      );
    }
  }
}

function reportMissing(input: unknown, fact: FieldFact, profile: Profile, problems: ProblemList): void {
  // A value of the wrong type was reported as such, and is not missing; options that are no mapping have no fields.
  if (
    typeof input !== 'object' ||
    Array.isArray(input) ||
    input === null ||
    ((input as Record<string, unknown>)[fact.name] ?? null) !== null
  )
    return;
  const hint =
    fact.example === undefined
      ? `Add \`${fact.name}\`. ${fact.doc}`
      : `Add a line, as in \`${fact.name}: ${JSON.stringify(exampleOf(fact, profile.name))}\`.`;
  if (isIndispensable(fact.name, profile))
    problems.error('FIELD_MISSING', `/${fact.name}`, 'The field is required.', hint);
  else problems.refuse('FIELD_MISSING', `/${fact.name}`, 'The field is required.', hint);
}
