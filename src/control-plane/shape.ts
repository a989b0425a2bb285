import { pointerTo } from '../core/pointer.ts';
import type { ProblemList } from '../core/problem.ts';
import { shown } from '../core/redact.ts';

type Shape = 'mapping' | 'list' | 'text' | 'number' | 'boolean' | 'port' | 'texts' | 'text by key';

interface ShapeFact {
  /** JSON pointer in which `*` stands for every element of a list. */
  readonly path: string;
  readonly shape: Shape;
  readonly required?: true;
}

/** Where a container has something that the kubelet asks over the network: a probe, or a hook of the lifecycle. */
export const HANDLERS: readonly { readonly owner: string; readonly path: string }[] = [
  '/livenessProbe',
  '/readinessProbe',
  '/startupProbe',
  '/lifecycle/postStart',
  '/lifecycle/preStop',
].flatMap((owner) => ['httpGet', 'tcpSocket'].map((action) => ({ owner, path: `${owner}/${action}` })));

const CONTAINER: readonly ShapeFact[] = [
  { path: '', shape: 'mapping', required: true },
  { path: '/name', shape: 'text', required: true },
  { path: '/image', shape: 'text' },
  { path: '/command', shape: 'texts' },
  { path: '/args', shape: 'texts' },
  { path: '/env', shape: 'list' },
  { path: '/env/*', shape: 'mapping', required: true },
  { path: '/env/*/name', shape: 'text', required: true },
  { path: '/ports', shape: 'list' },
  { path: '/ports/*', shape: 'mapping', required: true },
  { path: '/ports/*/containerPort', shape: 'number', required: true },
  { path: '/ports/*/name', shape: 'text' },
  { path: '/resources', shape: 'mapping' },
  { path: '/volumeMounts', shape: 'list' },
  { path: '/volumeMounts/*', shape: 'mapping', required: true },
  { path: '/volumeMounts/*/name', shape: 'text', required: true },
  { path: '/volumeMounts/*/mountPath', shape: 'text', required: true },
  { path: '/volumeMounts/*/readOnly', shape: 'boolean' },
  { path: '/lifecycle', shape: 'mapping' },
  ...[...new Set(HANDLERS.map(({ owner }) => owner))].map((path): ShapeFact => ({ path, shape: 'mapping' })),
  ...HANDLERS.flatMap(({ path }): ShapeFact[] => [
    { path, shape: 'mapping' },
    { path: `${path}/host`, shape: 'text' },
    { path: `${path}/port`, shape: 'port', required: true },
  ]),
];

/** The types of all that is looked at. What is not named here is carried along unread. */
const SHAPES: readonly ShapeFact[] = [
  { path: '/metadata', shape: 'mapping', required: true },
  { path: '/metadata/name', shape: 'text', required: true },
  { path: '/metadata/namespace', shape: 'text' },
  { path: '/metadata/labels', shape: 'text by key' },
  { path: '/metadata/annotations', shape: 'text by key' },
  { path: '/spec', shape: 'mapping', required: true },
  { path: '/spec/containers', shape: 'list', required: true },
  ...CONTAINER.map((fact) => ({ ...fact, path: `/spec/containers/*${fact.path}` })),
  { path: '/spec/initContainers', shape: 'list' },
  ...CONTAINER.map((fact) => ({ ...fact, path: `/spec/initContainers/*${fact.path}` })),
  { path: '/spec/volumes', shape: 'list' },
  { path: '/spec/volumes/*', shape: 'mapping', required: true },
  { path: '/spec/volumes/*/name', shape: 'text', required: true },
  { path: '/spec/volumes/*/hostPath', shape: 'mapping' },
  { path: '/spec/volumes/*/hostPath/path', shape: 'text', required: true },
  { path: '/spec/tolerations', shape: 'list' },
  { path: '/spec/tolerations/*', shape: 'mapping', required: true },
  { path: '/spec/nodeSelector', shape: 'text by key' },
  { path: '/spec/hostNetwork', shape: 'boolean' },
  { path: '/spec/dnsPolicy', shape: 'text' },
  { path: '/spec/priority', shape: 'number' },
  { path: '/spec/priorityClassName', shape: 'text' },
  { path: '/spec/terminationGracePeriodSeconds', shape: 'number' },
];

/**
 * Reports each value of a Pod that has another type than Kubernetes gives it, and each that is missing where its
 * parent is there. Null counts as missing, as it does to Kubernetes.
 */
export function checkShape(pod: unknown, problems: ProblemList): void {
  for (const fact of SHAPES) visit(pod, '', fact.path.split('/').slice(1), fact, problems);
  const containers = (pod as { spec?: { containers?: unknown } }).spec?.containers;
  if (Array.isArray(containers) && containers.length === 0) {
    problems.error('FIELD_MISSING', '/spec/containers', 'The Pod has no container.', 'Write the container.');
  }
}

function visit(
  node: unknown,
  path: string,
  [token, ...rest]: readonly string[],
  fact: ShapeFact,
  problems: ProblemList,
): void {
  if (token === undefined) return check(node, path, fact, problems);
  // A parent that is missing, or of another type, has a row of its own.
  if (typeof node !== 'object' || node === null || Array.isArray(node) !== (token === '*')) return;
  if (Array.isArray(node)) {
    for (const [index, element] of (node as readonly unknown[]).entries())
      visit(element, pointerTo(path, index), rest, fact, problems);
    return;
  }
  const child = Object.hasOwn(node, token) ? (node as Record<string, unknown>)[token] : undefined;
  visit(child, pointerTo(path, token), rest, fact, problems);
}

function check(value: unknown, path: string, { shape, required }: ShapeFact, problems: ProblemList): void {
  if (value === undefined || value === null) {
    if (required) problems.error('FIELD_MISSING', path, 'The field is missing.', `Write ${NAMES[shape]}.`);
    return;
  }
  if (!hasShape(value, shape))
    problems.error('FIELD_TYPE', path, `Kubernetes takes ${NAMES[shape]} here; got ${shown(value)}.`, HINTS[shape]);
}

const NAMES: Readonly<Record<Shape, string>> = {
  mapping: 'a mapping',
  list: 'a list',
  text: 'a text',
  number: 'a whole number',
  boolean: 'true or false',
  port: 'the number or the name of a port',
  texts: 'a list of texts',
  'text by key': 'a mapping of texts',
};

const HINTS: Readonly<Record<Shape, string>> = {
  mapping: 'Check the indentation.',
  list: 'Write each element behind a dash.',
  text: 'Put it in quotes.',
  number: 'Write it without quotes.',
  boolean: 'Write true or false, without quotes.',
  port: 'Write a number, or the name of a port of the container.',
  texts: 'Write each element behind a dash, numbers and words like true in quotes.',
  'text by key': 'Put numbers and words like true in quotes.',
};

function hasShape(value: unknown, shape: Shape): boolean {
  switch (shape) {
    case 'mapping':
      return typeof value === 'object' && !Array.isArray(value);
    case 'list':
      return Array.isArray(value);
    case 'text':
      return typeof value === 'string';
    case 'number':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'port':
      return typeof value === 'string' || Number.isSafeInteger(value);
    case 'texts':
      return Array.isArray(value) && value.every((element) => typeof element === 'string');
    case 'text by key':
      return (
        typeof value === 'object' &&
        !Array.isArray(value) &&
        Object.values(value as object).every((element) => typeof element === 'string')
      );
    default:
      return shape satisfies never;
  }
}
