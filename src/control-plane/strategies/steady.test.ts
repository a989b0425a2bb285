import { expect, test } from 'vitest';
import { ClusterError, type Cluster, type ConfigMapObject } from '../../cluster/api.ts';
import { createMemoryCluster } from '../../cluster/simulated/memory.ts';
import { createSimulatedClock } from '../../core/clock.ts';
import type { ClusterErrorCode } from '../../core/errors.ts';
import { steadyCluster } from './steady.ts';

const OBJECT: ConfigMapObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } };
const REFERENCE = { kind: 'ConfigMap', namespace: 'n', name: 'a' } as const;

/** A cluster whose first calls fail in one way. */
function failing(code: ClusterErrorCode, times: number, when: 'before' | 'after' = 'before') {
  const clock = createSimulatedClock();
  const memory = createMemoryCluster({
    fault: ({ number }) => (number < times ? { error: new ClusterError(code, 'x'), when } : undefined),
  });
  return { clock, memory, cluster: steadyCluster(memory, clock) };
}

test.each<ClusterErrorCode>(['UNREACHABLE', 'TIMEOUT', 'UNAVAILABLE', 'TOO_MANY_REQUESTS', 'FORBIDDEN'])(
  'what may pass (%s) is asked again',
  async (code) => {
    const { cluster, memory } = failing(code, 3);
    memory.put(OBJECT);
    expect(await cluster.get(REFERENCE)).toMatchObject({ metadata: { name: 'a' } });
    expect(memory.calls).toHaveLength(4);
  },
);

test.each<ClusterErrorCode>(['NOT_FOUND', 'CONFLICT', 'INVALID', 'UNEXPECTED'])(
  'what stays (%s) is not',
  async (code) => {
    const { cluster, memory } = failing(code, 1);
    await expect(cluster.get(REFERENCE)).rejects.toMatchObject({ code });
    expect(memory.calls).toHaveLength(1);
  },
);

test.each<[ClusterErrorCode, number]>([
  ['UNREACHABLE', 45_000],
  ['FORBIDDEN', 10_000],
])('what does not pass (%s) is given up after a while', async (code, milliseconds) => {
  const { cluster, clock } = failing(code, Number.POSITIVE_INFINITY);
  await expect(cluster.get(REFERENCE)).rejects.toMatchObject({ code });
  expect(clock.now()).toBe(milliseconds);
});

test('whoever has less patience says so', async () => {
  const { memory, clock } = failing('UNREACHABLE', Number.POSITIVE_INFINITY);
  const hasty = steadyCluster(memory, clock, 3000);
  await expect(hasty.get(REFERENCE)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(clock.now()).toBe(3000);
});

test('what may be done twice is sent again when its answer was lost', async () => {
  const { cluster, memory } = failing('TIMEOUT', 1, 'after');
  await cluster.apply(OBJECT, { fieldManager: 'm' });
  expect(memory.calls.map(({ verb }) => verb)).toEqual(['apply', 'apply']);
});

test.each<[string, (cluster: Cluster) => Promise<unknown>]>([
  ['the version', (cluster) => cluster.version()],
  ['who asks', (cluster) => cluster.whoAmI()],
  ['a token', (cluster) => cluster.requestToken({ namespace: 'n', name: 'a' }, 600)],
  ['what is in a group', (cluster) => cluster.discover('apps/v1')],
])('%s is asked for again when the answer was lost', async (_what, ask) => {
  const { cluster, memory } = failing('TIMEOUT', 1, 'after');
  memory.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a', namespace: 'n' } });
  expect(await ask(cluster)).toBeTruthy();
  expect(memory.calls).toHaveLength(2);
});

test.each(['create', 'update'] as const)('a %s is sent once', async (verb) => {
  const { cluster, memory } = failing('TIMEOUT', 1);
  await expect(cluster[verb](OBJECT)).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(memory.calls).toHaveLength(1);
});
