import { encodedLength } from '../../format/base64.ts';
import { compareCodeUnits, type ProblemList } from '../../core/problem.ts';
import { nodeBootstrapVariables } from './bootstrap.ts';
import type { Profile } from './profiles.ts';
import type { Assignments } from './script.ts';
import { VARIABLES } from './variables.ts';

/** Most bytes of custom data that Azure takes: 65,535, which are 87,380 characters of base64. */
export const SIZE_LIMIT = 65_535;

/** Reports a script that is too large, with the parts that make it so. */
export function reportSize(bytes: number, assignments: Assignments, profile: Profile, problems: ProblemList): void {
  const largest = parts(assignments, profile)
    .toSorted((a, b) => b.bytes - a.bytes || compareCodeUnits(a.name, b.name))
    .slice(0, 3)
    .map((part) => `${part.name} (${part.bytes} bytes)`);
  problems.refuse(
    'RESULT_TOO_LARGE',
    '',
    `The script has ${bytes} bytes (${encodedLength(bytes)} characters of base64); Azure takes ${SIZE_LIMIT} (${encodedLength(SIZE_LIMIT)}) as custom data.`,
    `Largest parts: ${largest.join(', ')}.`,
  );
}

function parts(assignments: Assignments, profile: Profile): { name: string; bytes: number }[] {
  const variables = nodeBootstrapVariables(profile, assignments);
  const own = VARIABLES.filter((fact) => fact.variable !== null && fact.profiles.includes(profile.name)).map((fact) => {
    const value = variables[fact.field as keyof typeof variables];
    const isList = Array.isArray(value);
    // The variable of a list is its length; what is large are the entries.
    return {
      name: isList ? `overrides.${fact.field}` : fact.variable!,
      bytes: Buffer.byteLength(isList ? value.join('') : String(value)),
    };
  });
  return [...own, ...Array.from(assignments.extra, ([name, value]) => ({ name, bytes: Buffer.byteLength(value) }))];
}
