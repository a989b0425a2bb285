import { format, resolveConfig } from 'prettier';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { optionsSchema } from '../../src/node/aks/json-schema.ts';
import { PROFILE_NAMES } from '../../src/node/aks/profiles.ts';
import { optionReference, problemReference, variableReference } from './reference.ts';
import { blankRecords, optionTypes, variableTypes } from './types.ts';

function versionConstant(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return `// Written by \`npm run generate\` from package.json.\n\nexport const VERSION = '${version}';\n`;
}

/** Path (from the root of the repository) and text of every generated file, formatted as the repository is. */
export async function generatedFiles(): Promise<[path: string, text: string][]> {
  const files: [string, string][] = [
    ['src/core/version.ts', versionConstant()],
    ['src/node/aks/options.ts', optionTypes()],
    ['src/node/aks/blank.ts', blankRecords()],
    ['src/node/aks/node-bootstrap-variables.ts', variableTypes()],
    ['docs/options.md', optionReference()],
    ['docs/variables.md', variableReference()],
    ['docs/problems.md', problemReference()],
    ...PROFILE_NAMES.map((name): [string, string] => [
      `docs/schema/${name.replace('/', '-')}.json`,
      JSON.stringify(optionsSchema(name)),
    ]),
  ];
  const formatted: [string, string][] = [];
  for (const [path, text] of files) {
    const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const config = await resolveConfig(file);
    // Markdown tables are left as they are: padding thousands of cells helps nobody.
    formatted.push([path, path.endsWith('.md') ? text : await format(text, { ...config, filepath: file })]);
  }
  return formatted;
}
