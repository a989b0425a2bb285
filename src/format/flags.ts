/**
 * Flags on a command line, read and edited as the components of Kubernetes read them: `--name=value`, or `--name`
 * with the value in the next element. Only what is asked for changes: order, repeats and flags without a value stay.
 *
 * An element behind a flag counts as its value unless it begins with `--`: none of the components takes an argument
 * that is no flag. In names `_` and `-` are the same, as they are to the components.
 */
interface Occurrence {
  /** Where the flag stands, and where its value does: the same place for `--name=value`. */
  readonly at: number;
  readonly valueAt?: number;
  readonly value?: string;
}

/** Every value that a flag is given, in order. A flag without a value adds none. */
export function flagValues(argv: readonly string[], name: string): readonly string[] {
  return occurrences(argv, name).flatMap(({ value }) => (value === undefined ? [] : [value]));
}

/** The value that counts for a flag with one value: the last. */
export function flagValue(argv: readonly string[], name: string): string | undefined {
  return flagValues(argv, name).at(-1);
}

export function hasFlag(argv: readonly string[], name: string): boolean {
  return occurrences(argv, name).length > 0;
}

/** Element of the list that holds the value of a flag: the last one, or the last that has just this value. */
export function flagIndex(argv: readonly string[], name: string, value?: string): number | undefined {
  const found = occurrences(argv, name).findLast((one) => value === undefined || one.value === value);
  return found?.valueAt ?? found?.at;
}

/**
 * The list with a value for a flag. The last occurrence is what counts and is what changes, in the form that it has;
 * without one the flag is added at the end.
 */
export function setFlag(argv: readonly string[], name: string, value: string): readonly string[] {
  const last = occurrences(argv, name).at(-1);
  if (last === undefined) {
    const end = argv.indexOf('--');
    return argv.toSpliced(end < 0 ? argv.length : end, 0, `--${name}=${value}`);
  }
  if (last.valueAt !== undefined && last.valueAt !== last.at) return argv.with(last.valueAt, value);
  return argv.with(last.at, `${argv[last.at]!.split('=', 1)[0]}=${value}`);
}

/** The list without a flag, all its occurrences and their values. */
export function removeFlag(argv: readonly string[], name: string): readonly string[] {
  const gone = new Set(occurrences(argv, name).flatMap(({ at, valueAt }) => [at, valueAt]));
  return argv.filter((_, index) => !gone.has(index));
}

const GATES = 'feature-gates';

/**
 * The list with a feature gate on or off. Other gates stay; an older word about this one is taken out, since a
 * component refuses to hear two.
 */
export function setFeatureGate(argv: readonly string[], gate: string, on: boolean): readonly string[] {
  let list = argv;
  for (const value of flagValues(argv, GATES)) {
    const others = value.split(',').filter((entry) => gateOf(entry) !== gate);
    if (others.length < value.split(',').length) list = replaceValue(list, value, others.join(','));
  }
  const last = flagValue(list, GATES);
  return setFlag(list, GATES, last ? `${last},${gate}=${on}` : `${gate}=${on}`);
}

// Since 1.31 an entry may name its component, as in `kube:Gate=true`.
function gateOf(entry: string): string {
  return entry
    .split('=', 1)[0]!
    .trim()
    .replace(/^kube:/, '');
}

function replaceValue(argv: readonly string[], value: string, other: string): readonly string[] {
  const index = flagIndex(argv, GATES, value);
  if (index === undefined) return argv;
  const element = argv[index]!;
  return argv.with(index, element === value ? other : `${element.split('=', 1)[0]}=${other}`);
}

function occurrences(argv: readonly string[], name: string): readonly Occurrence[] {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return flags.flatMap((element, at): Occurrence[] => {
    const [, found, value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(element) ?? [];
    if (found?.replaceAll('_', '-') !== name) return [];
    if (value !== undefined) return [{ at, valueAt: at, value }];
    const next = flags[at + 1];
    return [next === undefined || next.startsWith('--') ? { at } : { at, valueAt: at + 1, value: next }];
  });
}
