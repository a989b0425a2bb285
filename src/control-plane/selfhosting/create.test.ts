import { describe, expect, test } from 'vitest';
import {
  MANIFESTS,
  API_SERVER,
  CONTROLLER_MANAGER,
  manifest,
  MANIFEST_FILES,
  SECRET_FILES,
  pod,
  createWorld,
  failureOf,
  failing,
} from '../../../test/support/self-hosting.ts';
import { ClusterError } from '../../cluster/api.ts';
import { fileError } from '../../cluster/simulated/files.ts';
import { type ClusterCall } from '../../cluster/simulated/memory.ts';
import { type SelfHostingOptions } from './create.ts';
import { CONTROL_PLANE_COMPONENTS } from './labels.ts';
import { SELF_HOSTED_SECRETS } from './v1-10/secrets.ts';
import { createDryRunWaiter } from './waiter.ts';

describe('a conversion', () => {
  test('does its steps in order, for the API server, the controller manager and the scheduler', async () => {
    const world = createWorld();
    const results = await world.run();
    expect(world.trace).toEqual(
      CONTROL_PLANE_COMPONENTS.flatMap((component) => [
        `stat ${MANIFESTS}/${component}.yaml`,
        `read ${MANIFESTS}/${component}.yaml`,
        `create DaemonSet self-hosted-${component}`,
        `list Pod k8s-app=self-hosted-${component}`,
        `remove ${MANIFESTS}/${component}.yaml`,
        `get Pod ${component}-master-1`,
        'health  /healthz',
      ]),
    );
    expect(results).toEqual(
      CONTROL_PLANE_COMPONENTS.map((component) => ({ component, outcome: 'self-hosted', milliseconds: 5000 })),
    );
    expect(world.files.paths()).toEqual([]);
  });

  test('stores what buildDaemonSet makes of the manifest', async () => {
    const world = createWorld();
    await world.run();
    expect(world.cluster.find('DaemonSet', 'kube-system', 'self-hosted-kube-apiserver')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [{ command: ['kube-apiserver', '--advertise-address=$(HOST_IP)'], env: [{ name: 'HOST_IP' }] }],
            dnsPolicy: 'ClusterFirstWithHostNet',
          },
        },
      },
    });
  });

  test('asks every 500 ms', async () => {
    const world = createWorld();
    await world.run();
    // 3 s until the Pod runs and 2 s until the mirror Pod is gone, three times.
    expect(world.clock.sleeps).toEqual(Array.from({ length: 30 }, () => 500));
  });

  test('says how long each component took', async () => {
    const world = createWorld();
    await world.run();
    expect(world.log.filter((line) => line.includes('ready after'))).toEqual(
      CONTROL_PLANE_COMPONENTS.map((component) => `The self-hosted ${component} is ready after 5 s.`),
    );
  });

  test.each([
    ['MasterConfiguration', { nodeName: 'master-1' }],
    ['InitConfiguration with its ClusterConfiguration', { nodeRegistration: { name: 'master-1' }, featureGates: {} }],
  ])('knows the node from a %s', async (_, config) => {
    const world = createWorld();
    await world.run({ config });
    expect(world.trace).toContain('get Pod kube-apiserver-master-1');
  });

  test.each([{}, { nodeName: '' }, { nodeRegistration: {} }])(
    'does not begin without the name of the node: %j',
    async (config) => {
      const world = createWorld();
      const error = await failureOf(world.run({ config: config as SelfHostingOptions['config'] }));
      expect(error.code).toBe('CONFIG_INCOMPLETE');
      expect(world.trace).toEqual([]);
    },
  );
});

describe('step 1, the look at the manifest', () => {
  test.each(['ENOENT', 'EACCES', 'EIO'])('skips the component on any error, also %s, and says so', async (code) => {
    const world = createWorld({
      fileFault: (operation, path) =>
        operation === 'stat' && path === API_SERVER ? fileError(code, operation, path) : undefined,
    });
    const results = await world.run();
    expect(results.map(({ outcome }) => outcome)).toEqual(['skipped', 'self-hosted', 'self-hosted']);
    expect(world.log[0]).toContain(API_SERVER);
    expect(world.log[0]).toContain(code);
    expect(world.log[0]).toContain('trying the next one');
    expect(world.trace).not.toContain('create DaemonSet self-hosted-kube-apiserver');
  });

  test('is all that makes a second run change nothing', async () => {
    const world = createWorld();
    await world.run();
    world.trace.length = 0;
    const results = await world.run();
    expect(results.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'skipped']);
    expect(world.trace).toEqual(CONTROL_PLANE_COMPONENTS.map((component) => `stat ${MANIFESTS}/${component}.yaml`));
  });
});

describe('step 2, the reading of the manifest', () => {
  test('ends the conversion when it fails', async () => {
    const cause = fileError('EIO', 'read', API_SERVER);
    const world = createWorld({ fileFault: (operation) => (operation === 'read' ? cause : undefined) });
    const error = await failureOf(world.run());
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE', cause });
    expect(world.trace).toEqual([`stat ${API_SERVER}`, `read ${API_SERVER}`]);
  });

  test.each([
    ['an empty file', ''],
    ['something else', 'apiVersion: v1\nkind: PodList\n'],
    ['no YAML', 'a: [hunter2'],
  ])('ends the conversion for %s', async (_, text) => {
    const world = createWorld({ files: { ...MANIFEST_FILES, [CONTROLLER_MANAGER]: text } });
    const error = await failureOf(world.run());
    expect(error.code).toBe('MANIFEST_INVALID');
    expect(error.message).toContain(CONTROLLER_MANAGER);
    expect(error.message).not.toContain('hunter2');
    // The API server before it stays converted.
    expect(world.files.paths()).toEqual([CONTROLLER_MANAGER, `${MANIFESTS}/kube-scheduler.yaml`]);
  });

  test('ends the conversion for a Pod without containers', async () => {
    const world = createWorld({ files: { [API_SERVER]: 'apiVersion: v1\nkind: Pod\nspec: {containers: []}\n' } });
    expect((await failureOf(world.run())).code).toBe('CONTAINER_MISSING');
  });
});

describe('step 3, the storing of the DaemonSet', () => {
  const isCreate = (call: ClusterCall): boolean => call.verb === 'create' && call.kind === 'DaemonSet';

  test('overwrites a DaemonSet that is there, whatever its version', async () => {
    const world = createWorld();
    const labels = { 'k8s-app': 'old' };
    const metadata = { name: 'self-hosted-kube-apiserver', namespace: 'kube-system', labels };
    world.cluster.put({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata });
    await world.run();
    expect(world.trace.slice(2, 4)).toEqual([
      'create DaemonSet self-hosted-kube-apiserver',
      'update DaemonSet self-hosted-kube-apiserver',
    ]);
    expect(world.cluster.find('DaemonSet', 'kube-system', metadata.name)?.metadata.labels).toEqual({
      'k8s-app': 'self-hosted-kube-apiserver',
    });
  });

  test.each([1, 2, 3, 4])('is tried again after %i failures, with sleeps that double from 5 s', async (failures) => {
    let left = failures;
    const world = createWorld({ clusterFault: failing('UNREACHABLE', (call) => isCreate(call) && left-- > 0) });
    await world.run();
    expect(world.clock.sleeps.slice(0, failures + 1)).toEqual([
      ...[5000, 10_000, 20_000, 40_000].slice(0, failures),
      500,
    ]);
  });

  test('is given up after 5 tries and 75 s of sleep: the error is a timeout, and the last refusal only its cause', async () => {
    const world = createWorld({ clusterFault: failing('FORBIDDEN', isCreate) });
    const error = await failureOf(world.run());
    expect(world.cluster.calls.filter(isCreate)).toHaveLength(5);
    expect(world.clock.sleeps).toEqual([5000, 10_000, 20_000, 40_000]);
    expect(error.code).toBe('TIMED_OUT');
    expect(error.message).not.toContain('a fault');
    expect(error.cause).toMatchObject({ code: 'FORBIDDEN', message: 'a fault' });
    expect(world.files.paths()).toHaveLength(3);
  });

  test('counts a failed update as a failed try', async () => {
    const world = createWorld({
      clusterFault: (call) => {
        if (isCreate(call)) return { error: new ClusterError('ALREADY_EXISTS', 'there'), when: 'before' };
        return call.verb === 'update' ? { error: new ClusterError('CONFLICT', 'again'), when: 'before' } : undefined;
      },
    });
    const error = await failureOf(world.run());
    expect(error.cause).toMatchObject({ code: 'CONFLICT' });
    expect(world.cluster.calls.map(({ verb }) => verb)).toEqual(
      Array.from({ length: 5 }, () => ['create', 'update']).flat(),
    );
  });

  test('survives an answer that is lost after the DaemonSet was stored', async () => {
    let isLost = false;
    const world = createWorld({
      clusterFault: (call) => {
        if (isLost || !isCreate(call)) return undefined;
        isLost = true;
        return { error: new ClusterError('TIMEOUT', 'lost'), when: 'after' };
      },
    });
    const [result] = await world.run();
    expect(result?.outcome).toBe('self-hosted');
    expect(world.trace).toContain('update DaemonSet self-hosted-kube-apiserver');
  });
});

describe('step 4, the wait for running Pods', () => {
  test('gives up after 2 minutes, with the DaemonSet left behind and the manifest still there', async () => {
    const world = createWorld({ podAfter: undefined });
    const error = await failureOf(world.run());
    expect(error.code).toBe('TIMED_OUT');
    expect(error.message).toContain(API_SERVER);
    expect(world.clock.now()).toBe(120_000);
    expect(world.cluster.find('DaemonSet', 'kube-system', 'self-hosted-kube-apiserver')).toBeDefined();
    expect(world.files.paths()).toHaveLength(3);
    expect(world.trace.at(-1)).toBe('list Pod k8s-app=self-hosted-kube-apiserver');
  });

  test('takes any running Pod with the label for good, also one on another node that keeps crashing', async () => {
    const world = createWorld({ podAfter: undefined });
    for (const component of CONTROL_PLANE_COMPONENTS) {
      const containerStatuses = [{ ready: false, restartCount: 9, state: { waiting: { reason: 'CrashLoopBackOff' } } }];
      const more = { spec: { nodeName: 'master-2' }, status: { phase: 'Running', containerStatuses } };
      world.cluster.put(pod(`${component}-elsewhere`, { 'k8s-app': `self-hosted-${component}` }, more));
    }
    expect((await world.run()).map(({ outcome }) => outcome)).toEqual(['self-hosted', 'self-hosted', 'self-hosted']);
  });
});

describe('step 5, the removal of the manifest', () => {
  test('ends the conversion when it fails', async () => {
    const cause = fileError('EROFS', 'remove', API_SERVER);
    const world = createWorld({ fileFault: (operation) => (operation === 'remove' ? cause : undefined) });
    expect(await failureOf(world.run())).toMatchObject({ code: 'MANIFEST_NOT_REMOVED', cause });
    expect(world.trace.at(-1)).toBe(`remove ${API_SERVER}`);
  });

  test('comes before the wait that may fail, and then no manifest is left', async () => {
    const world = createWorld({ mirrorGoneAfter: undefined });
    const error = await failureOf(world.run());
    expect(error.code).toBe('TIMED_OUT');
    expect(error.message).toContain(`${API_SERVER} is deleted, without a copy`);
    expect(world.files.paths()).not.toContain(API_SERVER);
    expect(world.clock.now()).toBe(3000 + 120_000);
    expect(world.trace.at(-1)).toBe('get Pod kube-apiserver-master-1');
  });
});

describe('steps 6 and 7, the waits for the static Pod to go and for the API server', () => {
  test('outlast every error but the one that says the Pod is gone', async () => {
    const codes = ['UNREACHABLE', 'FORBIDDEN', 'TIMEOUT', 'UNAVAILABLE', 'UNAUTHORIZED'] as const;
    let asked = 0;
    const world = createWorld({
      clusterFault: (call) => {
        const code = call.verb === 'get' ? codes[asked++] : undefined;
        return code && { error: new ClusterError(code, 'down'), when: 'before' };
      },
    });
    const [result] = await world.run();
    expect(result?.outcome).toBe('self-hosted');
    expect(asked).toBeGreaterThan(codes.length);
  });

  test('carry the last error of a timeout as its cause', async () => {
    const world = createWorld({ clusterFault: failing('UNREACHABLE', ({ verb }) => verb === 'get') });
    const error = await failureOf(world.run());
    expect(error.cause).toMatchObject({ code: 'TIMED_OUT', cause: { code: 'UNREACHABLE' } });
  });

  test('give the API server 2 minutes to be healthy', async () => {
    const world = createWorld();
    world.cluster.setHealthy(false);
    const error = await failureOf(world.run());
    expect(error.code).toBe('TIMED_OUT');
    expect(error.message).toContain('without a copy');
    expect(world.clock.now()).toBe(5000 + 120_000);
  });

  test('go on when it becomes healthy', async () => {
    const world = createWorld();
    world.cluster.setHealthy(false);
    world.clock.at(60_000, () => world.cluster.setHealthy(true));
    expect((await world.run())[0]).toMatchObject({ outcome: 'self-hosted', milliseconds: 60_000 });
  });
});

describe('a waiter of the caller', () => {
  const patient = createDryRunWaiter(() => {});

  test('is told 2 minutes for each wait', async () => {
    const seen: unknown[] = [];
    const note = async (...values: unknown[]): Promise<void> => void seen.push(values);
    await createWorld({ files: { [API_SERVER]: manifest('kube-apiserver') } }).run({
      waiter: { waitForPodsWithLabel: note, waitForPodToDisappear: note, waitForAPI: note },
    });
    expect(seen).toEqual([
      ['k8s-app=self-hosted-kube-apiserver', 120_000],
      ['kube-apiserver-master-1', 120_000],
      [120_000],
    ]);
  });

  test.each(['waitForPodsWithLabel', 'waitForPodToDisappear', 'waitForAPI'] as const)(
    'ends the conversion when %s fails for a reason of its own',
    async (method) => {
      const cause = new Error('had enough');
      const waiter = { ...patient, [method]: () => Promise.reject(cause) };
      const error = await failureOf(createWorld().run({ waiter }));
      expect(error).toMatchObject({ code: 'WAIT_FAILED', cause });
      expect(error.message).toContain('had enough');
    },
  );
});

describe('certificates in Secrets', () => {
  const config = { nodeName: 'master-1', certificatesDir: '/pki', featureGates: { StoreCertsInSecrets: true } };
  const files = { ...MANIFEST_FILES, ...SECRET_FILES };

  test('are stored before the first component is looked at, each read just before', async () => {
    const world = createWorld({ files });
    await world.run({ config });
    const first = world.trace.indexOf(`stat ${API_SERVER}`);
    expect(world.trace.slice(0, first)).toEqual(
      SELF_HOSTED_SECRETS.flatMap(({ name, directory, files: names }) => [
        ...Object.values(names).map(
          (file) => `read ${directory === 'certificatesDir' ? '/pki' : '/etc/kubernetes'}/${file}`,
        ),
        `create Secret ${name}`,
      ]),
    );
    const secret = world.cluster.find('Secret', 'kube-system', 'sa') as unknown as { data: Record<string, string> };
    expect(Buffer.from(secret.data['tls.crt']!, 'base64').toString()).toBe('-----BEGIN hunter2 sa.pub');
  });

  test('overwrite the Secrets that are there', async () => {
    const world = createWorld({ files });
    world.cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ca', namespace: 'kube-system' } });
    await world.run({ config });
    expect(world.trace.slice(2, 4)).toEqual(['create Secret ca', 'update Secret ca']);
    expect(world.cluster.find('Secret', 'kube-system', 'ca')).toHaveProperty('data');
  });

  test('are not touched without the gate', async () => {
    const world = createWorld({ files });
    await world.run();
    expect(world.trace.filter((step) => step.includes('Secret') || step.includes('/pki'))).toEqual([]);
  });

  test('end it all at the first file that cannot be read, as ca.key with an external CA; earlier Secrets stay', async () => {
    const { '/pki/front-proxy-ca.key': _, ...some } = files;
    const world = createWorld({ files: some });
    const error = await failureOf(world.run({ config }));
    expect(error.code).toBe('FILE_UNREADABLE');
    expect(error.message).toContain('/pki/front-proxy-ca.key');
    expect(world.cluster.find('Secret', 'kube-system', 'sa')).toBeDefined();
    expect(world.cluster.find('Secret', 'kube-system', 'front-proxy-ca')).toBeUndefined();
    expect(world.trace.at(-1)).toBe('read /pki/front-proxy-ca.key');
  });

  test('end it all at the first refusal, without a second try', async () => {
    const world = createWorld({ files, clusterFault: failing('FORBIDDEN', ({ name }) => name === 'apiserver') });
    const error = await failureOf(world.run({ config }));
    expect(error).toMatchObject({ code: 'SECRET_NOT_STORED', cause: { code: 'FORBIDDEN' } });
    expect(world.clock.sleeps).toEqual([]);
    expect(world.trace.at(-1)).toBe('create Secret apiserver');
  });

  test('never appear in a log or an error', async () => {
    const shown: unknown[] = [];
    for (const failAt of [undefined, 'create', 'list', 'get', 'health'] as const) {
      const world = createWorld({ files, clusterFault: failing('FORBIDDEN', ({ verb }) => verb === failAt) });
      await world.run({ config }).catch((error: unknown) => shown.push(String(error), JSON.stringify(error)));
      shown.push(...world.log);
    }
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.join('\n')).not.toMatch(/hunter2|aHVudGVyM|LS0tLS/);
  });
});

describe('a dry run', () => {
  test('leaves every manifest, and stores and waits all the same', async () => {
    const world = createWorld();
    for (const component of CONTROL_PLANE_COMPONENTS)
      world.cluster.remove('Pod', 'kube-system', `${component}-master-1`);
    const results = await world.run({ dryRun: true });
    expect(results.map(({ outcome }) => outcome)).toEqual(['self-hosted', 'self-hosted', 'self-hosted']);
    expect(world.files.paths()).toHaveLength(3);
    expect(world.trace.filter((step) => step.startsWith('create DaemonSet'))).toHaveLength(3);
    expect(world.trace.filter((step) => step.startsWith('remove'))).toEqual([]);
  });

  test('waits for a static Pod that nobody removes when it is let loose on a real cluster', async () => {
    const world = createWorld();
    const error = await failureOf(world.run({ dryRun: true }));
    expect(error.code).toBe('TIMED_OUT');
    expect(error.message).toContain('is still there');
  });

  test('stores Secrets too', async () => {
    const world = createWorld({ files: { ...MANIFEST_FILES, ...SECRET_FILES } });
    const config = { nodeName: 'master-1', certificatesDir: '/pki', featureGates: { StoreCertsInSecrets: true } };
    await failureOf(world.run({ config, dryRun: true }));
    expect(world.cluster.find('Secret', 'kube-system', 'ca')).toBeDefined();
  });

  test('with its own waiter only says what it would wait for', async () => {
    const world = createWorld({ podAfter: undefined });
    const waiter = createDryRunWaiter((message) => world.log.push(message));
    await world.run({ dryRun: true, waiter });
    expect(world.clock.sleeps).toEqual([]);
    expect(world.log.slice(0, 4)).toEqual([
      'Would wait until all Pods with k8s-app=self-hosted-kube-apiserver run.',
      'Would wait until Pod kube-apiserver-master-1 is gone.',
      'Would wait until the API server is healthy.',
      'The self-hosted kube-apiserver is ready after 0 s.',
    ]);
  });
});
