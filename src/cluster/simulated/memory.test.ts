import { describe, expect, test } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import {
  ClusterError,
  type DaemonSetObject,
  type EventObject,
  type NodeObject,
  type ObjectList,
  type PodObject,
  type SecretObject,
  type Selection,
  type WatchEvent,
} from '../api.ts';
import { createMemoryCluster, type MemoryCluster } from './memory.ts';

function daemonSet(metadata: DaemonSetObject['metadata'] = {}, spec = {}): DaemonSetObject {
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd', namespace: 'n', ...metadata }, spec };
}

function pod(name: string, labels: Record<string, string>, namespace = 'n'): PodObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } };
}

const DAEMON_SET = { kind: 'DaemonSet', namespace: 'n', name: 'd' } as const;
const SECRET: SecretObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' }, data: {} };

function namesOf({ items }: ObjectList): (string | undefined)[] {
  return items.map(({ metadata }) => metadata.name);
}

describe('a stored object', () => {
  test('gets a new version with each change', async () => {
    const cluster = createMemoryCluster();
    const { metadata: first } = await cluster.create(daemonSet());
    const { metadata: second } = await cluster.update(daemonSet());
    expect(first.resourceVersion).toBe('1');
    expect(second.resourceVersion).toBe('2');
    expect((await cluster.get(DAEMON_SET)).metadata.resourceVersion).toBe('2');
  });

  test('is overwritten only with its current version, or with none', async () => {
    const cluster = createMemoryCluster();
    const stored = await cluster.create(daemonSet());
    await cluster.update(stored);
    await expect(cluster.update(stored)).rejects.toMatchObject({ code: 'CONFLICT' });
    await cluster.update(daemonSet());
  });

  test('cannot be created twice, nor with a version, nor updated before it is there', async () => {
    const cluster = createMemoryCluster();
    await expect(cluster.update(daemonSet())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.create(daemonSet({ resourceVersion: '1' }))).rejects.toMatchObject({
      code: 'INVALID',
    });
    await cluster.create(daemonSet());
    await expect(cluster.create(daemonSet())).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await expect(cluster.get({ ...DAEMON_SET, name: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.get({ ...DAEMON_SET, namespace: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('shares nothing with what was given or is handed out', async () => {
    const cluster = createMemoryCluster();
    const spec = { list: [1] };
    const given = daemonSet({}, spec);
    const created = await cluster.create(given);
    spec.list.push(2);
    (created.spec as typeof spec).list.push(3);
    expect((await cluster.get(DAEMON_SET)).spec).toEqual({ list: [1] });
    expect(given.metadata.resourceVersion).toBeUndefined();
  });

  test('of another kind may have the same name', async () => {
    const cluster = createMemoryCluster();
    await cluster.create({ ...SECRET, metadata: { name: 'd', namespace: 'n' } });
    await cluster.create(daemonSet());
    await cluster.update({ ...SECRET, metadata: { name: 'd', namespace: 'n' }, data: { a: 'Yg==' } });
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
  expect(namesOf(await cluster.list({ kind: 'Pod', namespace: 'n', labelSelector: selector }))).toEqual(names);
});

describe('a list', () => {
  test('is of all namespaces without one, and of one kind', async () => {
    const cluster = createMemoryCluster();
    cluster.put(pod('p', {}));
    cluster.put(pod('q', {}, 'elsewhere'));
    cluster.put(daemonSet());
    expect(namesOf(await cluster.list({ kind: 'Pod' }))).toEqual(['p', 'q']);
  });

  test('has the version of the last change, whatever it was of', async () => {
    const cluster = createMemoryCluster();
    expect(await cluster.list({ kind: 'Pod' })).toEqual({ resourceVersion: '0', items: [] });
    cluster.put(pod('p', {}));
    cluster.put(daemonSet());
    cluster.remove('DaemonSet', 'n', 'd');
    cluster.remove('DaemonSet', 'n', 'd');
    const { resourceVersion, items } = await cluster.list({ kind: 'Pod' });
    expect(resourceVersion).toBe('3');
    expect(items[0]?.metadata.resourceVersion).toBe('1');
  });
});

describe('a name', () => {
  test('is completed by the server where it is asked to', async () => {
    const cluster = createMemoryCluster();
    const event: EventObject = { apiVersion: 'v1', kind: 'Event', metadata: { generateName: 'e-', namespace: 'n' } };
    const names = [await cluster.create(event), await cluster.create(event)].map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^e-[a-z0-9]{5}$/);
    expect(namesOf(await cluster.list({ kind: 'Event' }))).toEqual(names);
  });

  test('is needed', async () => {
    const cluster = createMemoryCluster();
    const nameless = { ...SECRET, metadata: { namespace: 'n' } };
    await expect(cluster.create(nameless)).rejects.toMatchObject({ code: 'INVALID' });
    await expect(cluster.apply(nameless, { fieldManager: 'm' })).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('needs no namespace', async () => {
    const cluster = createMemoryCluster();
    const node: NodeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w' } };
    await cluster.create(node);
    expect((await cluster.get({ kind: 'Node', name: 'w' })).metadata.name).toBe('w');
  });
});

describe('a uid', () => {
  test('stays with an object, and is another one after it was deleted', async () => {
    const cluster = createMemoryCluster();
    const created = await cluster.create(daemonSet());
    const { uid } = created.metadata;
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect((await cluster.update(daemonSet())).metadata.uid).toBe(uid);
    await cluster.delete(DAEMON_SET);
    const again = await cluster.create(daemonSet({ uid: uid! }));
    expect(again.metadata.uid).not.toBe(uid);
    const { resourceVersion: _, ...old } = created.metadata;
    await expect(cluster.update({ ...created, metadata: old })).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('an apply', () => {
  const manager = { fieldManager: 'm' };

  test('creates what is not there', async () => {
    const cluster = createMemoryCluster();
    const applied = await cluster.apply(daemonSet({}, { a: 1 }), manager);
    expect(applied).toMatchObject({ metadata: { name: 'd', resourceVersion: '1' }, spec: { a: 1 } });
    expect(await cluster.get(DAEMON_SET)).toEqual(applied);
  });

  test('merges mappings, replaces lists and leaves the rest', async () => {
    const cluster = createMemoryCluster();
    await cluster.create(daemonSet({ labels: { a: '1' } }, { kept: 1, changed: 1, deep: { x: 1, list: [1, 2] } }));
    await cluster.apply(daemonSet({ labels: { b: '2' } }, { changed: 2, deep: { list: [3] } }), manager);
    expect(await cluster.get(DAEMON_SET)).toMatchObject({
      metadata: { labels: { a: '1', b: '2' }, resourceVersion: '2' },
      spec: { kept: 1, changed: 2, deep: { x: 1, list: [3] } },
    });
  });

  test('with a version needs the current one', async () => {
    const cluster = createMemoryCluster();
    const { metadata } = await cluster.create(daemonSet());
    await cluster.apply(daemonSet(metadata), manager);
    await expect(cluster.apply(daemonSet(metadata), manager)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a deletion', () => {
  test('takes the object away, and cannot be done twice', async () => {
    const cluster = createMemoryCluster();
    await cluster.create(daemonSet());
    await cluster.delete(DAEMON_SET);
    await expect(cluster.get(DAEMON_SET)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.delete(DAEMON_SET)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('happens only where its preconditions hold', async () => {
    const cluster = createMemoryCluster();
    const { uid, resourceVersion } = (await cluster.create(daemonSet())).metadata;
    for (const preconditions of [{ uid: 'other' }, { resourceVersion: '9' }, { uid: uid!, resourceVersion: '9' }])
      await expect(cluster.delete(DAEMON_SET, { preconditions })).rejects.toMatchObject({ code: 'CONFLICT' });
    await cluster.delete(DAEMON_SET, { preconditions: { uid: uid!, resourceVersion: resourceVersion! } });
    expect(cluster.find('DaemonSet', 'n', 'd')).toBeUndefined();
  });
});

describe('a dry run', () => {
  const dryRun = { dryRun: true, fieldManager: 'm' };

  test('stores nothing, and gives what would be stored', async () => {
    const cluster = createMemoryCluster();
    expect(await cluster.create(daemonSet(), dryRun)).toMatchObject({ metadata: { name: 'd' } });
    expect(await cluster.apply(daemonSet(), dryRun)).toMatchObject({ metadata: { name: 'd' } });
    expect(cluster.find('DaemonSet', 'n', 'd')).toBeUndefined();
    const stored = await cluster.create(daemonSet({}, { a: 1 }));
    expect(stored.metadata.resourceVersion).toBe('1');
    expect((await cluster.update(daemonSet({}, { b: 1 }), dryRun)).spec).toEqual({ b: 1 });
    expect((await cluster.apply(daemonSet({}, { b: 1 }), dryRun)).spec).toEqual({ a: 1, b: 1 });
    await cluster.delete(DAEMON_SET, dryRun);
    expect(await cluster.get(DAEMON_SET)).toEqual(stored);
    expect((await cluster.list({ kind: 'Pod' })).resourceVersion).toBe('1');
  });

  test('is refused as the real thing is', async () => {
    const cluster = createMemoryCluster();
    await expect(cluster.update(daemonSet(), dryRun)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cluster.delete(DAEMON_SET, dryRun)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await cluster.create(daemonSet());
    await expect(cluster.create(daemonSet(), dryRun)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  });
});

describe('a watch', () => {
  /** What a watch of Pods tells until as many events have come: type, name and version. */
  async function told(
    cluster: MemoryCluster,
    count: number,
    selection: Partial<Selection> = {},
    resourceVersion = '0',
  ): Promise<string[]> {
    const events: string[] = [];
    for await (const event of cluster.watch({ kind: 'Pod', ...selection }, { resourceVersion })) {
      if (event.type === 'BOOKMARK') continue;
      const { name, resourceVersion: version } = event.object.metadata;
      events.push(`${event.type} ${name} ${version}`);
      if (events.length === count) break;
    }
    return events;
  }

  test('tells what happened behind a version, in order', async () => {
    const cluster = createMemoryCluster();
    cluster.put(pod('p', {}));
    cluster.put(daemonSet());
    cluster.put(pod('p', {}));
    cluster.put(pod('q', {}));
    cluster.remove('Pod', 'n', 'p');
    const all = ['ADDED p 1', 'MODIFIED p 3', 'ADDED q 4', 'DELETED p 5'];
    expect(await told(cluster, 4)).toEqual(all);
    expect(await told(cluster, 2, {}, '3')).toEqual(all.slice(2));
  });

  test('goes on with what happens later, by any way of writing', async () => {
    const cluster = createMemoryCluster();
    const events = told(cluster, 4);
    const p = pod('p', {});
    for (const write of [
      () => cluster.create(p),
      () => cluster.update(p),
      () => cluster.apply(p, { fieldManager: 'm' }),
      () => cluster.delete({ kind: 'Pod', namespace: 'n', name: 'p' }),
    ]) {
      await new Promise(setImmediate);
      await write();
    }
    expect(await events).toEqual(['ADDED p 1', 'MODIFIED p 2', 'MODIFIED p 3', 'DELETED p 4']);
  });

  test('by label tells of an object that gets the label as of a new one, and of one that loses it as of a deleted one', async () => {
    const cluster = createMemoryCluster();
    for (const labels of [{}, { a: '1' }, { a: '1', b: '1' }, { a: '2' }, { a: '3' }]) cluster.put(pod('p', labels));
    cluster.put(pod('elsewhere', { a: '1' }, 'm'));
    cluster.put(pod('q', { a: '1' }));
    expect(await told(cluster, 4, { namespace: 'n', labelSelector: 'a=1' })).toEqual([
      'ADDED p 2',
      'MODIFIED p 3',
      'DELETED p 4',
      'ADDED q 7',
    ]);
  });

  test('shares nothing with what is stored', async () => {
    const cluster = createMemoryCluster();
    cluster.put(pod('p', { a: '1' }));
    for await (const event of cluster.watch({ kind: 'Pod' }, { resourceVersion: '0' })) {
      if (event.type !== 'BOOKMARK') (event.object.metadata.labels as Record<string, string>)['a'] = '2';
      break;
    }
    expect(cluster.find('Pod', 'n', 'p')?.metadata.labels).toEqual({ a: '1' });
  });

  test('ends with its signal: before it begins, between two events and while nothing happens', async () => {
    const cluster = createMemoryCluster();
    cluster.put(pod('p', {}));
    cluster.put(pod('q', {}));
    const stop = new AbortController();
    const from = { resourceVersion: '0', signal: stop.signal };
    const events: WatchEvent[] = [];
    const idle = collect(cluster.watch({ kind: 'Secret' }, from));
    for await (const event of cluster.watch({ kind: 'Pod' }, from)) {
      events.push(event);
      stop.abort();
    }
    expect(events).toHaveLength(1);
    expect(await idle).toEqual([]);
    expect(await collect(cluster.watch({ kind: 'Pod' }, from))).toEqual([]);
  });

  test('cannot go on from what is no version', async () => {
    await expect(told(createMemoryCluster(), 1, {}, 'x')).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('is a call, and may fail as it begins or when it has told what happened', async () => {
    const error = new ClusterError('GONE', 'x');
    const whens = ['before', 'after'] as const;
    const cluster = createMemoryCluster({ fault: ({ number }) => ({ error, when: whens[number]! }) });
    cluster.put(pod('p', {}));
    const from = { resourceVersion: '0' };
    const watch = (): AsyncIterator<WatchEvent> =>
      cluster.watch({ kind: 'Pod', labelSelector: '' }, from)[Symbol.asyncIterator]();
    await expect(watch().next()).rejects.toBe(error);
    const second = watch();
    expect((await second.next()).value).toMatchObject({ type: 'ADDED' });
    await expect(second.next()).rejects.toBe(error);
    expect(cluster.calls.map(({ verb, kind }) => `${verb} ${kind}`)).toEqual(['watch Pod', 'watch Pod']);
  });
});

describe('a fault', () => {
  const error = new ClusterError('TIMEOUT', 'x');

  test('before a call leaves no trace of it', async () => {
    const cluster = createMemoryCluster({ fault: () => ({ error, when: 'before' }) });
    await expect(cluster.create(SECRET)).rejects.toBe(error);
    expect(cluster.find('Secret', 'n', 's')).toBeUndefined();
  });

  test('after a call leaves its effect', async () => {
    const cluster = createMemoryCluster({ fault: () => ({ error, when: 'after' }) });
    await expect(cluster.create(SECRET)).rejects.toBe(error);
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
    await cluster.isHealthy('livez');
    expect(cluster.calls.map(({ number, verb, name }) => [number, verb, name])).toEqual([
      [0, 'health', '/healthz'],
      [1, 'health', '/healthz'],
      [2, 'health', '/healthz'],
      [3, 'health', '/livez'],
    ]);
  });
});

test('what another writer puts and removes is seen', async () => {
  const cluster = createMemoryCluster();
  cluster.put(pod('p', {}));
  expect((await cluster.get({ kind: 'Pod', namespace: 'n', name: 'p' })).metadata.name).toBe('p');
  cluster.remove('Pod', 'n', 'p');
  await expect(cluster.get({ kind: 'Pod', namespace: 'n', name: 'p' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
