import { expect, test } from 'vitest';
import type { RehearsalEvent } from '../../control-plane/index.ts';
import { createProgress } from './progress.ts';

const plain = (_: string, text: string): string => text;
const STEPS = [
  { name: 'cp1/a', title: 'do a' },
  { name: 'cp1/b', title: 'do b' },
];
const EVENTS: readonly RehearsalEvent[] = [
  { type: 'cluster', state: 'booting' },
  { type: 'cluster', state: 'serving' },
  { type: 'plan', at: 5, steps: STEPS },
  { type: 'step', at: 5, ...STEPS[0]!, state: 'started' },
  { type: 'step', at: 7.25, ...STEPS[0]!, state: 'done' },
  { type: 'step', at: 7.25, ...STEPS[1]!, state: 'started' },
  { type: 'fault', at: 7.25, name: 'disk-full' },
  { type: 'step', at: 8, ...STEPS[1]!, state: 'failed', reason: 'no \u001b[31mroom' },
  { type: 'step', at: 8, ...STEPS[1]!, state: 'undoing' },
  { type: 'step', at: 9, ...STEPS[1]!, state: 'undone' },
  { type: 'ended', at: 9, outcome: 'undone' },
];

function shown(isTTY: boolean): string {
  let text = '';
  const progress = createProgress({ isTTY, write: (part) => (text += part) }, plain, 'xterm');
  for (const event of EVENTS) progress(event);
  return text;
}

test('without a terminal there is one line for each thing that became of a step', () => {
  expect(shown(false)).toBe(
    [
      'booting a simulated cluster',
      '    7.3 s  done         cp1/a  do a',
      '    7.3 s  fault        disk-full',
      '    8.0 s  failed       cp1/b  do b: no \\u001b[31mroom',
      '    8.0 s  undoing      cp1/b  do b',
      '    9.0 s  undone       cp1/b  do b',
      '    9.0 s  undone',
      '',
    ].join('\n'),
  );
});

test('on a terminal the list of steps changes in its place', () => {
  const drawings = shown(true).split('\u001b[2A');
  expect(drawings).toHaveLength(8);
  const last = drawings.at(-1)!.replaceAll('\u001b[2K', '');
  expect(last).toBe('✓   2.3 s  cp1/a  do a\n↺   0.8 s  cp1/b  no \\u001b[31mroom\n');
  expect(drawings[0]!.replaceAll('\u001b[2K', '')).toBe('·          cp1/a  do a\n·          cp1/b  do b\n');
});

test('a line is never longer than a terminal', () => {
  let text = '';
  const progress = createProgress({ isTTY: true, write: (part) => (text += part) }, plain, 'xterm');
  const step = { name: 'cp1/kube-controller-manager/remove-standby', title: 'x'.repeat(300) };
  progress({ type: 'plan', at: 0, steps: [step] });
  expect(text.trimEnd().replaceAll('\u001b[2K', '').length).toBeLessThan(80);
});

test('a small terminal gets the steps that matter, cut to its width', () => {
  let text = '';
  const progress = createProgress(
    { isTTY: true, columns: 30, rows: 5, write: (part) => (text += part) },
    plain,
    'xterm',
  );
  const steps = Array.from({ length: 9 }, (_, index) => ({ name: `cp1/kube-apiserver/${index}`, title: 'do it' }));
  progress({ type: 'plan', at: 0, steps });
  for (const step of steps.slice(0, 7)) {
    text = '';
    progress({ type: 'step', at: 1, ...step, state: 'started' });
  }
  const [up, ...rows] = text.replaceAll('\u001b[2K', '\n').split('\n').filter(Boolean);
  expect(up).toBe('\u001b[3A');
  expect(rows.map((row) => row.slice(11))).toEqual(['…/kube-apiserver/5', '…/kube-apiserver/6', '…/kube-apiserver/7']);
});

test('a terminal that understands no control codes gets lines', () => {
  let text = '';
  const progress = createProgress({ isTTY: true, write: (part) => (text += part) }, plain, 'dumb');
  for (const event of EVENTS) progress(event);
  expect(text).toBe(shown(false));
});
