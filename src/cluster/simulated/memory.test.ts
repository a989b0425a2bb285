import { describe, expect, test } from 'vitest';
import { ClusterError, type DaemonSetObject, type PodObject, type SecretObject } from '../api.ts';
import { createMemoryCluster } from './memory.ts';

function daemonSet(metadata: DaemonSetObject['metadata'] = {}, spec = {}): DaemonSetObject {
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd', namespace: 'n', ...metadata }, spec };
}

function pod(name: string, labels: Record<string, string>, namespace = 'n'): PodObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } };
}

const SECRET: SecretObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' }, data: {} };

describe('a stored object', () => {
  test('gets a new version with each change', async () => {
    const cluster = createMemoryCluster();
    const { metadata: first } = await cluster.createDaemonSet(daemonSet());
    const { metadata: second } = await cluster.updateDaemonSet(daemonSet());
    expect(first.resourceVersion).toBe('1');
    expect(second.resourceVersion).toBe('2');
    expect((await cluster.getDaemonSet('n', 'd')).metadata.resourceVersion).toBe('2');
  });

  test('is overwritten only with its current version, or with none', async () => {
    const cluster = createMemoryCluster();
    const stored = await cluster.createDaemonSet(daemonSet());
    await cluster.updateDaemonSet(stored);
    await expect(cluster.updateDaemonSet(stored)).rejects.toMatchObject({ code: 'CONFLICT' });
    await cluster.updateDaemonSet(daemonSet());
  });

  test('cannot be created twice, nor with a version, nor updated before it is there', async () => {
    const cluster = createMemoryCluster();
    await expect(cluster.updateDaemonSet(daemonSet())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.createDaemonSet(daemonSet({ resourceVersion: '1' }))).rejects.toMatchObject({
      code: 'INVALID',
    });
    await cluster.createDaemonSet(daemonSet());
    await expect(cluster.createDaemonSet(daemonSet())).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await expect(cluster.getDaemonSet('n', 'other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.getDaemonSet('other', 'd')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('shares nothing with what was given or is handed out', async () => {
    const cluster = createMemoryCluster();
    const spec = { list: [1] };
    const given = daemonSet({}, spec);
    const created = await cluster.createDaemonSet(given);
    spec.list.push(2);
    (created.spec as typeof spec).list.push(3);
    expect((await cluster.getDaemonSet('n', 'd')).spec).toEqual({ list: [1] });
    expect(given.metadata.resourceVersion).toBeUndefined();
  });

  test('of another kind may have the same name', async () => {
    const cluster = createMemoryCluster();
    await cluster.createSecret({ ...SECRET, metadata: { name: 'd', namespace: 'n' } });
    await cluster.createDaemonSet(daemonSet());
    await cluster.updateSecret({ ...SECRET, metadata: { name: 'd', namespace: 'n' }, data: { a: 'Yg==' } });
    expect(cluster.find('Secret', 'n', 'd')).toMatchObject({ data: { a: 'Yg==' } });
  });
});

test.each([
  ['a=1', ['p']],
  ['b=2', ['p', 'q']],
  ['a=1,b=2', ['p']],
  ['a=2', []],
  ['constructor=x', []],
])('the label selector %s matches %j', async (selector, names) => {
  const cluster = createMemoryCluster();
  cluster.put(pod('p', { a: '1', b: '2' }));
  cluster.put(pod('q', { b: '2' }));
  cluster.put(pod('r', { a: '1', b: '2' }, 'elsewhere'));
  expect((await cluster.listPods('n', selector)).map(({ metadata }) => metadata.name)).toEqual(names);
});

describe('a fault', () => {
  const error = new ClusterError('TIMEOUT', 'x');

  test('before a call leaves no trace of it', async () => {
    const cluster = createMemoryCluster({ fault: () => ({ error, when: 'before' }) });
    await expect(cluster.createSecret(SECRET)).rejects.toBe(error);
    expect(cluster.find('Secret', 'n', 's')).toBeUndefined();
  });

  test('after a call leaves its effect', async () => {
    const cluster = createMemoryCluster({ fault: () => ({ error, when: 'after' }) });
    await expect(cluster.createSecret(SECRET)).rejects.toBe(error);
    expect(cluster.find('Secret', 'n', 's')).toBeDefined();
  });

  test('is picked by the call', async () => {
    const cluster = createMemoryCluster({
      fault: ({ verb, number }) => (verb === 'health' && number === 1 ? { error, when: 'before' } : undefined),
    });
    expect(await cluster.isHealthy()).toBe(true);
    await expect(cluster.isHealthy()).rejects.toBe(error);
    cluster.setHealthy(false);
    expect(await cluster.isHealthy()).toBe(false);
    expect(cluster.calls.map(({ number, verb }) => [number, verb])).toEqual([
      [0, 'health'],
      [1, 'health'],
      [2, 'health'],
    ]);
  });
});

test('what another writer puts and removes is seen', async () => {
  const cluster = createMemoryCluster();
  cluster.put(pod('p', {}));
  expect((await cluster.getPod('n', 'p')).metadata.name).toBe('p');
  cluster.remove('Pod', 'n', 'p');
  await expect(cluster.getPod('n', 'p')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
