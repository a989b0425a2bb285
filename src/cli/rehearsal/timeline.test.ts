import { expect, test } from 'vitest';
import type { Rehearsal, ServerLife } from '../../control-plane/index.ts';
import { printTimeline } from './timeline.ts';

const plain = (_: string, text: string): string => text;

function life(pod: string, more: Partial<ServerLife>): ServerLife {
  return { node: 'cp1', program: 'kube-apiserver', pod, podUid: pod, pid: 1, port: 6443, from: 0, ...more };
}

function timeline(rehearsal: Partial<Rehearsal>): readonly string[] {
  const empty = { servers: [], redirects: [], outages: [], simulatedSeconds: 60 };
  return printTimeline({ ...empty, ...rehearsal } as unknown as Rehearsal, plain).split('\n');
}

/** The bar of a row, one character a second. */
function bar(lines: readonly string[], label: string): string {
  return lines.find((line) => line.startsWith(label))!.slice(18);
}

test('shows when each Pod starts, serves and ends', () => {
  const servers = [
    life('kube-apiserver-cp1', { readyAt: 0, stoppingAt: 10, to: 40 }),
    life('kube-apiserver-relay-cp1', { port: 6444, from: 2, readyAt: 5 }),
    life('self-hosted-kube-apiserver-cp1-abcde', { from: 41, readyAt: 44 }),
  ];
  const lines = timeline({ servers });
  expect(lines[0]!.slice(18)).toBe('0 s            15 s           30 s           45 s       60 s');
  expect(lines[1]).toBe('cp1 kube-apiserver');
  expect(bar(lines, '  static :6443')).toBe('█'.repeat(10) + '░'.repeat(30));
  expect(bar(lines, '  relay :6444')).toBe('  ' + '▒'.repeat(3) + '█'.repeat(55));
  expect(bar(lines, '  hosted :6443')).toBe(' '.repeat(41) + '▒'.repeat(3) + '█'.repeat(16));
});

test('shows the restarts of one Pod in one row', () => {
  const crash = (from: number): ServerLife => life('self-hosted-kube-apiserver-x', { from, to: from + 0.5 });
  const lines = timeline({
    servers: [crash(1), crash(12), life('self-hosted-kube-apiserver-x', { from: 34, readyAt: 36 })],
  });
  expect(lines.filter((line) => line.startsWith('  hosted'))).toHaveLength(1);
  expect(bar(lines, '  hosted')).toBe(` ▒${' '.repeat(10)}▒${' '.repeat(21)}▒▒${'█'.repeat(24)}`);
});

test('shows redirects and failed requests, and leaves etcd out', () => {
  const lines = timeline({
    servers: [life('etcd-cp1', { program: 'etcd', readyAt: 0 })],
    redirects: [{ node: 'cp1', from: 4, to: 8 }],
    outages: [{ client: 'outside fresh', at: 10, seconds: 2, failed: 9 }],
  });
  expect(bar(lines, 'redirect on cp1')).toBe('    ━━━━');
  expect(bar(lines, 'requests failed')).toBe(`${' '.repeat(10)}××`);
  expect(lines.some((line) => line.includes('etcd'))).toBe(false);
});
