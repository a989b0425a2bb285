import { expect, test } from 'vitest';
import type { SimulatedEvent } from '../../cluster/simulated/events.ts';
import { redirectPeriods, serverLives } from './rehearsal.ts';

function event(at: number, state: string, more: object = {}): SimulatedEvent {
  const process = { node: 'cp1', pid: 7, program: 'kube-apiserver', pod: 'p', podUid: 'u', attempt: 0 };
  return { at, type: 'process', ...process, state, ...more } as SimulatedEvent;
}

test('the life of a process is told from its start to its end', () => {
  const events = [
    event(1500, 'started'),
    event(1600, 'listening', { port: 6443 }),
    event(3500, 'ready', { port: 6443 }),
    event(9000, 'stopping', { port: 6443 }),
    event(39_000, 'ended', { exitCode: 137 }),
  ];
  expect(serverLives(events, 1000)).toEqual([
    {
      node: 'cp1',
      program: 'kube-apiserver',
      pod: 'p',
      podUid: 'u',
      pid: 7,
      port: 6443,
      from: 0.5,
      readyAt: 2.5,
      stoppingAt: 8,
      to: 38,
    },
  ]);
});

test('a process that began before counts from then, and one that had ended does not count', () => {
  const events = [
    event(100, 'started'),
    event(200, 'ready'),
    event(100, 'started', { pid: 8 }),
    event(900, 'ended', { pid: 8, exitCode: 1 }),
  ];
  expect(serverLives(events, 1000)).toEqual([expect.objectContaining({ pid: 7, from: 0, readyAt: 0 })]);
});

test('a redirect lasts until it is removed, runs out, or its node loses power', () => {
  const redirect = (at: number, state: 'set' | 'removed' | 'expired', node = 'cp1'): SimulatedEvent => ({
    at,
    type: 'redirect',
    node,
    state,
  });
  const events: readonly SimulatedEvent[] = [
    redirect(500, 'set', 'cp2'),
    redirect(2000, 'set'),
    redirect(4000, 'removed'),
    redirect(5000, 'set'),
    redirect(6000, 'expired'),
    redirect(7000, 'set', 'cp2'),
    redirect(8000, 'set'),
    { at: 9000, type: 'power', node: 'cp2', state: 'off' },
    { at: 9500, type: 'power', node: 'cp2', state: 'on' },
  ];
  expect(redirectPeriods(events, 1000)).toEqual([
    { node: 'cp1', from: 1, to: 3 },
    { node: 'cp1', from: 4, to: 5 },
    { node: 'cp2', from: 6, to: 8 },
    { node: 'cp1', from: 7 },
  ]);
});
