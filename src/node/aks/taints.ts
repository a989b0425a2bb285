import type { ProblemList } from '../../core/problem.ts';
import { pointerTo } from '../../core/pointer.ts';
import { quoted } from '../../core/redact.ts';
import { labelKeyFault, labelValueFault } from './names.ts';
import type { WellFormedTaint } from './read.ts';

export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The value of `--register-with-taints`: taints in the order given, separated by commas. */
export function registerWithTaints(taints: readonly WellFormedTaint[]): string {
  return taints.map(taintText).join(',');
}

/** One taint as Kubernetes prints it: `key=value:effect`, and without the parts that are empty. */
function taintText({ key = '', value = '', effect = '' }: WellFormedTaint): string {
  if (effect === '') return value === '' ? key : `${key}=${value}:`;
  return value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}

/** Reports taints with which the kubelet would refuse to start. */
export function checkTaints(taints: readonly WellFormedTaint[], problems: ProblemList): void {
  const seen = new Map<string, number>();
  for (let index = 0; index < taints.length; index++) {
    const taint = taints[index]!;
    const path = `/taints/${index}`;
    checkTaint(taint, path, problems);
    const { key = '', effect = '' } = taint;
    const identity = `${key}:${effect}`;
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, index);
    else if (effect !== '') {
      problems.refuse(
        'TAINT_DUPLICATE',
        path,
        `The taint ${quoted(identity)} stands at /taints/${first} already; the kubelet refuses two with the same key and effect.`,
        'Remove one of them.',
      );
    }
  }
}

function checkTaint(taint: WellFormedTaint, path: string, problems: ProblemList): void {
  const { key = '', value = '', effect = '', timeAdded } = taint;
  const keyFault = labelKeyFault(key);
  if (key === '') {
    problems.refuse(
      'TAINT_INVALID',
      pointerTo(path, 'key'),
      'The taint has no key.',
      'Write the key, as in "dedicated".',
    );
  } else if (keyFault) {
    problems.refuse(
      'TAINT_INVALID',
      pointerTo(path, 'key'),
      `${quoted(key)} is no taint key: ${keyFault}.`,
      'Write a name as for a label key, as in "example.com/dedicated".',
    );
  }
  const valueFault = labelValueFault(value);
  if (valueFault) {
    problems.refuse(
      'TAINT_INVALID',
      pointerTo(path, 'value'),
      `${quoted(value)} is no taint value: ${valueFault}.`,
      'Write a value as for a label, or leave it out.',
    );
  }
  if (effect === '') {
    problems.refuse(
      'TAINT_INVALID',
      pointerTo(path, 'effect'),
      'The taint has no effect, and the kubelet refuses to start with one like it.',
      `Write one of ${TAINT_EFFECTS.join(', ')}.`,
    );
  } else if (!TAINT_EFFECTS.includes(effect)) {
    problems.refuse(
      'TAINT_INVALID',
      pointerTo(path, 'effect'),
      `${quoted(effect)} is no effect.`,
      `Write one of ${TAINT_EFFECTS.join(', ')}.`,
    );
  }
  if (timeAdded !== undefined) {
    problems.warn(
      'FIELD_DROPPED',
      pointerTo(path, 'timeAdded'),
      'The time never reaches the node.',
      'Remove it: the API server sets it.',
    );
  }
}
