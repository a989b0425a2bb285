import { pointerTo } from '../../core/pointer.ts';
import { compareCodeUnits, type ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { labelKeyFault, labelValueFault } from './names.ts';
import type { Profile } from './profiles.ts';
import type { Entries, WellFormedOptions } from './read.ts';

const MODE = 'kubernetes.azure.com/mode';
const ROLE = 'kubernetes.azure.com/role';
const CLUSTER = 'kubernetes.azure.com/cluster';

/** The labels of the node, sorted by key: those of the user and those that the profile adds. */
export function nodeLabels(options: WellFormedOptions, profile: Profile): Entries {
  const given = options.labels ?? [];
  if (!profile.addsLabels) return given;
  const labels = given.filter(([key]) => key !== ROLE && key !== CLUSTER);
  if (!labels.some(([key]) => key === MODE)) labels.push([MODE, 'user']);
  labels.push([ROLE, 'agent'], [CLUSTER, clusterLabel(options.resourceGroup ?? '')]);
  return labels.toSorted((a, b) => compareCodeUnits(a[0], b[0]));
}

/** `key=value` for each label, separated by commas. */
export function printNodeLabels(labels: Entries): string {
  let text = '';
  for (const [key, value] of labels) text += text === '' ? `${key}=${value}` : `,${key}=${value}`;
  return text;
}

/**
 * The resource group as a label value, as AKS makes it: parentheses become hyphens, 63 bytes are kept, and a
 * separator at the end gets a z after it, or becomes one where the value is full. A bad beginning stays.
 */
export function clusterLabel(resourceGroup: string): string {
  const cut = cutBytes(resourceGroup.replaceAll(/[()]/g, '-'), 63);
  if (!/[-_.]$/.test(cut)) return cut;
  return cut.length > 62 ? `${cut.slice(0, 62)}z` : `${cut}z`;
}

// Go cuts at a byte, through a character if need be; half a character has no place in a string here, so it
// goes altogether. Strict mode refuses such a label anyway.
function cutBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text, 'utf8')
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd+$/u, '');
}

/** Keys under kubernetes.io and k8s.io that a kubelet may give its own node; it exits on any other. */
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);

/** Whether a kubelet may set the label on its own node. */
export function isKubeletLabel(key: string): boolean {
  // Both domains end alike, and most keys do not hold that.
  if (!key.includes('s.io/')) return true;
  const domain = key.slice(0, Math.max(0, key.indexOf('/')));
  if (!isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io')) return true;
  return isWithin(domain, 'kubelet.kubernetes.io') || isWithin(domain, 'node.kubernetes.io') || KUBELET_LABELS.has(key);
}

function isWithin(domain: string, parent: string): boolean {
  return (
    domain.endsWith(parent) && (domain.length === parent.length || domain[domain.length - parent.length - 1] === '.')
  );
}

/** Labels that tell others of a feature, and the variable without which the node does not have it. */
const FEATURE_LABELS: ReadonlyMap<string, { readonly value: string; readonly variable: string }> = new Map([
  ['kubernetes.azure.com/artifactstreaming-enabled', { value: 'true', variable: 'ARTIFACT_STREAMING_ENABLED' }],
  ['kubernetes.azure.com/localdns-state', { value: 'enabled', variable: 'SHOULD_ENABLE_LOCALDNS' }],
]);

function isSwitchedOn(options: WellFormedOptions, variable: string): boolean {
  return options.extraVariables?.some(([name, value]) => name === variable && value === 'true') ?? false;
}

export function checkLabels(options: WellFormedOptions, profile: Profile, problems: ProblemList): void {
  const cluster = profile.addsLabels ? clusterLabel(options.resourceGroup ?? '') : '';
  for (const [key, value] of options.labels ?? []) {
    checkLabel(key, value, problems);
    if (profile.addsLabels && (key === ROLE || key === CLUSTER)) {
      const forced = key === ROLE ? 'agent' : cluster;
      if (value !== forced) {
        problems.refuse(
          'LABEL_OVERWRITTEN',
          pointerTo('/labels', key),
          `${profile.name} sets this label to ${quoted(forced)} whatever stands here.`,
          'Remove the line.',
        );
      }
    }
    const feature = FEATURE_LABELS.get(key);
    if (feature !== undefined && feature.value === value && !isSwitchedOn(options, feature.variable)) {
      problems.warn(
        'LABEL_FEATURE_UNBACKED',
        pointerTo('/labels', key),
        'The label announces a feature that the script does not turn on.',
        `Set extraVariables.${feature.variable} to "true", or remove the label.`,
      );
    }
  }
  if (profile.addsLabels && options.resourceGroup !== undefined) {
    const fault = labelValueFault(cluster);
    if (fault) {
      problems.refuse(
        'LABEL_INVALID',
        '/resourceGroup',
        `The label ${CLUSTER}=${quoted(cluster)} that ${profile.name} makes from it is invalid: ${fault}, and the kubelet refuses to start.`,
        'Use a resource group whose name begins with an ASCII letter or digit, or render with aks/v1.14.',
      );
    }
  }
}

function checkLabel(key: string, value: string, problems: ProblemList): void {
  const keyFault = labelKeyFault(key);
  const valueFault = labelValueFault(value);
  if (!keyFault && !valueFault && key.length <= 63 && isKubeletLabel(key)) return;
  const path = pointerTo('/labels', key);
  if (keyFault)
    problems.refuse(
      'LABEL_INVALID',
      path,
      `${quoted(key)} is no label key: ${keyFault}.`,
      'Write the key as in "team" or "example.com/team".',
    );
  else if (!isKubeletLabel(key)) {
    problems.refuse(
      'LABEL_FORBIDDEN',
      path,
      `A kubelet may not give itself the label ${quoted(key)} and exits when told to.`,
      'Use a prefix of your own or node.kubernetes.io, or set the label through the API once the node has joined.',
    );
  } else if (key.length > 63) {
    problems.warn(
      'VALUE_UNUSUAL',
      path,
      `The key has ${key.length} characters; the node scripts cut keys after 63, prefix included.`,
      'Use a shorter prefix.',
    );
  }
  if (valueFault)
    problems.refuse(
      'LABEL_INVALID',
      path,
      `${quoted(value)} is no label value: ${valueFault}.`,
      'Write at most 63 letters, digits, - _ or .',
    );
}
