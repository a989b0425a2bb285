import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }));

/** What each folder may import besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  format: ['core'],
  cluster: ['core', 'format'],
  node: ['core', 'format'],
  'control-plane': ['cluster', 'format', 'core'],
  testing: ['cluster', 'core'],
  cli: ['node', 'control-plane', 'cluster', 'format', 'core'],
  '.': ['node', 'control-plane', 'core'],
};

function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '.';
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => match[1]!);
}

test.each(sources)('$file imports only from folders below its own', ({ file, text }) => {
  for (const target of importsOf(text)) {
    const folder = folderOf(relative(src, resolve(dirname(join(src, file)), target)));
    expect([folderOf(file), ...MAY_IMPORT[folderOf(file)]!], `${file} imports ${target}`).toContain(folder);
  }
});

test('only cli/main.ts ends the process or reads its environment', () => {
  const offenders = sources
    .filter(({ text }) => /process\.(?:exit|env|argv|exitCode)\b/.test(text))
    .map(({ file }) => file);
  expect(offenders).toEqual(['cli/main.ts']);
});

test('no file is longer than 450 lines but for tables and generated types', () => {
  const tables = [
    'node/aks/variables.ts',
    'node/aks/schema.ts',
    'node/aks/options.ts',
    'node/aks/node-bootstrap-variables.ts',
  ];
  const long = sources.filter(({ text }) => text.split('\n').length > 450).map(({ file }) => file);
  expect(long.filter((file) => !tables.includes(file))).toEqual([]);
});

test('Kubernetes versions and profile names are compared in the table of profiles alone', () => {
  const allowed = ['node/aks/profiles.ts', 'node/aks/schema.ts', 'node/aks/variables.ts', 'node/registry.ts'];
  const offenders = sources
    .filter(({ text }) => /minor\s*[<>]=?\s*\d|===\s*'aks\/v/.test(text))
    .map(({ file }) => file);
  expect(offenders.filter((file) => !allowed.includes(file))).toEqual([]);
});

test('the entry of the command asks for the Node version that package.json asks for', () => {
  const { engines } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8')) as { engines: { node: string } };
  const entry = sources.find(({ file }) => file === 'cli/main.ts')!.text;
  const needed = /needed = \[(\d+), (\d+)\]/.exec(entry)!;
  expect(engines.node).toBe(`>=${needed[1]}.${needed[2]}`);
});
