import type { ProblemList } from '../../../core/problem.ts';
import { pointerTo } from '../../../core/pointer.ts';
import type { DaemonSet } from '../../../cluster/objects.ts';
import { RECORD_ANNOTATION } from './facts.ts';
import type { Patch } from './patch.ts';
import type { Change } from './rule.ts';

/**
 * What a conversion did to a Pod, as text of an annotation of the DaemonSet. Changes are kept and not the manifest:
 * so the way back keeps what was changed in the DaemonSet since, a newer image for one. And an annotation of the
 * object itself survives everything that the object survives: updates of its template, a restore of etcd, a person
 * with `kubectl edit`.
 */
export function writeRecord(changes: readonly Change[]): string {
  const lines = changes
    .filter(({ object }) => object === 'Pod')
    .map(({ reason: _reason, object: _object, ...change }) => JSON.stringify(change));
  // One change a line, so that a person can read it.
  return `{"version":1,"changes":[\n${lines.join(',\n')}\n]}\n`;
}

/** Reads what {@link writeRecord} wrote. */
export function readRecord(daemonSet: DaemonSet, problems: ProblemList): readonly Patch[] | undefined {
  const text = daemonSet.metadata.annotations?.[RECORD_ANNOTATION];
  const patches = text === undefined ? undefined : patchesIn(text);
  if (patches === undefined) {
    const fault = text === undefined ? 'is missing' : 'is not what bootlace wrote';
    problems.error(
      'CONVERSION_RECORD_INVALID',
      pointerTo('/metadata/annotations', RECORD_ANNOTATION),
      `The annotation that says what the conversion changed ${fault}.`,
      'Take the manifest from its backup.',
    );
  }
  return patches;
}

function patchesIn(text: string): readonly Patch[] | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { version, changes } = (record ?? {}) as { version?: unknown; changes?: unknown };
  return version === 1 && Array.isArray(changes) && changes.every(isPatch) ? changes : undefined;
}

function isPatch(value: unknown): value is Patch {
  if (typeof value !== 'object' || value === null) return false;
  const { op, path } = value as { op?: unknown; path?: unknown };
  if (typeof path !== 'string' || !path.startsWith('/')) return false;
  switch (op) {
    case 'add':
      return 'after' in value;
    case 'remove':
      return 'before' in value;
    case 'replace':
      return 'before' in value && 'after' in value;
    default:
      return false;
  }
}
