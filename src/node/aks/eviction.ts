import { pointerTo } from '../../core/pointer.ts';
import { compareCodeUnits, type ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { parseGoDuration } from '../../format/duration.ts';
import { parseQuantity } from '../../format/quantity.ts';
import { DEFAULT_HARD_EVICTION } from './profiles.ts';
import type { Entries, WellFormedKubeletConfiguration } from './read.ts';

const PATH = '/kubeletConfig';

/** What the kubelet measures. It sets containerfs thresholds itself, so that those are no choice. */
export const EVICTION_SIGNALS: ReadonlySet<string> = new Set([
  'allocatableMemory.available',
  'imagefs.available',
  'imagefs.inodesFree',
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'pid.available',
]);

const NONE: Entries = [];

export function checkEviction(config: WellFormedKubeletConfiguration, problems: ProblemList): void {
  const { evictionHard = NONE, evictionSoft = NONE, evictionSoftGracePeriod = NONE } = config;
  checkThresholds('evictionHard', evictionHard, problems);
  checkThresholds('evictionSoft', evictionSoft, problems);
  checkGracePeriods(evictionSoft, evictionSoftGracePeriod, problems);
  if (evictionHard.length > 0) checkLostDefaults(evictionHard, problems);
}

function checkGracePeriods(soft: Entries, graces: Entries, problems: ProblemList): void {
  for (const [signal] of soft) {
    if (hasSignal(graces, signal)) continue;
    problems.refuse(
      'EVICTION_GRACE_UNMATCHED',
      pointerTo(`${PATH}/evictionSoft`, signal),
      `The soft threshold of ${quoted(signal)} has no grace period, and the kubelet refuses to start.`,
      `Add ${quoted(signal)} to \`evictionSoftGracePeriod\`, as in "90s".`,
    );
  }
  for (const [signal, grace] of graces) {
    checkSignal(signal, 'evictionSoftGracePeriod', problems);
    if (grace.startsWith('-') && parseGoDuration(grace) !== 0n) {
      problems.refuse(
        'VALUE_INVALID',
        pointerTo(`${PATH}/evictionSoftGracePeriod`, signal),
        `${quoted(grace)} is negative.`,
        'Write a duration as in "90s".',
      );
    }
    if (!hasSignal(soft, signal)) {
      problems.refuse(
        'EVICTION_GRACE_UNMATCHED',
        pointerTo(`${PATH}/evictionSoftGracePeriod`, signal),
        `There is no soft threshold for ${quoted(signal)}, so that the grace period has no effect.`,
        `Add ${quoted(signal)} to \`evictionSoft\`, or remove the line.`,
      );
    }
  }
}

// Entries are sorted, and usually few: halving them needs no set.
function hasSignal(entries: Entries, signal: string): boolean {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle]![0] < signal) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.[0] === signal;
}

function checkThresholds(field: 'evictionHard' | 'evictionSoft', thresholds: Entries, problems: ProblemList): void {
  for (const [signal, value] of thresholds) {
    checkSignal(signal, field, problems);
    const fault = thresholdFault(value);
    if (fault) {
      problems.refuse(
        'VALUE_INVALID',
        pointerTo(`${PATH}/${field}`, signal),
        `${quoted(value)} is no threshold: ${fault}.`,
        'Write a quantity as in "500Mi" or a percentage as in "10%".',
      );
    } else if (/^0*(?:0|100)%$/.test(value)) {
      problems.warn(
        'VALUE_UNUSUAL',
        pointerTo(`${PATH}/${field}`, signal),
        `The kubelet ignores a threshold of ${value}.`,
        'Leave the signal out to say the same.',
      );
    }
  }
}

function checkSignal(signal: string, field: string, problems: ProblemList): void {
  if (EVICTION_SIGNALS.has(signal)) return;
  const hint = signal.startsWith('containerfs.')
    ? 'The kubelet takes its containerfs thresholds from nodefs or imagefs: set those.'
    : `It knows ${[...EVICTION_SIGNALS].join(', ')}.`;
  problems.refuse(
    'EVICTION_SIGNAL_UNKNOWN',
    pointerTo(`${PATH}/${field}`, signal),
    `The kubelet takes no threshold for ${quoted(signal)}.`,
    hint,
  );
}

function thresholdFault(value: string): string | undefined {
  if (value.endsWith('%')) return percentageFault(value);
  const quantity = parseQuantity(value);
  if (quantity === undefined) return 'it is neither a quantity nor a percentage';
  return quantity.sign > 0 ? undefined : 'it must be positive';
}

function percentageFault(value: string): string | undefined {
  if (!/^\+?(?:\d+\.?\d*|\.\d+)%$/.test(value)) return 'it is neither a quantity nor a percentage';
  return Number.parseFloat(value) > 100 ? 'it is more than all' : undefined;
}

function checkLostDefaults(hard: Entries, problems: ProblemList): void {
  const lost = DEFAULT_HARD_EVICTION.filter(([signal]) => !hasSignal(hard, signal));
  if (lost.length === 0) return;
  const merged = [...hard, ...lost].toSorted((a, b) => compareCodeUnits(a[0], b[0]));
  problems.warn(
    'EVICTION_DEFAULTS_LOST',
    `${PATH}/evictionHard`,
    `The map replaces all default thresholds, and the node loses ${lost.map(([signal, value]) => `${signal} ${value}`).join(' and ')}.`,
    `Write the merged map: {${merged.map(([signal, value]) => `${quoted(signal).slice(1, -1)}: ${quoted(value)}`).join(', ')}}.`,
  );
}
