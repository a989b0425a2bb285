import { expect, test } from 'vitest';
import { parseQuantity } from './quantity.ts';

test.each([
  ['100m', 1],
  ['1', 1],
  ['0', 0],
  ['0Mi', 0],
  ['0.0', 0],
  ['1.5Gi', 1],
  ['.5', 1],
  ['1.', 1],
  ['1e3', 1],
  ['1E3', 1],
  ['1e-3', 1],
  ['1e+3', 1],
  ['1E', 1],
  ['10k', 1],
  ['10Ki', 1],
  ['1Ei', 1],
  ['5n', 1],
  ['5u', 1],
  ['+5', 1],
  ['-5', -1],
  ['-0.0Gi', 0],
  ['0e9', 0],
])('%s is a quantity with the sign %i', (text, sign) => {
  expect(parseQuantity(text)?.sign).toBe(sign);
});

test.each([
  '',
  ' ',
  '1 Gi',
  '1gi',
  '1GI',
  '1K',
  '1KB',
  '1Gib',
  '10%',
  'Gi',
  '.',
  '+',
  '1..5',
  '1e',
  '1e1.5',
  '1,5',
  '0x10',
  '1Gi\n',
  '٣',
])('Kubernetes refuses %j', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

test.each([
  ['50Mi', true],
  ['1e3', true],
  ['0', true],
  ['1.5M', true],
  ['1.50k', true],
  ['1.5', false],
  ['1.2345k', false],
  ['15e-1', false],
  ['1.5e3', true],
  ['1500000000m', false],
  ['1.5Gi', false],
  ['1e-3', false],
  ['5n', false],
])('whether %s is surely whole: %s', (text, isWhole) => {
  expect(parseQuantity(text)?.isWhole).toBe(isWhole);
});
