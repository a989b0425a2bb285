import { describe, expect, test } from 'vitest';
import { startedCluster } from '../../../test/support/simulated.ts';
import { plan } from '../../../test/support/strategy-run.ts';
import { ClusterError, type SimulatedCluster } from '../../testing/index.ts';
import { beginRun, continueRun, openJournal } from './runs.ts';

const JOURNAL = '/etc/kubernetes/bootlace/journal.json';

/** A node on which a run was killed as it was about to stop the static scheduler. */
async function stopped(): Promise<SimulatedCluster> {
  const cluster = await startedCluster();
  const { context, steps, login } = await plan(cluster, { components: ['kube-scheduler'] });
  await new Promise<void>((resolve) => {
    void beginRun({
      context,
      strategy: 'relay',
      id: 'one',
      steps,
      onEvent: ({ type, step }) => {
        if (type !== 'started' || !step.name.endsWith('/stop')) return;
        login.kill();
        resolve();
      },
    });
  });
  return cluster;
}

function goOn(cluster: SimulatedCluster, way: 'resume' | 'rollback'): Promise<string> {
  const { host, cluster: api, clock } = cluster.login('cp1');
  return continueRun({ host, cluster: api, clock, way, onEvent: () => {}, log: () => {} });
}

/** A node on which a run was killed once its journal was written, before it took the Lease. */
async function stoppedBeforeLease(): Promise<SimulatedCluster> {
  const cluster = await startedCluster();
  let kill = (): void => {};
  const killed = Promise.withResolvers<void>();
  const { context, steps, login } = await plan(cluster, {
    components: ['kube-scheduler'],
    faults: {
      api: ({ verb, kind }) => {
        if (verb !== 'get' || kind !== 'Lease') return undefined;
        kill();
        killed.resolve();
        return undefined;
      },
    },
  });
  kill = () => login.kill();
  void beginRun({ context, strategy: 'relay', id: 'one', steps, onEvent: () => {} });
  await killed.promise;
  return cluster;
}

describe('the Lease of a run', () => {
  const lease = (cluster: SimulatedCluster) => cluster.find('Lease', 'kube-system', 'bootlace-control-plane');

  test('is taken by who goes on where the run was killed before it had it', async () => {
    const cluster = await stoppedBeforeLease();
    let isHeld = false;
    const { host, cluster: api, clock } = cluster.login('cp1');
    const onEvent = (): void => {
      isHeld ||= lease(cluster) !== undefined;
    };
    expect(await continueRun({ host, cluster: api, clock, way: 'resume', onEvent, log: () => {} })).toBe('done');
    expect(isHeld).toBe(true);
    expect(lease(cluster)).toBeUndefined();
  });

  test('is no matter of going back where the run was killed before it had it', async () => {
    const cluster = await stoppedBeforeLease();
    expect(await goOn(cluster, 'rollback')).toBe('undone');
    expect(cluster.node('cp1').disk.read(JOURNAL)).toBeUndefined();
  });

  test('is given back by a run that does not begin because nobody tells it that it has it', async () => {
    const cluster = await startedCluster();
    const { context, steps } = await plan(cluster, {
      components: ['kube-scheduler'],
      faults: {
        api: ({ verb, kind }) =>
          kind === 'Lease' && (verb === 'create' || verb === 'update')
            ? { error: new ClusterError('TIMEOUT', 'no answer in time'), when: 'after' }
            : undefined,
      },
    });
    await expect(beginRun({ context, strategy: 'relay', id: 'one', steps, onEvent: () => {} })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    expect(lease(cluster)).toBeUndefined();
    expect(cluster.node('cp1').disk.read(JOURNAL)).toBeUndefined();
  });
});

describe('a run that was stopped', () => {
  test('says where it is', async () => {
    const { host } = (await stopped()).login('cp1');
    expect(await openJournal(host)).toMatchObject({
      id: 'one',
      node: 'cp1',
      direction: 'forward',
      steps: [
        { name: 'cp1/prepare', state: 'done' },
        { name: 'cp1/kube-scheduler/standby', state: 'done' },
        { name: 'cp1/kube-scheduler/stop', state: 'begun' },
        { name: 'cp1/kube-scheduler/start', state: 'open' },
        { name: 'cp1/kube-scheduler/remove-standby', state: 'open' },
        { name: 'cp1/clean-up', state: 'open' },
      ],
    });
  });

  test('keeps another one from beginning', async () => {
    const cluster = await stopped();
    const { context, steps } = await plan(cluster, { components: ['kube-apiserver'] });
    await expect(beginRun({ context, strategy: 'relay', id: 'two', steps, onEvent: () => {} })).rejects.toMatchObject({
      code: 'RUN_OPEN',
      message: expect.stringContaining('The run one') as string,
    });
  });

  test.each([
    ['resume', 'done'],
    ['rollback', 'undone'],
  ] as const)('comes to its end by %s, and leaves no journal', async (way, outcome) => {
    const cluster = await stopped();
    expect(await goOn(cluster, way)).toBe(outcome);
    expect(cluster.node('cp1').disk.read(JOURNAL)).toBeUndefined();
    // A pivot that is done can still be taken back.
    await expect(goOn(cluster, 'resume')).rejects.toMatchObject({ code: 'RUN_MISSING' });
  });

  test('goes back also when it was resumed, once it has turned back', async () => {
    const cluster = await stopped();
    const { disk } = cluster.node('cp1');
    disk.write(JOURNAL, disk.read(JOURNAL)!.replace('"forward"', '"back"'));
    expect(await goOn(cluster, 'resume')).toBe('undone');
  });

  test.each<[string, (text: string) => string]>([
    ['is no journal', () => 'nothing'],
    ['has other steps', (text) => text.replace('cp1/clean-up', 'cp1/tidy-up')],
    ['has more steps', (text) => text.replace('"steps": [', '"steps": [{"name": "more", "state": "open"},')],
    ['is of an unknown strategy', (text) => text.replace('"relay"', '"magic"')],
    ['holds a manifest that is none', (text) => text.replaceAll('\\"kind\\": \\"Pod\\"', '\\"kind\\": \\"Job\\"')],
  ])('is not gone on with where its file %s', async (_, change) => {
    const cluster = await stopped();
    const { disk } = cluster.node('cp1');
    const before = disk.read(JOURNAL)!;
    const changed = change(before);
    expect(changed).not.toBe(before);
    disk.write(JOURNAL, changed);
    await expect(goOn(cluster, 'resume')).rejects.toMatchObject({ code: 'JOURNAL_UNREADABLE' });
    expect(disk.read(JOURNAL)).toBe(changed);
  });
});
