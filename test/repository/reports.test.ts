import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const DOCS = join(import.meta.dirname, '../../docs');
const rows = readFileSync(join(DOCS, 'reports.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| +\d/.test(line));
const links = rows.flatMap((row) =>
  [...row.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name, file]) => ({ name: name!, file: file! })),
);

describe('the page of reports', () => {
  test('has each of them in its order, with a test or a reason', () => {
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
    expect(cells.map(([, number]) => Number(number))).toEqual(Array.from({ length: 56 }, (_, index) => index + 1));
    for (const [, number, , , here] of cells) expect(here, number).toMatch(/\.test\.ts\)|^As \d+|^Does not apply: /);
  });

  test('names tests that exist', () => {
    expect(links.length).toBeGreaterThan(56);
    for (const { name, file } of links) {
      const text = readFileSync(join(DOCS, file), 'utf8');
      // A test of its own, and not a word in a comment.
      expect(text.includes(`'${name}',`), `${file}: ${name}`).toBe(true);
    }
  });

  test('points to rows that say more', () => {
    for (const row of rows) {
      const other = /As (\d+)/i.exec(row)?.[1];
      if (other !== undefined) expect(rows[Number(other) - 1], row).toContain('.test.ts');
    }
  });
});
