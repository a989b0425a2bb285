import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import { linesOf } from './lines.ts';

async function read(...chunks: Uint8Array[]): Promise<string[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  return collect(linesOf(source()));
}

test('lines are the same however the stream is cut, also within a character', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\r', '\u2028') });
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat(40)), async (lines, sizes) => {
      let rest: Uint8Array = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const chunks = sizes.map((size) => {
        const chunk = rest.subarray(0, size);
        rest = rest.subarray(size);
        return chunk;
      });
      expect(await read(...chunks, rest)).toEqual(lines);
    }),
  );
});

test('a line of many chunks is read in time that grows with its length, not with its square', async () => {
  const chunk = Buffer.alloc(100, 'x');
  const chunks = Array.from({ length: 100_000 }, () => chunk);
  const [line] = await read(...chunks, Buffer.from('\n'));
  expect(line).toHaveLength(10_000_000);
});

test('what is behind the last line end is left out', async () => {
  expect(await read(Buffer.from('a\nb'))).toEqual(['a']);
});
