import { AKS_FIELDS, KUBELET_FIELDS, POOL_FIELDS, TAINT_FIELDS, type FieldFact } from '../../src/node/aks/schema.ts';
import { VARIABLES, type VariableFact } from '../../src/node/aks/variables.ts';

const NOTICE =
  '// Written by `npm run generate` from the tables in schema.ts and variables.ts: change those, not this file.';

/** The types of the options, with a doc comment per field, as src/node/aks/options.ts holds them. */
export function optionTypes(): string {
  return [
    NOTICE,
    '',
    '/** What a provisioner knows of a node pool, the same for every bootstrapper. `null` means absent. */',
    interfaceOf('Options', POOL_FIELDS),
    '/** Everything that the AKS bootstrappers take. `null` means absent. */',
    interfaceOf('AKSOptions extends Options', AKS_FIELDS),
    '/** Settings of the kubelet, spelt as Kubernetes JSON spells them. */',
    interfaceOf('KubeletConfiguration', KUBELET_FIELDS),
    '/** A taint, spelt as Kubernetes JSON spells it. */',
    interfaceOf('Taint', TAINT_FIELDS),
    '/** Bootstrap variables that no other option reaches, by field name of `NodeBootstrapVariables`. */',
    'export interface Overrides {',
    ...VARIABLES.filter((fact) => fact.origin === 'fixed').flatMap((fact) => [
      ...comment(variableDoc(fact), '  '),
      `  readonly ${fact.field}?: ${variableType(fact)} | null | undefined;`,
    ]),
    '}',
    '',
  ].join('\n');
}

/** The type NodeBootstrapVariables, as src/node/aks/node-bootstrap-variables.ts holds it. */
export function variableTypes(): string {
  return [
    NOTICE,
    '',
    '/**',
    ' * Every value that a node is bootstrapped with, before it is printed into the script. Field names are those',
    ' * of the Go type in lower camel case.',
    ' */',
    'export interface NodeBootstrapVariables {',
    ...VARIABLES.flatMap((fact) => [...comment(variableDoc(fact), '  '), `  ${fact.field}: ${variableType(fact)};`]),
    '}',
    '',
  ].join('\n');
}

/**
 * Functions that return records with every field and no value, as src/node/aks/blank.ts holds them. Records
 * that are filled one name after the other become hash tables in V8; from a literal they keep one shape.
 */
export function blankRecords(): string {
  const blank = (name: string, fields: readonly FieldFact[]): string =>
    [
      `export function ${name}(): Record<string, unknown> {`,
      `  return { ${fields.map((fact) => `${fact.name}: undefined`).join(', ')} };`,
      '}',
      '',
    ].join('\n');
  return [
    NOTICE,
    '',
    '// Every record from a literal has the same shape, which makes reading its fields fast.',
    blank('blankOptions', [...POOL_FIELDS, ...AKS_FIELDS]),
    blank('blankKubeletConfiguration', KUBELET_FIELDS),
    blank('blankTaint', TAINT_FIELDS),
  ].join('\n');
}

function interfaceOf(name: string, fields: readonly FieldFact[]): string {
  const lines = fields.flatMap((fact) => {
    const required = fact.required === true && fact.profiles.length === 2;
    const type = fieldType(fact);
    return [
      ...comment(fieldDoc(fact), '  '),
      required ? `  readonly ${fact.name}: ${type};` : `  readonly ${fact.name}?: ${type} | null | undefined;`,
    ];
  });
  return [`export interface ${name} {`, ...lines, '}', ''].join('\n');
}

function fieldDoc(fact: FieldFact): string[] {
  const only = fact.profiles.length === 1 ? [`Only in ${fact.profiles[0]}.`] : [];
  return [fact.doc, ...only, `@default ${fact.default}`, `@since ${fact.since}`];
}

function variableDoc(fact: VariableFact): string[] {
  const name = fact.variable
    ? [`Printed as ${fact.variable}${fact.profiles.length === 1 ? `, only in ${fact.profiles[0]}` : ''}.`]
    : [];
  return [fact.meaning, ...name];
}

function comment(paragraphs: readonly string[], indent: string): string[] {
  return [`${indent}/**`, ...paragraphs.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function fieldType(fact: FieldFact): string {
  switch (fact.type) {
    case 'string':
    case 'duration':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'int32':
    case 'int64':
    case 'percent':
      return 'number';
    case 'string list':
      return 'readonly string[]';
    case 'string map':
    case 'duration map':
      return 'Readonly<Record<string, string>>';
    case 'taint list':
      return 'readonly Taint[]';
    case 'kubelet configuration':
      return 'KubeletConfiguration';
    case 'overrides':
      return 'Overrides';
    default:
      return fact.type satisfies never;
  }
}

function variableType(fact: VariableFact): string {
  switch (fact.type) {
    case 'string':
    case 'boolean':
      return fact.type;
    case 'integer':
      return 'number';
    case 'string list':
      return 'readonly string[]';
    default:
      return fact.type satisfies never;
  }
}
