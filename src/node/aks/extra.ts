import { nearestName } from '../../core/nearest.ts';
import { pointerTo } from '../../core/pointer.ts';
import { oncePer } from '../../core/once.ts';
import { compareCodeUnits, type ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { isIdentifier } from '../../format/shell.ts';
import { broughtExtraVariables } from './companions.ts';
import type { Profile } from './profiles.ts';
import type { WellFormedOptions } from './read.ts';
import { KNOWN_EXTRA_VARIABLES, VARIABLES, type VariableFact } from './variables.ts';

/**
 * Variables that the script sets beyond those of the profile, sorted by name: what the overrides bring along,
 * and what the user adds, which wins.
 */
export function extraVariables(options: WellFormedOptions): ReadonlyMap<string, string> {
  const given = options.extraVariables;
  const brought = options.overrides === undefined ? [] : [...broughtExtraVariables(options.overrides)];
  if (given === undefined && brought.length === 0) return NONE;
  return new Map([...new Map([...brought, ...(given ?? [])])].toSorted((a, b) => compareCodeUnits(a[0], b[0])));
}

const NONE: ReadonlyMap<string, string> = new Map();

// Names that change how bash or the loader works, or that bash does not let a script assign.
const SHELL_NAMES =
  /^(?:BASH.*|CDPATH|COMP_.*|DIRSTACK|ENV|EPOCH.*|EUID|EXECIGNORE|FIGNORE|FUNCNAME|FUNCNEST|GLOBIGNORE|GROUPS|HOME|HOSTNAME|IFS|LD_.*|LINENO|OLDPWD|OPTARG|OPTERR|OPTIND|PATH|PIPESTATUS|POSIXLY_CORRECT|PPID|PROMPT_COMMAND|PS[0-4]|PWD|RANDOM|REPLY|SECONDS|SHELL|SHELLOPTS|SHLVL|SRANDOM|TIMEFORMAT|TMOUT|TMPDIR|UID|_)$/;

/** Reports names that are no variables, that break the script, or that nobody is known to read. */
export function checkExtraVariables(options: WellFormedOptions, profile: Profile, problems: ProblemList): void {
  for (const [name] of options.extraVariables ?? []) {
    const path = pointerTo('/extraVariables', name);
    const fact = assignedBy(profile.name).get(name);
    if (!isIdentifier(name)) {
      problems.error(
        'NAME_INVALID',
        path,
        `${quoted(name)} is no name of a shell variable.`,
        'Write letters, digits and _, not beginning with a digit.',
      );
    } else if (fact !== undefined) {
      problems.error(
        'EXTRA_VARIABLE_RESERVED',
        path,
        `${profile.name} sets this variable itself.`,
        fact.origin === 'fixed' ? `Set \`overrides.${fact.field}\` instead.` : `Set ${fact.from} instead.`,
      );
    } else if (SHELL_NAMES.test(name) || name === 'REPO_DEPOT_ENDPOINT' || /^CUSTOM_CA_CERT_\d+$/.test(name)) {
      problems.error('EXTRA_VARIABLE_RESERVED', path, reservedReason(name), 'Remove the line.');
    } else if (
      !KNOWN_EXTRA_VARIABLES.some((known) => known === name || (known.endsWith('_') && name.startsWith(known)))
    ) {
      const near = problems.size < 100 ? nearestName(name, KNOWN_EXTRA_VARIABLES) : undefined;
      problems.warn(
        'EXTRA_VARIABLE_UNKNOWN',
        path,
        'No node script that is known here reads this variable.',
        near ? `Did you mean \`${near}\`?` : 'Nothing to do if your node image reads it.',
      );
    }
  }
}

function reservedReason(name: string): string {
  if (name === 'REPO_DEPOT_ENDPOINT') return 'The variable belongs to the custom-cloud branch, which is not supported.';
  if (name.startsWith('CUSTOM_CA_CERT_'))
    return 'The certificates are numbered from `overrides.customCATrustConfigCerts`.';
  return 'The name belongs to the shell or the loader, and setting it would break the node scripts.';
}

const assignedBy = oncePer((name: Profile['name']): ReadonlyMap<string, VariableFact> => {
  const own = VARIABLES.filter((fact) => fact.variable !== null && fact.profiles.includes(name));
  return new Map(own.map((fact) => [fact.variable!, fact]));
});
