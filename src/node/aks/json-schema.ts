import { profileOf, type ProfileName } from './profiles.ts';
import { AKS_FIELDS, exampleOf, KUBELET_FIELDS, POOL_FIELDS, TAINT_FIELDS, type FieldFact } from './schema.ts';
import { VARIABLES, type VariableFact } from './variables.ts';

type Schema = Record<string, unknown>;

/**
 * JSON Schema (draft 2020-12) of a profile's options, for editors and for tools that make options. It says what
 * can be said of one field by itself; `check` knows the rest.
 */
export function optionsSchema(profile: ProfileName): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Options of ${profile}`,
    ...objectSchema([...POOL_FIELDS, ...AKS_FIELDS], profile),
  };
}

function objectSchema(facts: readonly FieldFact[], profile: ProfileName): Schema {
  const own = facts.filter((fact) => fact.profiles.includes(profile)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const required = own.filter((fact) => fact.required).map((fact) => fact.name);
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(own.map((fact) => [fact.name, fieldSchema(fact, profile)])),
  };
}

function fieldSchema(fact: FieldFact, profile: ProfileName): Schema {
  const values = fact.values?.[profile];
  const type = typeSchema(fact, profile);
  return {
    description: `${fact.doc} Default: ${fact.default}.`,
    ...(fact.required ? type : nullable(type)),
    ...(fact.pattern && { pattern: fact.pattern }),
    ...(values && { enum: fact.required ? values : [...values, null] }),
    ...(fact.example !== undefined && { examples: [exampleOf(fact, profile)] }),
    ...(fact.secret && { writeOnly: true }),
  };
}

// null means absent, wherever a field may be absent.
function nullable(schema: Schema): Schema {
  return typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], 'null'] } : schema;
}

const QUANTITY_MAP: Schema = { type: 'object', additionalProperties: { type: ['string', 'null'] } };

function typeSchema(fact: FieldFact, profile: ProfileName): Schema {
  switch (fact.type) {
    case 'string':
      return { type: 'string' };
    case 'duration':
      return { type: 'string' };
    case 'boolean':
      return { type: 'boolean' };
    case 'int32':
      return { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
    case 'int64':
      return { type: 'integer' };
    case 'percent':
      return { type: 'integer', minimum: 0, maximum: 100 };
    case 'string list':
      return { type: 'array', items: { type: 'string' } };
    case 'string map':
    case 'duration map':
      return QUANTITY_MAP;
    case 'taint list':
      return { type: 'array', items: objectSchema(TAINT_FIELDS, profile) };
    case 'kubelet configuration':
      return kubeletSchema(profile);
    case 'overrides':
      return overridesSchema(profile);
    default:
      return fact.type satisfies never;
  }
}

function kubeletSchema(profile: ProfileName): Schema {
  const schema = objectSchema(KUBELET_FIELDS, profile);
  return profileOf(profile).maxPodsAlways ? { ...schema, required: ['maxPods'] } : schema;
}

function overridesSchema(profile: ProfileName): Schema {
  const facts = VARIABLES.filter((fact) => fact.origin === 'fixed' && fact.profiles.includes(profile));
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      facts.toSorted((a, b) => (a.field < b.field ? -1 : 1)).map((fact) => [fact.field, variableSchema(fact)]),
    ),
  };
}

function variableSchema(fact: VariableFact): Schema {
  return {
    description: fact.variable ? `${fact.meaning} ${fact.variable} in the script.` : fact.meaning,
    ...variableType(fact),
    ...(fact.values && { enum: [...fact.values, null] }),
    ...(fact.secret && { writeOnly: true }),
  };
}

function variableType(fact: VariableFact): Schema {
  switch (fact.type) {
    case 'string':
      return { type: ['string', 'null'] };
    case 'boolean':
      return { type: ['boolean', 'null'] };
    case 'integer':
      return { type: ['integer', 'null'], minimum: 0 };
    case 'string list':
      return { type: ['array', 'null'], items: { type: 'string' } };
    default:
      return fact.type satisfies never;
  }
}
