import { PROBLEM_CODES } from '../../src/core/problem.ts';
import { PROFILE_NAMES, type ProfileName } from '../../src/node/aks/profiles.ts';
import { AKS_FIELDS, KUBELET_FIELDS, POOL_FIELDS, TAINT_FIELDS, type FieldFact } from '../../src/node/aks/schema.ts';
import { KNOWN_EXTRA_VARIABLES, SOURCE_CLASSES, VARIABLES, type VariableFact } from '../../src/node/aks/variables.ts';

const NOTICE = '<!-- Written by `npm run generate` from the tables in src: change those, not this file. -->';

/** docs/options.md: every option, by profile. */
export function optionReference(): string {
  return [
    NOTICE,
    '',
    '# Options',
    '',
    'Options are one mapping, in YAML, in JSON or as an object. `null` means absent. Required fields are marked with the profiles that require them; lenient mode renders without them where the Go package does.',
    '',
    ...PROFILE_NAMES.map((profile) => `- ${profile} requires ${requiredOf(profile).join(', ')}.`),
    '',
    '## The node pool',
    '',
    fieldTable(POOL_FIELDS),
    '## The cluster',
    '',
    fieldTable(AKS_FIELDS),
    '## kubeletConfig',
    '',
    fieldTable(KUBELET_FIELDS),
    '## taints[]',
    '',
    fieldTable(TAINT_FIELDS),
  ].join('\n');
}

function requiredOf(profile: ProfileName): string[] {
  const required = [...POOL_FIELDS, ...AKS_FIELDS].filter((fact) => fact.required && fact.profiles.includes(profile));
  return required.map((fact) => `\`${fact.name}\``).toSorted();
}

function fieldTable(facts: readonly FieldFact[]): string {
  const rows = facts.map((fact) => [
    `\`${fact.name}\``,
    typeName(fact),
    fact.profiles.length === 2 ? 'both' : fact.profiles.join(''),
    `${fact.doc}${valuesOf(fact)}${fact.example === undefined ? '' : ` Example: \`${JSON.stringify(fact.example)}\`.`}`,
    fact.default,
    fact.since,
  ]);
  return table(['field', 'type', 'profiles', 'meaning', 'default', 'since'], rows);
}

function typeName(fact: FieldFact): string {
  return fact.secret ? `${fact.type}, secret` : fact.type;
}

function valuesOf(fact: FieldFact): string {
  const values = [...new Set(Object.values(fact.values ?? {}).flat())].filter(Boolean);
  return values.length === 0 ? '' : ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
}

/** docs/variables.md: every bootstrap variable, with its source, its readers and what it means. */
export function variableReference(): string {
  return [
    NOTICE,
    '',
    '# Bootstrap variables',
    '',
    'What the script assigns on a node, in the order of the AKS contract. The field name is the one of `NodeBootstrapVariables` and of `overrides`. A variable whose value comes from options or is computed cannot be overridden.',
    '',
    'Source classes are those of the Go documentation; several letters are several sources:',
    '',
    table(
      ['class', 'source'],
      Object.entries(SOURCE_CLASSES).map(([letter, meaning]) => [`\`${letter}\``, meaning]),
    ),
    '',
    table(
      ['variable', 'field', 'type', 'class', 'value', 'profiles', 'read by', 'meaning'],
      VARIABLES.map((fact) => [
        fact.variable ? `\`${fact.variable}\`` : 'none',
        `\`${fact.field}\``,
        fact.secret ? `${fact.type}, secret` : fact.type,
        fact.sourceClass ? `\`${fact.sourceClass}\`` : '',
        originOf(fact),
        fact.profiles.length === 2 ? 'both' : fact.profiles.join(''),
        fact.readers.length > 0 ? fact.readers.join(', ') : 'nobody',
        fact.meaning,
      ]),
    ),
    '',
    '## extraVariables',
    '',
    'Variables that node scripts read and no profile sets. A name that ends in `_` stands for a family.',
    '',
    ...KNOWN_EXTRA_VARIABLES.map((name) => `- \`${name}\``),
    '',
  ].join('\n');
}

function originOf(fact: VariableFact): string {
  switch (fact.origin) {
    case 'fixed':
      return `overridable${fact.values ? `, one of ${fact.values.map((value) => `\`${value || '""'}\``).join(', ')}` : fact.rule ? `, ${fact.rule}` : ''}`;
    case 'option':
      return `option ${fact.from}`;
    case 'computed':
      return `computed from ${fact.from}`;
    case 'custom cloud':
      return 'not supported';
    default:
      return fact.origin satisfies never;
  }
}

/** docs/problems.md: every code that a problem can carry. */
export function problemReference(): string {
  const rows = Object.entries(PROBLEM_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return [
    NOTICE,
    '',
    '# Problem codes',
    '',
    'A problem has `severity` (`error` or `warning`), `code`, `path` (a JSON pointer), `message` and `hint`, and for input from a file `document` (from 0), `line` and `column` (from 1). A code keeps its meaning for ever.',
    '',
    table(['code', 'meaning'], rows),
    '',
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
