import { describe, expect, test } from 'vitest';
import {
  environmentFileFault,
  hostNameFault,
  isUuid,
  jsonStringFault,
  labelKeyFault,
  labelValueFault,
  networkNameFault,
  resourceGroupFault,
} from './names.ts';

describe('a fault says which rule is broken', () => {
  test.each([
    ['', 'empty'],
    ['a.', 'ends with a dot'],
    ['a b', '" "'],
    ['a'.repeat(91), '90'],
  ])('of resource groups, for %j', (text, part) => {
    expect(resourceGroupFault(text)).toContain(part);
  });

  test.each([
    ['', 'empty'],
    ['https://a', 'scheme'],
    ['a:443', 'port'],
    ['a..b', 'empty label'],
    ['a'.repeat(254), '253'],
    [`${'a'.repeat(64)}.b`, '63'],
  ])('of host names, for %j', (text, part) => {
    expect(hostNameFault(text)).toContain(part);
  });

  test.each([
    ['', 'empty'],
    ['a'.repeat(81), '81'],
    ['a/b', '"/"'],
    ['-a', 'begin'],
    ['a-', 'end'],
  ])('of network names, for %j', (text, part) => {
    expect(networkNameFault(text, 80)).toContain(part);
  });

  test.each([
    ['a/', 'empty'],
    ['A/b', 'before the slash'],
    ['a'.repeat(64), '64'],
    ['-a', 'begin and end'],
  ])('of label keys, for %j', (text, part) => {
    expect(labelKeyFault(text)).toContain(part);
  });
});

test('a key may have 253 characters before the slash and 63 after it', () => {
  expect(labelKeyFault(`${'a'.repeat(253)}/${'b'.repeat(63)}`)).toBeUndefined();
  expect(labelKeyFault(`${'a'.repeat(254)}/b`)).toBeDefined();
  expect(labelKeyFault(`a/${'b'.repeat(64)}`)).toBeDefined();
});

test('an empty label value is one, and 63 characters are', () => {
  expect(labelValueFault('')).toBeUndefined();
  expect(labelValueFault('a'.repeat(63))).toBeUndefined();
  expect(labelValueFault('a'.repeat(64))).toBeDefined();
});

test.each([
  ['12345678-1234-1234-1234-123456789012', true],
  ['ABCDEF78-1234-1234-1234-12345678901F', true],
  ['12345678123412341234123456789012', false],
  ['12345678-1234-1234-1234-12345678901g', false],
  ['12345678-1234-1234-1234-123456789012\n', false],
])('whether %j is a uuid: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

test('azure.json is broken by quotes, backslashes and controls, and by nothing else in ASCII', () => {
  const breaking = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter(jsonStringFault);
  expect(breaking.filter((character) => character >= ' ' && character !== '\u007f')).toEqual(['"', '\\']);
  expect(breaking).toHaveLength(32 + 3);
});

test('a systemd environment file is broken by single quotes as well', () => {
  expect(environmentFileFault("a'b")).toBeDefined();
  expect(environmentFileFault('a<b,c=d')).toBeUndefined();
});

// A rule whose pattern backtracks takes hours for these.
test('long texts that almost fit are refused at once', () => {
  const started = performance.now();
  for (const unit of ['a', 'a-', 'a.', '-', 'a_', '.', 'a--']) {
    for (const end of ['!', '-', '.']) {
      const text = unit.repeat(50_000) + end;
      hostNameFault(text);
      labelKeyFault(text);
      labelKeyFault(`${text}/x`);
      labelValueFault(text);
      networkNameFault(text, 80);
      resourceGroupFault(text);
    }
  }
  expect(performance.now() - started).toBeLessThan(5000);
});
