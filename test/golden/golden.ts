import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/**
 * Compares a text with the file of that name in this folder. `UPDATE_GOLDEN=1 npm test` writes the file instead:
 * look at the difference before it is committed. A CI run refuses to write.
 */
export function expectGolden(name: string, text: string): void {
  const path = fileURLToPath(new URL(name, import.meta.url));
  if (process.env['UPDATE_GOLDEN'] === '1') {
    if (process.env['CI']) throw new Error('golden files are not updated in CI');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text).toBe(readFileSync(path, 'utf8'));
}
