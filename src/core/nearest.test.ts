import { expect, test } from 'vitest';
import { nearestName } from './nearest.ts';

const NAMES = ['networkPlugin', 'networkPolicy', 'subnetId', 'subscriptionId', 'labels', 'arch'];

test.each([
  ['a missing letter', 'subnetI', 'subnetId'],
  ['an extra letter', 'subnetIdd', 'subnetId'],
  ['a wrong letter', 'lavels', 'labels'],
  ['two neighbours swapped', 'lables', 'labels'],
  ['another case', 'SUBNETID', 'subnetId'],
  ['another spelling of the whole', 'network_plugin', 'networkPlugin'],
])('finds the name behind %s', (_, name, expected) => {
  expect(nearestName(name, NAMES)).toBe(expected);
});

test.each([
  ['nothing alike', 'kubernetes'],
  ['more than a third to change', 'lxxxls'],
  ['the empty name', ''],
  ['a name longer than any field', 'networkPlugin'.padEnd(65, 'x')],
])('finds none for %s', (_, name) => {
  expect(nearestName(name, NAMES)).toBeUndefined();
});

test('prefers the smaller distance over the order of the candidates', () => {
  expect(nearestName('networkPolicz', NAMES)).toBe('networkPolicy');
});

test('of two at the same distance the first by code unit wins, whatever the order of the candidates', () => {
  expect(nearestName('cat', ['rat', 'bat'])).toBe('bat');
  expect(nearestName('cat', ['bat', 'rat'])).toBe('bat');
});

test('a swap of neighbours counts as one edit', () => {
  // A three-letter name may change by one edit alone.
  expect(nearestName('acb', ['abc'])).toBe('abc');
});
