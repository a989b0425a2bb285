import { expect, test } from 'vitest';
import { ClusterError } from '../../src/cluster/api.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../../src/control-plane/index.ts';
import {
  fileError,
  startTraffic,
  type ClusterCall,
  type ClusterFault,
  type HostAction,
} from '../../src/testing/index.ts';
import { startedCluster } from '../support/simulated.ts';
import { keptOn, run } from '../support/strategy-run.ts';

// Every request and every action of a relay goes wrong once, in each way in which it can.
const READS: readonly string[] = ['get', 'list', 'watch', 'health'];

/** What a run without a fault asks for, each thing once. */
async function asked(components: readonly ControlPlaneComponent[]) {
  const calls = new Map<string, ClusterCall>();
  const actions = new Map<string, HostAction>();
  const faults = {
    api: (call: ClusterCall) => void calls.set(nameOf(call), call),
    host: (action: HostAction) => void actions.set(`${action.verb} ${action.subject}`, action),
  };
  expect(await run(await startedCluster(), { components, faults })).toBe('done');
  return { calls: [...calls], actions: [...actions.keys()] };
}

function nameOf({ verb, kind, name }: ClusterCall): string {
  return `${verb} ${kind} ${name}`;
}

/** Ways in which a request fails: on its way there, by its answer, and on its way back. */
function waysOf({ verb }: ClusterCall): readonly ClusterFault[] {
  const error = (code: 'UNREACHABLE' | 'UNAVAILABLE' | 'CONFLICT' | 'FORBIDDEN' | 'TIMEOUT'): ClusterError =>
    new ClusterError(code, 'a fault');
  const before = [error('UNREACHABLE'), error('UNAVAILABLE')];
  if (READS.includes(verb)) return before.map((one) => ({ error: one, when: 'before' }));
  return [
    ...[...before, error('CONFLICT'), error('FORBIDDEN')].map((one) => ({ error: one, when: 'before' }) as const),
    { error: error('TIMEOUT'), when: 'after' },
  ];
}

async function expectWell(components: readonly ControlPlaneComponent[], what: string, faults: object): Promise<void> {
  const cluster = await startedCluster();
  const traffic = startTraffic(cluster);
  // A journal that cannot be looked for keeps a run from beginning.
  const outcome = what.startsWith('read') && /(journal|pivot)\.json$/.test(what) ? 'refused' : 'done or undone';
  const made = await run(cluster, { components, faults }).catch(() => 'refused');
  expect(outcome === 'refused' ? ['refused'] : ['done', 'undone'], what).toContain(made);
  await cluster.clock.sleep(20_000);
  expect(await cluster.settle(120_000), what).toBe(true);
  const { failed, missing, watch } = await traffic.stop();
  expect({ failed, missing, lost: watch.lost }, what).toEqual({ failed: 0, missing: 0, lost: 0 });
  const [node] = cluster.nodes;
  const names = node!.pods.map(({ name }) => name);
  expect(
    names.some((name) => /relay|standby/.test(name)),
    what,
  ).toBe(false);
  expect(cluster.world.machines[0]!.redirect, what).toBeUndefined();
  expect(cluster.find('EndpointSlice', 'default', 'kubernetes-bootlace-cp1'), what).toBeUndefined();
  if (made !== 'done') {
    expect(
      names.filter((name) => name.startsWith('self-hosted')),
      what,
    ).toEqual([]);
    expect(keptOn(cluster), what).toEqual([]);
  }
}

test.each(CONTROL_PLANE_COMPONENTS)('any request of a change of %s may fail', async (component) => {
  const { calls } = await asked([component]);
  for (const [name, call] of calls) {
    for (const fault of waysOf(call)) {
      let isOver = false;
      const api = (made: ClusterCall): ClusterFault | undefined => {
        if (isOver || nameOf(made) !== name) return undefined;
        isOver = true;
        return fault;
      };
      await expectWell([component], `${name}: ${(fault.error as ClusterError).code} ${fault.when}`, { api });
    }
  }
});

test.each(CONTROL_PLANE_COMPONENTS)('any action of a change of %s on the node may fail', async (component) => {
  const { actions } = await asked([component]);
  for (const name of actions) {
    let isOver = false;
    const host = ({ verb, subject }: HostAction): Error | undefined => {
      if (isOver || `${verb} ${subject}` !== name) return undefined;
      isOver = true;
      return fileError('EIO', verb, subject);
    };
    await expectWell([component], name, { host });
  }
});
