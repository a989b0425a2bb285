import { format, resolveConfig } from 'prettier';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
  ];
  const formatted: [string, string][] = [];
  for (const [path, text] of files) {
    const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const config = await resolveConfig(file);
    formatted.push([path, await format(text, { ...config, filepath: file })]);
  }
  return formatted;
}
