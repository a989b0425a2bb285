import { describe, expect, test } from 'vitest';
import { daemonSet } from '../../../../test/support/simulated.ts';
import type { AnyObject, ConfigMapObject, DaemonSetObject, PodObject } from '../../api.ts';
import { createRandom } from '../random.ts';
import { createStore, type Store } from '../store.ts';
import { createRegistry, MIRROR_ANNOTATION, type Admission, type Registry } from './registry.ts';
import type { Reply } from './requests.ts';

const ADMINISTRATOR = 'kubernetes-admin';

interface Bench {
  readonly store: Store;
  readonly ask: (request: Parameters<Registry>[0], user?: string) => Reply;
}

function bench(admissions: readonly Admission[] = []): Bench {
  const store = createStore();
  const registry = createRegistry({
    store,
    random: createRandom(1),
    now: () => new Date(Date.UTC(2000, 0)),
    admissions,
  });
  return { store, ask: (request, user = ADMINISTRATOR) => registry(request, user) };
}

function configMap(name: string, data: Record<string, string> = {}): ConfigMapObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n' }, data };
}

function pod(spec: object = {}, metadata: object = {}): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}

const CONFIG_MAP = { kind: 'ConfigMap', namespace: 'n', name: 'c' } as const;
const POD = { kind: 'Pod', namespace: 'n', name: 'p' } as const;
const SET = { kind: 'DaemonSet', namespace: 'default', name: 'd' } as const;

function created<T extends AnyObject>({ ask }: Bench, object: T): T {
  const reply = ask({ verb: 'create', object });
  expect(reply.status).toBe(200);
  return reply.body as T;
}

describe('a version', () => {
  test('is that of the last change of an object, and a list has that of the last change of all', () => {
    const one = bench();
    created(one, configMap('c'));
    created(one, configMap('d'));
    one.ask({ verb: 'update', object: configMap('c', { a: '1' }) });
    expect(one.store.get('ConfigMap', 'n', 'c')?.metadata.resourceVersion).toBe('3');
    expect(one.store.get('ConfigMap', 'n', 'd')?.metadata.resourceVersion).toBe('2');
    const { body } = one.ask({ verb: 'list', selection: { kind: 'ConfigMap', namespace: 'n' } });
    expect(body).toMatchObject({ resourceVersion: '3', items: [{ metadata: { name: 'c' } }, {}] });
  });

  test('that is not the current one is refused, and none overwrites', () => {
    const one = bench();
    const old = created(one, configMap('c'));
    expect(one.ask({ verb: 'update', object: { ...old, data: { a: '1' } } }).status).toBe(200);
    expect(one.ask({ verb: 'update', object: { ...old, data: { a: '2' } } })).toMatchObject({ code: 'CONFLICT' });
    expect(one.ask({ verb: 'update', object: configMap('c', { a: '3' }) }).status).toBe(200);
    expect(one.store.get('ConfigMap', 'n', 'c')?.data).toEqual({ a: '3' });
  });

  test('does not come from a change that changes nothing', () => {
    const one = bench();
    created(one, configMap('c', { a: '1' }));
    one.ask({ verb: 'update', object: configMap('c', { a: '1' }) });
    expect(one.store.version).toBe(1);
  });

  test('stands in no object that is created, and is heeded by an apply', () => {
    const one = bench();
    const old = created(one, configMap('c'));
    expect(one.ask({ verb: 'create', object: { ...old, metadata: { ...old.metadata, name: 'd' } } }).status).toBe(400);
    one.ask({ verb: 'update', object: configMap('c', { a: '1' }) });
    const given = { ...configMap('c', { b: '1' }), metadata: old.metadata };
    const options = { fieldManager: 'm' };
    expect(one.ask({ verb: 'apply', object: given, options })).toMatchObject({ code: 'CONFLICT' });
    expect(one.ask({ verb: 'apply', object: configMap('c', { b: '1' }), options }).status).toBe(200);
  });
});

test('an object that was made anew is another one', () => {
  const one = bench();
  const old = created(one, configMap('c'));
  one.ask({ verb: 'delete', reference: CONFIG_MAP });
  expect(created(one, configMap('c')).metadata.uid).not.toBe(old.metadata.uid);
  const { resourceVersion: _, ...metadata } = old.metadata;
  expect(one.ask({ verb: 'update', object: { ...old, metadata } })).toMatchObject({ code: 'CONFLICT' });
  expect(one.ask({ verb: 'create', object: configMap('c') })).toMatchObject({ status: 409, code: 'ALREADY_EXISTS' });
});

test('what is not there is not found', () => {
  const { ask } = bench();
  for (const request of [
    { verb: 'get', reference: CONFIG_MAP },
    { verb: 'delete', reference: CONFIG_MAP },
    { verb: 'update', object: configMap('c') },
  ] as const)
    expect(ask(request)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
});

test('a dry run is refused as the real thing is, and stores nothing', () => {
  const one = bench();
  const dry = { dryRun: true } as const;
  const applied = { ...dry, fieldManager: 'm' };
  expect(one.ask({ verb: 'create', object: configMap('c'), options: dry }).body).toMatchObject({
    metadata: { name: 'c' },
  });
  expect(one.ask({ verb: 'apply', object: configMap('c'), options: applied }).status).toBe(200);
  expect(one.store.version).toBe(0);
  created(one, configMap('c'));
  expect(one.ask({ verb: 'create', object: configMap('c'), options: dry })).toMatchObject({ code: 'ALREADY_EXISTS' });
  const changed = configMap('c', { a: '1' });
  expect(one.ask({ verb: 'update', object: changed, options: dry }).body).toMatchObject({ data: { a: '1' } });
  expect(one.ask({ verb: 'apply', object: changed, options: applied }).body).toMatchObject({ data: { a: '1' } });
  expect(one.ask({ verb: 'delete', reference: CONFIG_MAP, options: dry }).status).toBe(200);
  expect(one.store.version).toBe(1);
});

test('a generated name is another one each time, and some name there must be', () => {
  const one = bench();
  const object: ConfigMapObject = { ...configMap(''), metadata: { generateName: 'c-', namespace: 'n' } };
  const names = [created(one, object), created(one, object)].map(({ metadata }) => metadata.name);
  for (const name of names) expect(name).toMatch(/^c-[a-z0-9]{5}$/);
  expect(new Set(names).size).toBe(2);
  const nameless = { ...configMap(''), metadata: { namespace: 'n' } };
  expect(one.ask({ verb: 'create', object: nameless })).toMatchObject({ code: 'INVALID' });
  expect(one.ask({ verb: 'apply', object: nameless, options: { fieldManager: 'm' } })).toMatchObject({
    code: 'INVALID',
  });
});

test('a deletion happens only where its preconditions hold', () => {
  const one = bench();
  const { uid, resourceVersion } = created(one, configMap('c')).metadata;
  for (const preconditions of [{ uid: 'other' }, { resourceVersion: '9' }, { uid: uid!, resourceVersion: '9' }])
    expect(one.ask({ verb: 'delete', reference: CONFIG_MAP, options: { preconditions } })).toMatchObject({
      code: 'CONFLICT',
    });
  const preconditions = { uid: uid!, resourceVersion: resourceVersion! };
  expect(one.ask({ verb: 'delete', reference: CONFIG_MAP, options: { preconditions } }).status).toBe(200);
  expect(one.store.get('ConfigMap', 'n', 'c')).toBeUndefined();
});

describe('a deleted Pod', () => {
  const grace = (seconds: number) => ({ gracePeriodSeconds: seconds });

  test('that is on a node stays until its node deletes it, with the time that it has to end', () => {
    const one = bench();
    created(one, pod({ nodeName: 'w1' }));
    one.ask({ verb: 'delete', reference: POD });
    expect(one.store.get('Pod', 'n', 'p')?.metadata).toMatchObject({
      deletionTimestamp: '2000-01-01T00:00:30.000Z',
      deletionGracePeriodSeconds: 30,
    });
    one.ask({ verb: 'delete', reference: POD, options: grace(0) });
    expect(one.store.get('Pod', 'n', 'p')).toBeUndefined();
  });

  test('may be given less time later, and never more', () => {
    const one = bench();
    created(one, pod({ nodeName: 'w1', terminationGracePeriodSeconds: 60 }));
    const given = (): unknown => one.store.get('Pod', 'n', 'p')?.metadata['deletionGracePeriodSeconds'];
    one.ask({ verb: 'delete', reference: POD });
    expect(given()).toBe(60);
    one.ask({ verb: 'delete', reference: POD, options: grace(5) });
    expect(given()).toBe(5);
    one.ask({ verb: 'delete', reference: POD, options: grace(20) });
    expect(given()).toBe(5);
  });

  test('that is on no node, or has failed, is gone at once', () => {
    const one = bench();
    created(one, pod());
    one.ask({ verb: 'delete', reference: POD });
    expect(one.store.get('Pod', 'n', 'p')).toBeUndefined();
    const failed = created(one, pod({ nodeName: 'w1' }));
    one.ask({ verb: 'update', subresource: 'status', object: { ...failed, status: { phase: 'Failed' } } });
    one.ask({ verb: 'delete', reference: POD });
    expect(one.store.get('Pod', 'n', 'p')).toBeUndefined();
  });
});

test('an owner waits for its Pods where it is asked to, and other objects own none', () => {
  const one = bench();
  created(one, daemonSet('d'));
  created(one, configMap('c'));
  for (const reference of [SET, CONFIG_MAP])
    one.ask({ verb: 'delete', reference, options: { propagation: 'Foreground' } });
  expect(one.store.get('ConfigMap', 'n', 'c')).toBeUndefined();
  const waiting = one.store.get('DaemonSet', 'default', 'd')!;
  expect(waiting.metadata).toMatchObject({
    deletionTimestamp: '2000-01-01T00:00:00.000Z',
    finalizers: ['foregroundDeletion'],
  });
  one.ask({ verb: 'update', object: { ...waiting, metadata: { ...waiting.metadata, finalizers: [] } } });
  expect(one.store.get('DaemonSet', 'default', 'd')).toBeUndefined();
});

describe('a mirror Pod', () => {
  const mirror = pod({ nodeName: 'w1' }, { annotations: { [MIRROR_ANNOTATION]: 'x' } });

  test.each([
    ['kubernetes-admin', 403],
    ['system:node:w2', 403],
    ['system:node:w1', 200],
  ])('by %s is answered with %i', (user, status) => {
    expect(bench().ask({ verb: 'create', object: mirror }, user).status).toBe(status);
    const options = { fieldManager: 'm' };
    expect(bench().ask({ verb: 'apply', object: mirror, options }, user).status).toBe(status);
  });

  test('is all that a node may make of Pods', () => {
    expect(bench().ask({ verb: 'create', object: pod({ nodeName: 'w1' }) }, 'system:node:w1').status).toBe(403);
  });
});

describe('a DaemonSet', () => {
  const port = { name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] };
  const surge = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

  test.each<[string, DaemonSetObject, string]>([
    ['no selector', daemonSet('d', { spec: { selector: { matchLabels: {} } } }), 'spec.selector'],
    ['labels that its selector does not match', daemonSet('d', { labels: { app: 'x' } }), 'spec.template.metadata'],
    [
      'a host port and maxSurge',
      daemonSet('d', { pod: { containers: [port] }, spec: surge({ maxSurge: 1, maxUnavailable: 0 }) }),
      'may not have host ports',
    ],
    ['maxSurge beside maxUnavailable', daemonSet('d', { spec: surge({ maxSurge: 1 }) }), 'maxSurge'],
    ['neither of them', daemonSet('d', { spec: surge({ maxUnavailable: 0 }) }), 'maxUnavailable'],
    ['Pods that end', daemonSet('d', { pod: { restartPolicy: 'Never' } }), 'restartPolicy'],
    ['no image', daemonSet('d', { pod: { containers: [{ name: 'c' }] } }), 'image'],
    ['no container', daemonSet('d', { pod: { containers: [] } }), 'spec.containers'],
  ])('with %s is refused', (_name, object, message) => {
    const { ask } = bench();
    for (const request of [
      { verb: 'create', object },
      { verb: 'apply', object, options: { fieldManager: 'm' } },
    ] as const) {
      const reply = ask(request);
      expect(reply).toMatchObject({ status: 422, code: 'INVALID' });
      expect(reply.message).toContain(message);
    }
  });

  test('may have a named port and maxSurge, since a template gets no host ports', () => {
    const named = { ...port, ports: [{ name: 'p', containerPort: 80 }] };
    const object = daemonSet('d', {
      pod: { containers: [named], hostNetwork: true },
      spec: surge({ maxSurge: 1, maxUnavailable: 0 }),
    });
    expect(bench().ask({ verb: 'create', object }).status).toBe(200);
  });

  test('keeps its selector, and counts the changes of its spec', () => {
    const one = bench();
    created(one, daemonSet('d'));
    const other = { ...daemonSet('d', { labels: { app: 'd', b: '1' } }) };
    expect(one.ask({ verb: 'update', object: other }).body).toMatchObject({ metadata: { generation: 2 } });
    const selected = daemonSet('d', { spec: { selector: { matchLabels: { b: '1' } } }, labels: { b: '1' } });
    expect(one.ask({ verb: 'update', object: selected })).toMatchObject({ code: 'INVALID' });
  });
});

describe('an object that cannot be read is refused, however it is written', () => {
  const withSpec = (spec: unknown): PodObject => ({ ...pod(), spec }) as PodObject;
  const { spec: _spec, ...bare } = pod();
  const { spec: _set, ...bareSet } = daemonSet('d');
  const template = (value: unknown): AnyObject => daemonSet('d', { spec: { template: value } });

  test.each<[string, AnyObject, string]>([
    ['a Pod without a spec', bare, 'spec: required'],
    ['a Pod whose containers are no list', withSpec({ containers: {} }), 'spec.containers: has to be a list'],
    ['a Pod with a container that is nothing', withSpec({ containers: [null] }), 'spec.containers[0]'],
    ['a Pod without containers', withSpec({}), 'spec.containers: required'],
    ['a DaemonSet without a spec', bareSet as AnyObject, 'spec: required'],
    ['a DaemonSet without a selector', daemonSet('d', { spec: { selector: undefined } }), 'spec.selector'],
    ['a DaemonSet without a template', template(undefined), 'spec.template'],
    ['a DaemonSet whose template has no spec', template({ metadata: {} }), 'spec.template.spec'],
    [
      'a DaemonSet whose containers are no list',
      template({ metadata: { labels: { app: 'd' } }, spec: { containers: 3 } }),
      'spec.template.spec.containers',
    ],
  ])('%s', (_what, object, message) => {
    const one = bench();
    created(one, pod());
    created(one, daemonSet('d'));
    const other = { ...object, metadata: { ...object.metadata, name: 'other' } } as AnyObject;
    for (const request of [
      { verb: 'create', object: other },
      { verb: 'apply', object: other, options: { fieldManager: 'm' } },
      { verb: 'update', object },
    ] as const) {
      const reply = one.ask(request);
      expect(reply, request.verb).toMatchObject({ status: 422, code: 'INVALID' });
      expect(reply.message).toContain(message);
    }
  });
});

test('of a Pod nothing but the images may be changed', () => {
  const one = bench();
  const before = created(one, pod());
  const image = { ...before, spec: { ...before.spec, containers: [{ name: 'c', image: 'other' }] } };
  expect(one.ask({ verb: 'update', object: image }).status).toBe(200);
  const { body } = one.ask({ verb: 'get', reference: POD });
  const flags = { ...before.spec, containers: [{ name: 'c', image: 'i', args: ['x'] }] };
  expect(one.ask({ verb: 'update', object: { ...(body as PodObject), spec: flags } })).toMatchObject({
    code: 'INVALID',
  });
});

test('status and spec are written apart', () => {
  const one = bench();
  const status = { numberReady: 1 };
  const stored = (): DaemonSetObject => one.store.get('DaemonSet', 'default', 'd')!;
  created(one, { ...daemonSet('d'), status });
  expect(stored().status).toBeUndefined();
  one.ask({ verb: 'update', object: { ...stored(), status } });
  expect(stored().status).toBeUndefined();
  const minReadySeconds = { ...stored().spec, minReadySeconds: 5 };
  one.ask({ verb: 'update', subresource: 'status', object: { ...stored(), status, spec: minReadySeconds } });
  expect(stored()).toMatchObject({ status, metadata: { generation: 1 } });
  expect(stored().spec).not.toHaveProperty('minReadySeconds');
  one.ask({ verb: 'update', object: { ...stored(), spec: minReadySeconds, status: { numberReady: 2 } } });
  expect(stored()).toMatchObject({ status, spec: { minReadySeconds: 5 }, metadata: { generation: 2 } });
  const failed = { ...pod(), status: { phase: 'Failed' } };
  expect(created(one, failed).status).toEqual({ phase: 'Pending' });
});

test('a policy is asked before anything is stored or deleted, with who wants it', () => {
  const seen: string[] = [];
  const one = bench([
    (object, operation, user) => {
      seen.push(`${operation} ${object.metadata.name} ${user}`);
      return 'data' in object && Object.hasOwn(object.data ?? {}, 'no') ? 'not so' : undefined;
    },
  ]);
  const no = configMap('c', { no: '' });
  const options = { fieldManager: 'm', dryRun: true };
  for (const request of [
    { verb: 'create', object: no },
    { verb: 'apply', object: no, options },
  ] as const)
    expect(one.ask(request)).toMatchObject({ status: 403, code: 'FORBIDDEN', message: 'not so' });
  created(one, configMap('c'));
  expect(one.ask({ verb: 'update', object: no }).status).toBe(403);
  one.ask({ verb: 'delete', reference: CONFIG_MAP });
  expect(seen).toEqual(['create', 'create', 'create', 'update', 'delete'].map((verb) => `${verb} c ${ADMINISTRATOR}`));
});
