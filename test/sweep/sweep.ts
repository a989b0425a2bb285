import { ClusterError } from '../../src/cluster/api.ts';
import type { Host } from '../../src/cluster/host.ts';
import { parseJournal } from '../../src/control-plane/journal/journal.ts';
import { beginRun, continueRun, JOURNAL } from '../../src/control-plane/journal/runs.ts';
import { isServing } from '../../src/control-plane/strategies/waits.ts';
import type { StepEvent, StepsOutcome } from '../../src/control-plane/strategies/steps.ts';
import type { StrategyName } from '../../src/control-plane/strategies/strategies.ts';
import {
  createSimulatedCluster,
  fileError,
  startTraffic,
  type ClusterCall,
  type ClusterFault,
  type Faults,
  type HostAction,
  type SimulatedCluster,
} from '../../src/testing/index.ts';
import { plan, run } from '../support/strategy-run.ts';
import {
  firstFaults,
  secondFaults,
  stops,
  subjectOf,
  type Asked,
  type Case,
  type Change,
  type Ground,
  type Recording,
  type Trouble,
  type Way,
} from './cases.ts';
import {
  before,
  expectedOf,
  isOpen,
  isPivoted,
  wrongAtEnd,
  wrongServers,
  wrongStatus,
  wrongTraffic,
  type Expected,
} from './checks.ts';

/** How long a node without power stays so, and how long it takes until somebody goes on with a run: milliseconds. */
const POWER_OFF = 10_000;
const ABSENCE = 30_000;
/** In which nothing is to happen any more, and longest time until what starts has started. */
const QUIET = 20_000;
const AFTERMATH = 240_000;
/** Longest time that a stage may take. */
const LONGEST = 60 * 60_000;
/** Milliseconds between two writes of a client. */
const INTERVAL = 200;

const STRATEGY: Readonly<Record<Change, StrategyName>> = {
  pivot: 'relay',
  rollback: 'relay',
  roll: 'roll',
  'roll-hosted': 'roll',
  'crash-loop': 'crash-loop',
};

/** How a stage ended: as a run does, by somebody who stopped it, or not begun at all. */
export type StageOutcome = StepsOutcome | 'killed' | 'refused';

export interface Result {
  /** Of each stage, the last one that had to be added to come to an end. */
  readonly outcomes: readonly StageOutcome[];
  /** Each thing that is not as it has to be, as a line. */
  readonly wrong: readonly string[];
}

/** A cluster in the state in which the run begins. */
async function ready({ change, nodes }: Ground, seed: number): Promise<SimulatedCluster> {
  const cluster = createSimulatedCluster({ seed, controlPlanes: nodes });
  await cluster.start();
  if (change === 'rollback' || change === 'roll-hosted') {
    const outcome = await run(cluster, { isWhole: true });
    if (outcome !== 'done') throw new Error(`The pivot before it is ${outcome}.`);
    await cluster.clock.sleep(QUIET);
  }
  return cluster;
}

/** What sees, and may stop, what a stage does. */
interface Watcher {
  readonly faults: Required<Faults>;
  readonly onEvent: (event: StepEvent) => void;
  /** Called before a change of the journal and after it. */
  readonly onWrite: (when: 'before' | 'after') => void;
}

interface StageSettings {
  readonly ground: Ground;
  readonly way: Way;
  readonly watch: (stop: (isPowerCut: boolean) => void) => Watcher;
}

async function stage(cluster: SimulatedCluster, { ground, way, watch }: StageSettings): Promise<StageOutcome> {
  const stopped = Promise.withResolvers<StageOutcome>();
  let kill = (): void => {};
  const watcher = watch((isPowerCut) => {
    kill();
    if (isPowerCut) {
      const node = cluster.node('cp1');
      node.cutPower();
      cluster.clock.at(cluster.clock.now() + POWER_OFF, () => node.boot());
    }
    stopped.resolve('killed');
  });
  const { faults, onEvent } = watcher;
  const on = (host: Host): Host => withWrites(host, watcher);
  // It holds no clock: a stage that ends is not waited for any longer.
  const callOff = cluster.clock.at(cluster.clock.now() + LONGEST, () => stopped.reject(new Error('It never ends.')));

  async function begun(): Promise<StageOutcome> {
    if (way === 'begin' && ground.change !== 'rollback') {
      const strategy = STRATEGY[ground.change];
      const { context, steps, login } = await plan(cluster, { strategy, isWhole: true, on, faults });
      kill = () => login.kill();
      return beginRun({ context, strategy, id: 'sweep', steps, onEvent });
    }
    const login = cluster.login('cp1', faults);
    kill = () => login.kill();
    const { host, cluster: api, clock } = login;
    return continueRun({
      host: on(host),
      cluster: api,
      clock,
      way: way === 'begin' ? 'rollback' : way,
      onEvent,
      log: () => {},
    });
  }

  try {
    return await Promise.race([begun().catch(refusal), stopped.promise]);
  } finally {
    callOff();
  }
}

/** Something that a run may throw; anything else is a mistake in it. */
function refusal(error: unknown): 'refused' {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) throw error;
  return 'refused';
}

/** A host that says when its journal changes. */
function withWrites(host: Host, { onWrite }: Watcher): Host {
  const { files } = host;
  async function around(path: string, change: () => Promise<void>): Promise<void> {
    if (path !== JOURNAL) return change();
    onWrite('before');
    await change();
    onWrite('after');
  }
  return {
    ...host,
    files: {
      ...files,
      write: (path, text) => around(path, () => files.write(path, text)),
      move: (from, to) => around(from, () => files.move(from, to)),
      remove: (path) => around(path, () => files.remove(path)),
    },
  };
}

/** Where a stage is, by what it tells. */
function phases() {
  let phase = 'begin';
  const numbers = new Map<string, number>();
  return {
    get now() {
      return phase;
    },
    follow({ type, step: { name } }: StepEvent): void {
      const own = { started: name, done: `after ${name}`, failed: `failed ${name}` };
      const back = { undoing: `undo ${name}`, undone: `after undo ${name}`, 'undo-failed': `failed undo ${name}` };
      phase = { ...own, ...back }[type];
    },
    /** Name of the next change of the journal. */
    nextWrite(): string {
      const number = (numbers.get(phase) ?? 0) + 1;
      numbers.set(phase, number);
      return number === 1 ? phase : `${phase} ${number}`;
    },
  };
}

/** What a stage asks for, with nothing that goes wrong. */
async function recorded(cluster: SimulatedCluster, ground: Ground, way: Way): Promise<Recording> {
  const asked = new Map<string, Asked>();
  const writes: string[] = [];
  const begins = new Map<string, number>();
  const steps: { phase: string; milliseconds: number }[] = [];
  const place = phases();
  const note = (one: Asked): undefined => {
    const key = `${one.phase} ${subjectOf(one)}`;
    if (!asked.has(key)) asked.set(key, one);
    return undefined;
  };
  await stage(cluster, {
    ground,
    way,
    watch: () => ({
      faults: {
        api: ({ verb, kind, name }) => note({ phase: place.now, call: { verb, kind, name } }),
        host: (action) => note({ phase: place.now, action }),
      },
      onEvent: (event) => {
        const { now: last } = place;
        const at = cluster.clock.now();
        place.follow(event);
        const begin = begins.get(last);
        if (begin !== undefined) steps.push({ phase: last, milliseconds: at - begin });
        begins.delete(last);
        if (event.type === 'started' || event.type === 'undoing') begins.set(place.now, at);
      },
      onWrite: (when) => {
        if (when === 'before') writes.push(place.nextWrite());
      },
    }),
  });
  return { asked: [...asked.values()], writes, steps };
}

/** Something that is about to go wrong in a stage. */
function troubled(
  cluster: SimulatedCluster,
  trouble: Trouble | undefined,
  stop: (isPowerCut: boolean) => void,
): Watcher {
  const place = phases();
  let hasBegun = false;
  let write = '';

  function isNow(isSame: boolean, extent: 'once' | 'for ever', phase: string): boolean {
    if (!isSame || (hasBegun ? extent === 'once' : place.now !== phase)) return false;
    hasBegun = true;
    return true;
  }

  function api(call: ClusterCall): ClusterFault | undefined {
    if (trouble?.type !== 'api') return undefined;
    const { call: wanted, code, when, extent, phase } = trouble;
    const isSame =
      wanted === undefined || (call.verb === wanted.verb && call.kind === wanted.kind && call.name === wanted.name);
    return isNow(isSame, extent, phase) ? { error: new ClusterError(code, 'a fault'), when } : undefined;
  }

  function host({ verb, subject }: HostAction): Error | undefined {
    if (trouble?.type !== 'host') return undefined;
    const { action, error, extent, phase } = trouble;
    const isFull = hasBegun && error === 'ENOSPC' && (verb === 'write' || verb === 'save');
    const isSame = isFull || (action.verb === verb && action.subject === subject);
    if (!isNow(isSame, extent, phase)) return undefined;
    return error === 'CRI' ? new Error('rpc error: code = Unavailable') : fileError(error, verb, subject);
  }

  return {
    faults: { api, host },
    onEvent: (event) => {
      place.follow(event);
      if (hasBegun || trouble === undefined || !('after' in trouble) || trouble.phase !== place.now) return;
      hasBegun = true;
      const { clock } = cluster;
      if (trouble.after === 0) stop(trouble.type === 'power-cut');
      else clock.at(clock.now() + trouble.after, () => stop(trouble.type === 'power-cut'));
    },
    onWrite: (when) => {
      if (when === 'before') write = place.nextWrite();
      if (trouble !== undefined && 'write' in trouble && trouble.write === write && trouble.when === when) stop(false);
    },
  };
}

/** Every case of a change, in the order of their names. */
export async function casesOn(ground: Ground, seed: number): Promise<readonly Case[]> {
  const recording = await recorded(await ready(ground, seed), ground, 'begin');
  const first = firstFaults(ground, recording);
  if (ground.change === 'crash-loop' || ground.nodes > 1) return first;
  const continued = [];
  for (const one of stops(ground, recording)) {
    const cluster = await ready(ground, seed);
    await stage(cluster, { ground, way: 'begin', watch: (stop) => troubled(cluster, one.first, stop) });
    await cluster.clock.sleep(ABSENCE);
    continued.push({ ...one, recording: await recorded(cluster, ground, one.way) });
  }
  return [...first, ...secondFaults(ground, continued)];
}

/** Carries a case out, and says what is not as it has to be. */
export async function carryOut({ ground, stages, kind }: Case, seed: number): Promise<Result> {
  const cluster = await ready(ground, seed);
  const known = before(cluster);
  const traffic = startTraffic(cluster, { interval: INTERVAL });
  const outcomes: StageOutcome[] = [];
  const wrong: string[] = [];
  const hasPowerCut = stages.some(({ trouble }) => trouble?.type === 'power-cut');
  const isOld = ground.change === 'crash-loop';
  let tookPivotBack = false;

  async function go(way: Way, trouble?: Trouble): Promise<StageOutcome> {
    if (outcomes.length > 0) await cluster.clock.sleep(ABSENCE);
    tookPivotBack = way === 'rollback' && !isOpen(cluster);
    const outcome = await stage(cluster, { ground, way, watch: (stop) => troubled(cluster, trouble, stop) });
    outcomes.push(outcome);
    return outcome;
  }

  try {
    let outcome: StageOutcome = 'refused';
    for (const { way, trouble } of stages) outcome = await go(way, trouble);
    await cluster.clock.sleep(QUIET);
    if (isOld) {
      wrong.push(...(await wrongOld(cluster)));
    } else {
      if (outcome === 'failed' || outcome === 'killed' || isOpen(cluster)) {
        if (outcome === 'failed' && !isOpen(cluster) && !isPivoted(cluster))
          wrong.push('it failed, and nothing tells of it');
        if (!(await isServing(cluster.connect()))) wrong.push(`it is ${outcome}, and the API does not serve`);
        wrong.push(...(await wrongStatus(cluster)));
        const isOver = outcome === 'done' || outcome === 'undone';
        const next = await go(isOver ? 'resume' : 'rollback');
        if (next !== (isOver ? outcome : 'undone')) wrong.push(`it is ${outcome}, and going on makes it ${next}`);
        outcome = next;
        await cluster.clock.sleep(QUIET);
      }
      if (isOpen(cluster)) wrong.push('the journal is open');
      if (!(await cluster.settle(AFTERMATH))) wrong.push(`it does not settle: ${cluster.missing()}`);
      const ends = endsOf(ground, outcome, tookPivotBack).map((end) => wrongAtEnd(cluster, ground, known, end));
      wrong.push(...ends.toSorted((one, other) => one.length - other.length)[0]!, ...(await wrongStatus(cluster)));
    }
  } catch (error) {
    wrong.push(`it broke: ${String(error)}`);
  }
  const report = await traffic.stop();
  wrong.push(...wrongTraffic(report, hasPowerCut || isOld));
  if (!isOld) wrong.push(...wrongServers(cluster, known, hasPowerCut));
  if (kind === 'no fault' && outcomes.length > 1) wrong.push('it does not end by itself');
  return { outcomes, wrong };
}

/** Ways in which the cluster may be at the end: who was stopped as a run began or ended does not know which of two it is. */
function endsOf(ground: Ground, outcome: StageOutcome, tookPivotBack: boolean): readonly Expected[] {
  if (ground.change === 'roll-hosted' && tookPivotBack && outcome === 'undone')
    return [
      { runs: 'static', version: 'former' },
      { runs: 'static', version: 'new' },
    ];
  if (outcome === 'done' || outcome === 'undone') return [expectedOf(ground, outcome)];
  return [expectedOf(ground, 'undone'), expectedOf(ground, 'done')];
}

/**
 * kubeadm's algorithm has no way back: somebody puts the manifests of the journal where they were, when nothing serves.
 */
async function wrongOld(cluster: SimulatedCluster): Promise<readonly string[]> {
  const serves = async (): Promise<boolean> => {
    const deadline = cluster.clock.now() + AFTERMATH;
    while (!(await isServing(cluster.connect()))) {
      if (cluster.clock.now() > deadline) return false;
      await cluster.clock.sleep(1000);
    }
    return true;
  };
  if (await serves()) return [];
  const { disk } = cluster.node('cp1');
  const journal = parseJournal(disk.read(JOURNAL) ?? '');
  if (journal === undefined) return ['the API does not serve, and no journal holds the manifests'];
  for (const { path, text } of Object.values(journal.manifests)) disk.write(path, text);
  return (await serves()) ? [] : ['the API does not serve, with its manifests either'];
}
