import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  CONTROL_PLANE_COMPONENTS,
  FAULT_NAMES,
  rehearse,
  STRATEGY_NAMES,
  type Rehearsal,
  type RehearsalEvent,
} from '../../src/control-plane/index.ts';
import { stockManifests } from '../../src/testing/index.ts';

const STOCK = stockManifests({ address: '10.0.0.11' });

function withoutRealTime({ realSeconds: _realSeconds, ...rest }: Rehearsal): object {
  return rest;
}

describe('the same settings', () => {
  test.each(STRATEGY_NAMES)('give the same rehearsal of %s', async (strategy) => {
    const settings = { strategy, seed: 5 } as const;
    expect(withoutRealTime(await rehearse(settings))).toEqual(withoutRealTime(await rehearse(settings)));
  });

  test('give another one with another seed', async () => {
    const [one, other] = [await rehearse({ seed: 1 }), await rehearse({ seed: 2 })];
    expect(one.steps).not.toEqual(other.steps);
    expect(one.steps.map(({ name }) => name)).toEqual(other.steps.map(({ name }) => name));
  });
});

test('real seconds come from the clock that is given', async () => {
  let now = 0;
  const clock = { now: () => (now += 1500), sleep: async () => {} };
  expect((await rehearse({ clock })).realSeconds).toBe(1.5);
});

test('progress tells the plan, then each step from its start to its end', async () => {
  const events: RehearsalEvent[] = [];
  const { steps } = await rehearse({ components: ['kube-scheduler'], onEvent: (event) => events.push(event) });
  const plan = events.find((event) => event.type === 'plan')!;
  expect(plan.steps.map(({ name }) => name)).toEqual(steps.map(({ name }) => name));
  const told = events.filter((event) => event.type === 'step').map(({ name, state }) => `${state} ${name}`);
  expect(told).toEqual(steps.flatMap(({ name }) => [`started ${name}`, `done ${name}`]));
  expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'done' });
});

describe('a relay', () => {
  test('leaves the control plane to the cluster, and nothing else behind', async () => {
    const { servers, redirects, simulatedSeconds } = await rehearse();
    const left = servers.filter(({ to, program }) => to === undefined && program !== 'etcd');
    expect(left.map(({ pod }) => pod.replace(/-[^-]+$/, ''))).toEqual([
      'self-hosted-kube-apiserver-cp1',
      'self-hosted-kube-controller-manager',
      'self-hosted-kube-scheduler',
    ]);
    expect(redirects).toEqual([{ node: 'cp1', from: expect.any(Number) as number, to: expect.any(Number) as number }]);
    expect(simulatedSeconds).toBeLessThan(180);
  });

  test('goes from node to node, each with its own steps', async () => {
    const { steps, servers } = await rehearse({ nodes: 3 });
    expect([...new Set(steps.map(({ name }) => name.split('/')[0]))]).toEqual(['cp1', 'cp2', 'cp3']);
    const left = servers.filter(({ to, program }) => to === undefined && program === 'kube-apiserver');
    expect(left.map(({ node }) => node)).toEqual(['cp1', 'cp2', 'cp3']);
  });

  test('is refused where two servers of the manifest may not run beside each other', async () => {
    const events: RehearsalEvent[] = [];
    const rehearsal = await rehearse({ relayPort: 2379, onEvent: (event) => events.push(event) });
    expect(rehearsal).toMatchObject({ outcome: 'refused', serving: true, failedRequests: 0, steps: [] });
    expect(rehearsal.problems).toEqual([
      expect.objectContaining({ severity: 'error', file: '/etc/kubernetes/manifests/kube-apiserver.yaml' }),
    ]);
    expect(events.some(({ type }) => type === 'step')).toBe(false);
  });
});

/** Whatever went wrong: the API serves, nothing is lost, and where it was undone the old definition serves alone. */
function expectNoHarm(rehearsal: Rehearsal, step: string): void {
  expect(rehearsal, step).toMatchObject({ serving: true, lostWrites: 0, watch: { lost: 0 } });
  const { outcome, servers, redirects, fault } = rehearsal;
  if (fault?.name !== 'kill') expect(['done', 'undone'], step).toContain(outcome);
  if (outcome !== 'undone') return;
  const left = servers.filter(({ to }) => to === undefined).map(({ pod }) => pod);
  expect(
    left.toSorted((a, b) => (a < b ? -1 : 1)),
    step,
  ).toEqual(['etcd-cp1', 'kube-apiserver-cp1', 'kube-controller-manager-cp1', 'kube-scheduler-cp1']);
  expect(
    redirects.every(({ to }) => to !== undefined),
    step,
  ).toBe(true);
}

describe('a fault at any step of a relay', () => {
  // A power cut is another matter: from a certain step on nothing on the disk starts an API server.
  const faults = FAULT_NAMES.filter((name) => name !== 'power-cut');

  test.each(faults.flatMap((name) => CONTROL_PLANE_COMPONENTS.map((component) => [name, component] as const)))(
    '%s, while %s changes, ends with an API that serves and no lost write',
    async (name, component) => {
      const components = [component];
      const { steps } = await rehearse({ components });
      for (const { name: step } of steps) {
        const rehearsal = await rehearse({ components, fault: { name, step } });
        expectNoHarm(rehearsal, step);
        if (name === 'kill') expect(rehearsal.outcome, step).toBe('stopped');
      }
    },
  );

  test('takes back the components before it as well', async () => {
    for (const name of ['bad-definition', 'disk-full'] as const) {
      const step = 'kube-scheduler/standby';
      const rehearsal = await rehearse({ fault: { name, step } });
      expectNoHarm(rehearsal, step);
      expect(rehearsal.outcome).toBe('undone');
      expect(rehearsal.steps.every(({ undone }) => undone)).toBe(true);
    }
  });

  test('costs no request where the server itself is not hit', async () => {
    const harmless = faults.filter((name) => !['api-server-crash', 'relay-crash', 'firewall'].includes(name));
    for (const name of harmless) {
      const { failedRequests } = await rehearse({ fault: { name, step: 'start' } });
      expect(failedRequests, name).toBe(0);
    }
  });

  test.each(['relay-crash', 'firewall'] as const)('%s is noticed within seconds, whenever it comes', async (name) => {
    const { steps } = await rehearse({ components: ['kube-apiserver'] });
    for (const { name: step } of steps) {
      const { outages } = await rehearse({ components: ['kube-apiserver'], fault: { name, step } });
      // The kubelet may look only after 15 s again at a static Pod that comes back just when it has ended.
      for (const { seconds } of outages) expect(seconds, step).toBeLessThan(25);
    }
  });

  test('is found by the number of the step, the end of its name, or its whole name', async () => {
    const at = async (step: string): Promise<string | undefined> =>
      (await rehearse({ fault: { name: 'kill', step } })).steps.at(-1)?.name;
    expect(await at('4')).toBe('cp1/kube-apiserver/redirect');
    expect(await at('stop')).toBe('cp1/kube-apiserver/stop');
    expect(await at('kube-scheduler/stop')).toBe('cp1/kube-scheduler/stop');
  });

  test('on a later node leaves the earlier ones changed, and is no way back', async () => {
    const fault = { name: 'bad-definition', step: 'cp2/kube-apiserver/start' } as const;
    const { outcome, steps, serving } = await rehearse({ nodes: 3, fault, components: ['kube-apiserver'] });
    expect({ outcome, serving }).toEqual({ outcome: 'stopped', serving: true });
    expect(steps.filter(({ name }) => name.startsWith('cp1/')).some(({ undone }) => undone)).toBe(false);
    expect(steps.filter(({ name }) => name.startsWith('cp2/')).every(({ undone }) => undone)).toBe(true);
  });

  test('happens on the node that is named', async () => {
    const { steps, outcome } = await rehearse({ nodes: 3, fault: { name: 'kill', step: 'cp2/kube-apiserver/stop' } });
    expect(outcome).toBe('stopped');
    expect(steps.at(-1)!.name).toBe('cp2/kube-apiserver/stop');
  });

  test.each(['nothing', '99', 'cp9/kube-apiserver/stop'])('is a mistake where there is no step %s', async (step) => {
    await expect(rehearse({ fault: { name: 'kill', step } })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('a roll', () => {
  test('changes a flag of an API server that stays a static Pod, and costs no request', async () => {
    for (const seed of [1, 2, 3]) {
      const { outcome, failedRequests, lostWrites, servers, restarts } = await rehearse({ strategy: 'roll', seed });
      expect({ outcome, failedRequests, lostWrites, restarts }).toEqual({
        outcome: 'done',
        failedRequests: 0,
        lostWrites: 0,
        restarts: [],
      });
      const left = servers.filter(({ to, program }) => to === undefined && program === 'kube-apiserver');
      expect(left.map(({ pod, from }) => [pod, from > 0])).toEqual([['kube-apiserver-cp1', true]]);
    }
  });

  test('of the managers leaves nobody without a leader for more than five seconds', async () => {
    const components = ['kube-controller-manager', 'kube-scheduler'] as const;
    const { outcome, leaderGaps, failedRequests } = await rehearse({ strategy: 'roll', components });
    expect({ outcome, failedRequests }).toEqual({ outcome: 'done', failedRequests: 0 });
    expect(leaderGaps).toHaveLength(4);
    for (const { seconds } of leaderGaps) expect(seconds).toBeLessThan(5);
  });

  test.each(['resume', 'rollback'] as const)(
    'that lost its node comes to its end by %s, at whatever step',
    async (afterwards) => {
      const { steps } = await rehearse({ strategy: 'roll' });
      for (const { name: step } of steps) {
        const fault = { name: 'power-cut', step } as const;
        const rehearsal = await rehearse({ strategy: 'roll', fault, afterwards });
        const outcome = afterwards === 'resume' ? 'done' : 'undone';
        expect(rehearsal, step).toMatchObject({ outcome, serving: true, lostWrites: 0 });
      }
    },
  );
});

describe('a fault of another strategy', () => {
  const kinds = ['disk-full', 'bad-definition', 'reply-lost', 'kubelet-restart', 'firewall'] as const;

  test.each(
    (['manifest-edit', 'port-sharing', 'roll'] as const).flatMap((strategy) =>
      kinds.map((kind) => [strategy, kind] as const),
    ),
  )('%s: %s at any step ends with an API that serves, done or undone', async (strategy, name) => {
    const settings = { strategy, components: ['kube-apiserver'] } as const;
    const { steps } = await rehearse(settings);
    for (const { name: step } of steps) {
      const rehearsal = await rehearse({ ...settings, fault: { name, step } });
      expect(rehearsal, step).toMatchObject({ serving: true, lostWrites: 0 });
      expect(['done', 'undone'], step).toContain(rehearsal.outcome);
    }
  });

  test('leaves a manifest alone that could not be changed', async () => {
    const rehearsal = await rehearse({ strategy: 'manifest-edit', fault: { name: 'disk-full', step: 'edit' } });
    expect(rehearsal).toMatchObject({ outcome: 'undone', failedRequests: 0 });
    expect(rehearsal.steps[0]!.seconds).toBeLessThan(1);
  });
});

test('a change that ends while a part of the control plane does not serve has failed, with that part', async () => {
  const rehearsal = await rehearse({ strategy: 'crash-loop', nodes: 3 });
  expect(rehearsal).toMatchObject({ outcome: 'failed', serving: true });
  expect(rehearsal.missing).toContain('is not ready');
  expect(await rehearse({ strategy: 'relay' })).not.toHaveProperty('missing');
});

test.each([
  ['there is no strategy "pray"', { strategy: 'pray' }],
  ['0 nodes cannot be rehearsed', { nodes: 0 }],
  ['-1 is no seed', { seed: -1 }],
  ['there is no fault "flood"', { fault: { name: 'flood', step: 'stop' } }],
  ['there is no way "pray"', { afterwards: 'pray' }],
  ['no component is named', { components: [] }],
  ['"etcd"', { components: ['etcd'] }],
])('settings that mean nothing are refused: %s', async (message, settings) => {
  await expect(rehearse(settings as object)).rejects.toThrow(message);
});

test('an edit is that of the components that are named', async () => {
  const { failedRequests, steps } = await rehearse({ strategy: 'manifest-edit', components: ['kube-scheduler'] });
  expect(steps.map(({ name }) => name)).toEqual(['cp1/kube-scheduler/edit']);
  expect(failedRequests).toBe(0);
});

test.each([
  [{ strategy: 'magic' }, 'no strategy'],
  [{ nodes: 0 }, '0 nodes'],
  [{ nodes: 1.5 }, '1.5 nodes'],
  [{ nodes: 10 }, '10 nodes'],
  [{ seed: -1 }, 'no seed'],
  [{ components: ['etcd'] }, 'no component "etcd"'],
  [{ components: ['kube-scheduler', 'kube-scheduler'] }, 'twice'],
])('settings %j are a mistake', async (settings, message) => {
  await expect(rehearse(settings as never)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(message) as string,
  });
});

describe('a run that was stopped', () => {
  test.each(
    (['kill', 'power-cut'] as const).flatMap((name) =>
      (['resume', 'rollback'] as const).flatMap((afterwards) =>
        CONTROL_PLANE_COMPONENTS.map((component) => [name, afterwards, component] as const),
      ),
    ),
  )('by a %s comes to its end by %s, at whatever step of %s', async (name, afterwards, component) => {
    const components = [component];
    const { steps } = await rehearse({ components });
    for (const { name: step } of steps) {
      const rehearsal = await rehearse({ components, fault: { name, step }, afterwards });
      expect(rehearsal, step).toMatchObject({
        outcome: afterwards === 'resume' ? 'done' : 'undone',
        serving: true,
        lostWrites: 0,
        watch: { lost: 0 },
      });
      if (name === 'kill') expect(rehearsal.failedRequests, step).toBe(0);
      if (afterwards === 'rollback') expectNoHarm(rehearsal, step);
    }
  });

  test('after components before it had changed is brought back through them, also without any API', async () => {
    for (const afterwards of ['resume', 'rollback'] as const) {
      const fault = { name: 'power-cut', step: 'cp1/kube-scheduler/start' } as const;
      const rehearsal = await rehearse({ fault, afterwards });
      expect(rehearsal).toMatchObject({
        outcome: afterwards === 'resume' ? 'done' : 'undone',
        serving: true,
        lostWrites: 0,
      });
      // From the power cut to the return of whoever goes on, and the start of two servers.
      for (const { seconds } of rehearsal.outages) expect(seconds).toBeLessThan(60);
    }
  });
});

test('a power cut is survived for as long as the relay is on the disk; later the API is gone', async () => {
  for (const step of ['relay', 'redirect', 'stop', 'start', 'hand-back']) {
    const { outcome, serving, lostWrites } = await rehearse({ fault: { name: 'power-cut', step } });
    expect({ step, outcome, serving, lostWrites }).toEqual({ step, outcome: 'stopped', serving: true, lostWrites: 0 });
  }
  const late = await rehearse({ fault: { name: 'power-cut', step: 'remove-relay' } });
  expect(late).toMatchObject({ outcome: 'stopped', serving: false, lostWrites: 0 });
});

describe('manifests', () => {
  const root = fileURLToPath(new URL('../golden/manifests/', import.meta.url));
  const folders = readdirSync(root)
    .filter((version) => version.startsWith('v'))
    .flatMap((version) => readdirSync(root + version).map((name) => `${version}/${name}`));

  test.each(folders)('of kubeadm, %s, go through a relay without a failed request', async (folder) => {
    const names = readdirSync(root + folder);
    const manifests = Object.fromEntries(names.map((name) => [name, readFileSync(`${root}${folder}/${name}`, 'utf8')]));
    expect(await rehearse({ manifests })).toMatchObject({ outcome: 'done', failedRequests: 0, lostWrites: 0 });
  });

  test('of other static Pods beside them are run too, whatever they probe', async () => {
    const other = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'kube-vip', namespace: 'kube-system' },
      spec: {
        hostNetwork: true,
        containers: [{ name: 'vip', image: 'vip:1', livenessProbe: { httpGet: { port: 1234, path: '/x' } } }],
      },
    };
    const manifests = { ...STOCK, 'kube-vip.yaml': JSON.stringify(other) };
    expect(await rehearse({ manifests })).toMatchObject({ outcome: 'done', failedRequests: 0 });
  });

  test.each([
    ['that is missing', undefined, 'DOCUMENT_UNREADABLE'],
    ['that is empty', '', 'DOCUMENT_EMPTY'],
    ['that is no YAML', '{', 'DOCUMENT_SYNTAX'],
    ['that is of another component', STOCK['kube-apiserver.yaml'], 'COMPONENT_UNKNOWN'],
  ])('%s refuses the rehearsal before it begins', async (_, text, code) => {
    const { 'kube-scheduler.yaml': _scheduler, ...others } = STOCK;
    const manifests = text === undefined ? others : { ...others, 'kube-scheduler.yaml': text };
    const rehearsal = await rehearse({ manifests });
    expect(rehearsal).toMatchObject({ outcome: 'refused', simulatedSeconds: 0, requests: 0 });
    expect(rehearsal.problems).toEqual([
      expect.objectContaining({ code, file: '/etc/kubernetes/manifests/kube-scheduler.yaml' }),
    ]);
  });

  test('that no cluster comes up with refuse it, with what is missing', async () => {
    const manifests = { ...STOCK, 'etcd.yaml': STOCK['etcd.yaml']!.replaceAll('"etcd"', '"not-etcd"') };
    const rehearsal = await rehearse({ manifests });
    expect(rehearsal).toMatchObject({ outcome: 'refused', requests: 0 });
    expect(rehearsal.problems).toEqual([
      expect.objectContaining({
        code: 'CLUSTER_NOT_SERVING',
        message: expect.stringContaining('kube-apiserver-cp1 is not ready') as string,
      }),
    ]);
  });

  test('with a backup copy beside them refuse it, by the name of the copy', async () => {
    const manifests = { ...STOCK, 'a-backup.txt': STOCK['kube-apiserver.yaml']! };
    const { outcome, problems } = await rehearse({ manifests });
    expect(outcome).toBe('refused');
    expect(problems).toEqual([
      expect.objectContaining({ code: 'MANIFEST_DUPLICATE', file: '/etc/kubernetes/manifests/a-backup.txt' }),
    ]);
  });

  test('that cannot be read refuse it, and other files are passed over with a warning', async () => {
    const { 'kube-scheduler.yaml': _scheduler, ...manifests } = STOCK;
    const error = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    const refused = await rehearse({ manifests, unreadable: { 'kube-scheduler.yaml': error } });
    expect(refused.problems).toEqual([
      expect.objectContaining({ severity: 'error', message: 'The manifest cannot be read: permission denied.' }),
    ]);
    const warned = await rehearse({ manifests: STOCK, unreadable: { 'picture.png': error } });
    expect(warned.outcome).toBe('done');
    expect(warned.problems).toEqual([
      expect.objectContaining({ severity: 'warning', file: '/etc/kubernetes/manifests/picture.png' }),
    ]);
  });

  test('that hold no Pod are passed over with a warning', async () => {
    const list = 'apiVersion: v1\nkind: PodList\nitems: []\n';
    const { problems, outcome } = await rehearse({
      manifests: { ...STOCK, 'list.yaml': list, 'empty.yaml': '', '.hidden': list },
    });
    expect(outcome).toBe('done');
    expect(problems.map(({ file, severity, message }) => [file, severity, message])).toEqual([
      ['/etc/kubernetes/manifests/empty.yaml', 'warning', 'The file holds no Pod, and the kubelet passes it over.'],
      ['/etc/kubernetes/manifests/list.yaml', 'warning', 'The file holds no Pod, and the kubelet passes it over.'],
    ]);
  });
});
