import { nearestName } from '../../core/nearest.ts';
import { pointerTo } from '../../core/pointer.ts';
import type { ProblemList } from '../../core/problem.ts';
import { quoted, shown } from '../../core/redact.ts';
import { isGoDuration } from '../../format/duration.ts';
import { once, oncePer } from '../../core/once.ts';
import { blankKubeletConfiguration, blankOptions, blankTaint } from './blank.ts';
import type { AKSOptions, KubeletConfiguration, Overrides, Taint } from './options.ts';
import { PROFILE_NAMES, type ProfileName } from './profiles.ts';
import { KUBELET_FIELDS, OPTION_FIELDS, TAINT_FIELDS, type FieldFact } from './schema.ts';
import { shortSource, typeHint } from './type-hint.ts';
import { VARIABLES, type VariableFact } from './variables.ts';

export type WellFormedKubeletConfiguration = Present<KubeletConfiguration>;

export type WellFormedTaint = Present<Taint>;

/** Options that have the right shape: no unknown field, no `null`, every value of its type. */
export type WellFormedOptions = Present<Omit<AKSOptions, 'kubeletConfig' | 'taints' | 'overrides'>> & {
  readonly kubeletConfig?: WellFormedKubeletConfiguration | undefined;
  readonly taints?: readonly WellFormedTaint[] | undefined;
  readonly overrides?: Present<Overrides> | undefined;
};

/**
 * A map whose keys come from the user, as entries sorted by key: no key is special, and nothing has to be
 * sorted again when it is printed.
 */
export type Entries = readonly (readonly [key: string, value: string])[];

type Present<T> = { readonly [K in keyof T]?: WellFormed<NonNullable<T[K]>> | undefined };
type WellFormed<T> = T extends Readonly<Record<string, string>> ? (string extends keyof T ? Entries : T) : T;

/**
 * Reads options of unknown origin: takes a copy without `null`, and reports whatever does not have the shape
 * of the profile's options. Neither mode relaxes shape, so the result is complete only without errors.
 */
export function readOptions(input: unknown, profile: ProfileName, problems: ProblemList): WellFormedOptions {
  if (!isMapping(input)) {
    problems.error(
      'FIELD_TYPE',
      '',
      `The options must be a mapping; got ${describe(input)}.`,
      'Write one option a line, as in `arch: amd64`.',
    );
    return {};
  }
  return readFields(input, '', tablesOf(profile).options, { profile, problems }) as WellFormedOptions;
}

/** Reads a kubelet configuration by itself, with the fields of every profile. */
export function readKubeletConfiguration(input: unknown, problems: ProblemList): WellFormedKubeletConfiguration {
  const context: Context = { profile: 'aks/v1.14', problems };
  if (isMapping(input))
    return readFields(input, '', fieldTable(KUBELET_FIELDS, PROFILE_NAMES, blankKubeletConfiguration), context);
  reportType('a mapping', input, '', NO_EXAMPLE, context, 'Pass an object with one field per setting.');
  return {};
}

interface Context {
  readonly profile: ProfileName;
  readonly problems: ProblemList;
}

interface Tables {
  readonly options: FieldTable;
  readonly kubelet: FieldTable;
  readonly taint: FieldTable;
}

interface FieldTable {
  readonly byName: ReadonlyMap<string, FieldFact>;
  /** Makes a record with every field and no value. */
  readonly blank: () => Fields;
}

const tablesOf = oncePer((profile: ProfileName): Tables => ({
  options: fieldTable(OPTION_FIELDS, [profile], blankOptions),
  kubelet: fieldTable(KUBELET_FIELDS, [profile], blankKubeletConfiguration),
  taint: fieldTable(TAINT_FIELDS, [profile], blankTaint),
}));

const variablesByField = once(() => new Map(VARIABLES.map((fact) => [fact.field, fact])));

function fieldTable(fields: readonly FieldFact[], profiles: readonly ProfileName[], blank: () => Fields): FieldTable {
  const own = fields.filter((fact) => fact.profiles.some((profile) => profiles.includes(profile)));
  return { byName: new Map(own.map((fact) => [fact.name, fact])), blank };
}

type Fields = Record<string, unknown>;

function readFields(input: Fields, path: string, facts: FieldTable, context: Context): Fields {
  const result: Fields = facts.blank();
  for (const name of Object.keys(input)) {
    const fact = facts.byName.get(name);
    if (fact === undefined) {
      reportUnknown(name, path, facts, context);
      continue;
    }
    const value = input[name];
    if (value === null || value === undefined) continue;
    const read = readValue(value, path, name, fact, context);
    if (read !== undefined) result[name] = read;
  }
  return result;
}

// Readers get the path of the parent and the key: most values are fine, and their paths need never be made.
function readValue(value: unknown, parent: string, key: string, fact: FieldFact, context: Context): unknown {
  switch (fact.type) {
    case 'string':
      return readString(value, parent, key, fact, context);
    case 'duration':
      return readDuration(value, parent, key, fact, context);
    case 'boolean':
      return typeof value === 'boolean'
        ? value
        : reportType('true or false', value, pointerTo(parent, key), fact, context);
    case 'int32':
    case 'percent':
      return readInteger(value, parent, key, fact, 2 ** 31 - 1, context);
    case 'int64':
      return readInteger(value, parent, key, fact, Number.MAX_SAFE_INTEGER, context);
    case 'string list':
      return readStrings(value, pointerTo(parent, key), fact, context);
    case 'string map':
      return readMap(value, pointerTo(parent, key), fact, context, readString);
    case 'duration map':
      return readMap(value, pointerTo(parent, key), fact, context, readDuration);
    case 'taint list':
      return readTaints(value, pointerTo(parent, key), fact, context);
    case 'kubelet configuration':
      return readKubelet(value, pointerTo(parent, key), context);
    case 'overrides':
      return readOverrides(value, pointerTo(parent, key), context);
    default:
      return fact.type satisfies never;
  }
}

/** Whether the text holds what no shell variable can carry: NUL, or half of a surrogate pair. */
function isUnencodable(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

function readString(
  value: unknown,
  parent: string,
  key: string | number,
  fact: Pick<FieldFact, 'secret' | 'example'>,
  context: Context,
): string | undefined {
  if (typeof value !== 'string') return reportType('a string', value, pointerTo(parent, key), fact, context);
  return isUnencodable(value) ? reportEncoding(value, pointerTo(parent, key), context) : value;
}

function reportEncoding(text: string, path: string, { problems }: Context): undefined {
  if (text.includes('\0')) {
    problems.error(
      'ENCODING_INVALID',
      path,
      'The text holds a NUL character.',
      'Remove it: no shell variable and no command line can carry NUL.',
    );
  } else {
    problems.error(
      'ENCODING_INVALID',
      path,
      'The text holds half of a surrogate pair.',
      'Write the whole character: a lone surrogate has no UTF-8 form.',
    );
  }
}

function readDuration(
  value: unknown,
  parent: string,
  key: string,
  _fact: FieldFact,
  context: Context,
): string | undefined {
  const text = readString(value, parent, key, DURATION_EXAMPLE, context);
  if (text === undefined || isGoDuration(text)) return text;
  context.problems.error(
    'FIELD_TYPE',
    pointerTo(parent, key),
    `${quoted(text)} is no duration.`,
    'Write numbers with units (ns, us, ms, s, m, h), as in "90s" or "1h30m".',
  );
  return undefined;
}

const DURATION_EXAMPLE = { example: '1m30s' };

function readInteger(
  value: unknown,
  parent: string,
  key: string,
  fact: FieldFact,
  largest: number,
  context: Context,
): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value))
    return reportType('a whole number', value, pointerTo(parent, key), fact, context);
  if (value <= largest && value >= -largest - 1) return value;
  context.problems.error(
    'FIELD_TYPE',
    pointerTo(parent, key),
    `${value} does not fit into ${largest > 2 ** 31 ? 'the safe integers' : '32 bits'}.`,
    `Write a number from ${-largest - 1} to ${largest}.`,
  );
  return undefined;
}

function readStrings(
  value: unknown,
  path: string,
  fact: FieldFact | VariableFact,
  context: Context,
): readonly string[] | undefined {
  if (!Array.isArray(value)) return reportType('a list of strings', value, path, fact, context);
  // An item that cannot be read has been reported, and keeps its place: the others have theirs by number.
  return Array.from(value, (item, index) => readString(item, path, index, secretOf(fact), context) ?? '');
}

function readMap(
  value: unknown,
  path: string,
  fact: FieldFact,
  context: Context,
  readEntry: (value: unknown, parent: string, key: string, fact: FieldFact, context: Context) => string | undefined,
): Entries | undefined {
  if (!isMapping(value)) return reportType('a mapping of strings', value, path, fact, context);
  const entries: [string, string][] = [];
  for (const key of sortedKeys(value)) {
    if (isUnencodable(key)) {
      reportEncoding(key, pointerTo(path, key), context);
      continue;
    }
    const entry = value[key];
    if (entry === null || entry === undefined) {
      context.problems.warn(
        'NULL_ENTRY',
        pointerTo(path, key),
        'null counts as absent, so the entry is left out.',
        'Write "" for an empty value, or remove the line.',
      );
      continue;
    }
    // An entry that cannot be read has been reported; its key stays, so that nobody misses it.
    entries.push([key, readEntry(entry, path, key, fact, context) ?? '']);
  }
  return entries;
}

function readTaints(value: unknown, path: string, fact: FieldFact, context: Context): readonly Fields[] | undefined {
  if (!Array.isArray(value)) return reportType('a list of taints', value, path, secretOf(fact), context);
  const taints: Fields[] = [];
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index];
    const itemPath = pointerTo(path, index);
    taints.push(readFields(isMapping(item) ? item : {}, itemPath, tablesOf(context.profile).taint, context));
    if (!isMapping(item))
      reportType('a taint', item, itemPath, NO_EXAMPLE, context, 'Write a mapping with `key`, `value` and `effect`.');
  }
  return taints;
}

const NO_EXAMPLE: Pick<FieldFact, 'secret' | 'example'> = {};

function readKubelet(value: unknown, path: string, context: Context): Fields | undefined {
  if (isMapping(value)) return readFields(value, path, tablesOf(context.profile).kubelet, context);
  return reportType('a mapping', value, path, NO_EXAMPLE, context, 'Write one setting a line, as in `maxPods: 110`.');
}

function readOverrides(value: unknown, path: string, context: Context): Fields | undefined {
  if (!isMapping(value)) {
    return reportType(
      'a mapping',
      value,
      path,
      NO_EXAMPLE,
      context,
      'Write one variable a line, as in `swapFileSizeMB: 2048`.',
    );
  }
  const result: Fields = {};
  for (const name of Object.keys(value)) {
    const entryPath = pointerTo(path, name);
    const entry = value[name];
    const fact = variablesByField().get(name);
    if (fact === undefined) {
      const near = context.problems.size < 100 ? nearestName(name, variablesByField().keys()) : undefined;
      context.problems.error(
        'FIELD_UNKNOWN',
        entryPath,
        'No bootstrap variable has this field name.',
        near ? `Did you mean \`${near}\`?` : 'See the variable reference in the documentation.',
      );
    } else if (!fact.profiles.includes(context.profile)) {
      context.problems.error(
        'FIELD_WRONG_PROFILE',
        entryPath,
        `${context.profile} has no such variable.`,
        `Use it with ${fact.profiles.join(' or ')}.`,
      );
    } else if (entry !== null && entry !== undefined) {
      // A value that cannot be read has been reported; it still counts as set, for those that need it.
      result[name] = readVariable(entry, path, name, fact, context) ?? '?';
    }
  }
  return result;
}

function readVariable(value: unknown, parent: string, name: string, fact: VariableFact, context: Context): unknown {
  switch (fact.type) {
    case 'string':
      return readString(value, parent, name, secretOf(fact), context);
    case 'boolean':
      return typeof value === 'boolean'
        ? value
        : reportType('true or false', value, pointerTo(parent, name), secretOf(fact), context);
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      return reportType('a whole number', value, pointerTo(parent, name), secretOf(fact), context);
    case 'string list':
      return readStrings(value, pointerTo(parent, name), fact, context);
    default:
      return fact.type satisfies never;
  }
}

function secretOf(fact: { readonly secret?: true }): { readonly secret?: true } {
  return fact.secret ? { secret: true } : {};
}

/** What replaced a field of one profile in the other. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  clusterId: 'aks/v1.14 takes `networkSecurityGroupName` and `routeTableName`.',
  clusterDNS: 'aks/v1.14 takes `clusterDNSServiceIP`, one address.',
  clusterDNSServiceIP: 'aks/v0.4.0 always uses 10.0.0.10; the option needs aks/v1.14.',
  kubeletIdentityClientId: 'aks/v0.4.0 takes `userAssignedIdentityId`.',
  networkSecurityGroupName: 'aks/v0.4.0 makes the name from `clusterId`.',
  routeTableName: 'aks/v0.4.0 makes the name from `clusterId`.',
  userAssignedIdentityId: 'aks/v1.14 takes `kubeletIdentityClientId`.',
};

// The value of a field that we do not know is never shown: it may be a misspelt token.
function reportUnknown(name: string, path: string, facts: FieldTable, { profile, problems }: Context): void {
  const other = PROFILE_NAMES.find(
    (candidate) => candidate !== profile && siblings(facts, profile, candidate).byName.has(name),
  );
  if (other !== undefined) {
    const hint = Object.hasOwn(COUNTERPARTS, name) ? COUNTERPARTS[name]! : `Remove it, or render with ${other}.`;
    problems.error(
      'FIELD_WRONG_PROFILE',
      pointerTo(path, name),
      `${profile} has no such field; ${other} has it.`,
      hint,
    );
    return;
  }
  const near = problems.size < 100 ? nearestName(name, facts.byName.keys()) : undefined;
  const hint = near ? `Did you mean \`${near}\`?` : `Known here: ${[...facts.byName.keys()].toSorted().join(', ')}.`;
  problems.error('FIELD_UNKNOWN', pointerTo(path, name), 'No such field.', hint);
}

function siblings(facts: FieldTable, profile: ProfileName, other: ProfileName): FieldTable {
  const own = tablesOf(profile);
  const theirs = tablesOf(other);
  if (facts === own.kubelet) return theirs.kubelet;
  return facts === own.taint ? theirs.taint : theirs.options;
}

function reportType(
  expected: string,
  value: unknown,
  path: string,
  fact: Pick<FieldFact, 'secret' | 'example'>,
  { problems }: Context,
  hint?: string,
): undefined {
  const source = fact.secret ? undefined : problems.source?.plainText(path);
  const received = fact.secret ? describe(value) : `${describe(value)}${describeValue(value, source)}`;
  problems.error(
    'FIELD_TYPE',
    path,
    `Expected ${expected}, got ${received}.`,
    hint ?? typeHint(expected, value, fact, source),
  );
  return undefined;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'number' && Number.isInteger(value) ? 'a whole number' : `a ${typeof value}`;
}

function describeValue(value: unknown, source: string | undefined): string {
  if (source !== undefined) return ` (${shortSource(source)})`;
  return typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol'
    ? ''
    : ` (${shown(value)})`;
}

// Most maps are written in order, and sorting them again costs more than looking.
function sortedKeys(value: Fields): string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index++) if (keys[index]! < keys[index - 1]!) return keys.toSorted();
  return keys;
}

// A Map, a Set or a Date has no entries that we would see: taking it for an empty mapping would lose it.
function isMapping(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype || prototype === null || Object.prototype.toString.call(value) === '[object Object]'
  );
}
