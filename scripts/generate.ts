// Writes every file that is made from the metadata in src/node/aks: types, JSON Schema and reference pages.
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generate/files.ts';

for (const [path, text] of await generatedFiles()) writeFileSync(new URL(`../${path}`, import.meta.url), text);
