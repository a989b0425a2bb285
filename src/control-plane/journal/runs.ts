import type { Cluster } from '../../cluster/api.ts';
import type { Host } from '../../cluster/host.ts';
import type { Clock } from '../../core/clock.ts';
import { parseManifest } from '../manifest.ts';
import { CONTROL_PLANE_COMPONENTS } from '../selfhosting/labels.ts';
import type { ManifestFile, StrategyContext } from '../strategies/context.ts';
import { StepError, type Step, type StepEvent, type StepListener, type StepsOutcome } from '../strategies/steps.ts';
import { textOf } from '../strategies/static-pods.ts';
import { STRATEGIES, STRATEGY_NAMES, type StrategyName } from '../strategies/strategies.ts';
import { hasServer, isListening } from '../strategies/waits.ts';
import { carryOn, restoreVolatile, type Keeper } from './carry-on.ts';
import { createAnnouncer, type Announcer } from './in-cluster.ts';
import { finishOffline, takeBackOffline } from './offline.ts';
import { parseJournal, printJournal, turnedBack, type Journal, type KeptManifest } from './journal.ts';

/** Where the journal of a node lies: beside what its run keeps, and out of the kubelet's sight. */
export const JOURNAL = '/etc/kubernetes/bootlace/journal.json';

/** The journal of a pivot that is done, which the way back goes by. */
export const PIVOT_RECORD = '/etc/kubernetes/bootlace/pivot.json';

export interface RunSettings {
  readonly context: StrategyContext;
  readonly strategy: StrategyName;
  readonly id: string;
  /** As they were planned. */
  readonly steps: readonly Step[];
  readonly onEvent: StepListener;
  /** Asked between two steps: the run ends there with its journal open. Default: never. */
  readonly isStopping?: () => boolean;
}

/**
 * Begins a run with the steps that were planned, and carries it to its end.
 *
 * @throws StepError with code `RUN_OPEN` where another run on this node has not come to its end: its journal holds what its
 * way back needs; with code `RUN_HELD` where one on another node has not.
 */
export async function beginRun({ context, strategy, id, steps, onEvent, ...rest }: RunSettings): Promise<StepsOutcome> {
  const { host, cluster, clock } = context;
  const other = await openJournal(host);
  if (other !== undefined)
    throw new StepError(
      'RUN_OPEN',
      `The run ${other.id} on this node has not come to its end: ${JOURNAL} tells of it.`,
    );
  if (strategy === 'relay' && (await pivotRecord(host)) !== undefined)
    throw new StepError('RUN_OPEN', `This node is pivoted: ${PIVOT_RECORD} tells of it. Take that back first.`);
  const announcer = createAnnouncer({ cluster, clock, nodeName: host.nodeName, now: await timeOf(host, clock), id });
  const journal = journalOf(context, strategy, id, steps);
  // Before the Lease: who is stopped between the two finds a run that has done nothing, and gives the Lease back with it.
  await host.files.write(JOURNAL, printJournal(journal));
  try {
    await announcer.acquire();
  } catch (error) {
    const isHeld = error instanceof StepError && error.code === 'RUN_HELD';
    // It may have been taken although nobody heard of it.
    if (isHeld || (await announcer.release())) await host.files.remove(JOURNAL);
    throw error;
  }
  return carried({ journal, steps, announcer, host, onEvent, ...rest });
}

/** What time it is on the node, for as long as a run lasts. */
async function timeOf(host: Host, clock: Clock): Promise<() => number> {
  const start = clock.now();
  // Only what the cluster is told has it; no way back is to wait for a clock.
  const now = await host.facts().then(
    (facts) => facts.now,
    () => start,
  );
  return () => now + clock.now() - start;
}

interface Carried {
  readonly journal: Journal;
  readonly steps: readonly Step[];
  readonly host: Host;
  readonly announcer: Announcer;
  readonly onEvent: StepListener;
  readonly isStopping?: () => boolean;
}

async function carried({ host, announcer, onEvent, ...rest }: Carried): Promise<StepsOutcome> {
  // Nothing of the run waits for what the cluster is told, but its end.
  let told: Promise<void> = Promise.resolve();
  const outcome = await carryOn({
    ...rest,
    keeper: keeperOn(host, announcer),
    // Where that cannot be told nobody goes on as if there were none.
    hasServer: () => hasServer({ ...rest.journal, host }).catch(() => true),
    onEvent: (event: StepEvent) => {
      onEvent(event);
      told = told.then(() => announcer.tell(event));
    },
  });
  await told;
  return outcome;
}

export interface Continuation {
  readonly host: Host;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /**
   * `resume` goes on in the direction that the run had, `rollback` takes back what it did; where no run is open it takes
   * back the pivot of this node.
   */
  readonly way: 'resume' | 'rollback';
  readonly onEvent: StepListener;
  readonly log: (message: string) => void;
  readonly isStopping?: () => boolean;
}

/**
 * Goes on with the run that the journal of this node tells of, or takes it back. It needs the files of the node and no API.
 *
 * @throws StepError with code `RUN_MISSING` where there is no journal, or `JOURNAL_UNREADABLE` where there is none that
 * can be read.
 */
export async function continueRun({ way, onEvent, isStopping, ...node }: Continuation): Promise<StepsOutcome> {
  const { host, cluster, clock } = node;
  const journal = await journalFor(host, way);
  const steps = await stepsOf(journal, node);
  const announcer = createAnnouncer({
    cluster,
    clock,
    nodeName: host.nodeName,
    now: await timeOf(host, clock),
    id: journal.id,
  });
  if (journal.offline !== undefined) {
    const takeBack = (): Promise<boolean> => takeBackOffline(journal, steps, onEvent);
    const finish = (): Promise<boolean> => finishOffline(journal, steps, onEvent);
    const isBack = journal.offline === 'done' || (await takeBack());
    // What the cluster hosts may be what keeps a static Pod from its port.
    if (!(await finish()) || !(isBack || (await takeBack()))) return 'failed';
    await keeperOn(host, announcer).close(journal, 'undone');
    return 'undone';
  }
  // What is brought back before the first step leaves a trace, should that be as far as it comes.
  if (journal.direction === 'back') await saveIfPossible(host.files, journal);
  const isBeginning = journal.direction === 'forward' && journal.steps.every(({ state }) => state === 'open');
  if (isBeginning) await announcer.acquire();
  if (!(await restoreVolatile(journal, steps))) await reviveHosted(journal, node);
  return carried({ journal, steps, announcer, host, onEvent, ...(isStopping && { isStopping }) });
}

/**
 * Takes back what a run did to the node, by its files and the container runtime alone: for when no API is to be had. What
 * is left in the cluster is removed by going on with `rollback` once there is one, and the journal stays until then.
 * `failed` where something does not come up; it may be tried again.
 *
 * @throws StepError with code `RUN_MISSING` where there is nothing to take back, `STEP_FAILED` for a roll of what the cluster
 * hosts, which needs an API.
 */
export async function rollBackOffline({
  onEvent,
  ...node
}: Omit<Continuation, 'way' | 'isStopping'>): Promise<StepsOutcome> {
  const { files } = node.host;
  const journal = await journalFor(node.host, 'rollback');
  const steps = await stepsOf(journal, node);
  const states = new Map(journal.steps.map(({ name, state }) => [name, state]));
  const stuck = steps.find(({ name, needsApi }) => needsApi && !['open', 'undone'].includes(states.get(name)!));
  if (stuck !== undefined)
    throw new StepError(
      'STEP_FAILED',
      `${stuck.name} cannot be taken back without an API: nothing on the node starts again what the cluster hosts.`,
    );
  await saveIfPossible(files, { ...journal, offline: 'begun' });
  if (!(await takeBackOffline(journal, steps, onEvent))) return 'failed';
  await saveIfPossible(files, { ...journal, offline: 'done' });
  return 'undone';
}

/**
 * A roll of what the cluster hosts goes neither on nor back while nothing on the node starts the hosted server, as after a
 * reboot. Where none of its own steps knows how, the pivot of the node does.
 */
async function reviveHosted({ strategy }: Journal, node: Parameters<typeof contextOf>[1]): Promise<void> {
  const record = strategy === 'relay' ? undefined : await pivotRecord(node.host);
  if (record === undefined || (await isListening(node, record.server.port))) return;
  await restoreVolatile(record, await stepsOf(record, node));
}

/** A full disk must not keep anybody from going back. */
async function saveIfPossible(files: Host['files'], journal: Journal): Promise<void> {
  try {
    await files.write(JOURNAL, printJournal(journal));
  } catch {
    return;
  }
}

async function stepsOf(journal: Journal, node: Parameters<typeof contextOf>[1]): Promise<readonly Step[]> {
  const context = await contextOf(journal, node);
  const { steps } = STRATEGIES[strategyOf(journal)].plan(context);
  const isSame =
    steps.length === journal.steps.length && steps.every(({ name }, at) => name === journal.steps[at]!.name);
  if (isSame) return steps;
  throw new StepError(
    'JOURNAL_UNREADABLE',
    `${JOURNAL} is of a version of bootlace that took other steps. Go on with that one.`,
  );
}

async function journalFor(host: Host, way: Continuation['way']): Promise<Journal> {
  const open = await openJournal(host);
  if (open !== undefined) return way === 'rollback' ? turnedBack(open) : open;
  const done = way === 'rollback' ? await pivotRecord(host) : undefined;
  if (done !== undefined) return turnedBack(done);
  throw new StepError(
    'RUN_MISSING',
    way === 'rollback'
      ? 'There is nothing to take back: no run on this node is open, and it is not pivoted.'
      : `There is no run to go on with: ${JOURNAL} is not there.`,
  );
}

/** The journal of a run that has not come to its end; nothing where there is none. */
export function openJournal(host: Host): Promise<Journal | undefined> {
  return readJournal(host, JOURNAL);
}

/** The journal of the pivot of this node, if it is pivoted. */
export function pivotRecord(host: Host): Promise<Journal | undefined> {
  return readJournal(host, PIVOT_RECORD);
}

async function readJournal({ files }: Host, path: string): Promise<Journal | undefined> {
  let text: string;
  try {
    text = new TextDecoder().decode(await files.read(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const journal = parseJournal(text);
  if (journal !== undefined) return journal;
  throw new StepError('JOURNAL_UNREADABLE', `${path} is no journal that this version of bootlace can read.`);
}

function keeperOn(host: Host, announcer: Announcer): Keeper {
  const { files } = host;
  return {
    save: async (journal) => {
      await files.write(JOURNAL, printJournal(journal));
      await announcer.save(journal);
    },
    close: async (journal, outcome) => {
      // With the journal in place going on ends this later, and says until then that something is left.
      if (!(await announcer.release())) return;
      if (outcome === 'done' && journal.strategy === 'relay') return files.move(JOURNAL, PIVOT_RECORD);
      if (journal.strategy === 'relay') await files.remove(PIVOT_RECORD);
      else await renewPivotRecord(host, journal, outcome);
      return files.remove(JOURNAL);
    },
  };
}

/**
 * A hosted component that was rolled has another manifest to go back to, and one that was rolled back has the former one
 * again: the end of the roll may have come so far before somebody changed their mind.
 */
async function renewPivotRecord(
  host: Host,
  { manifests, definitions = {} }: Journal,
  outcome: 'done' | 'undone',
): Promise<void> {
  const record = await pivotRecord(host);
  if (record === undefined) return;
  const renewed = CONTROL_PLANE_COMPONENTS.map((component): readonly [string, KeptManifest] => {
    const { hosted, kept } = manifests[component];
    const pod = hosted && definitions[component];
    const text = outcome === 'undone' ? kept : pod && textOf(pod);
    return [component, { ...record.manifests[component], ...(text !== undefined && { text }) }];
  });
  if (CONTROL_PLANE_COMPONENTS.every((name, at) => renewed[at]![1].text === record.manifests[name].text)) return;
  await host.files.write(
    PIVOT_RECORD,
    printJournal({ ...record, manifests: Object.fromEntries(renewed) as Journal['manifests'] }),
  );
}

function journalOf(context: StrategyContext, strategy: StrategyName, id: string, steps: readonly Step[]): Journal {
  const { host, components, relayPort, manifestsDir, server, service, manifests } = context;
  const { definitions, hasSnapshot = false, kubeadmConfig } = context;
  const recorded = ({ source: _source, pod: _pod, ...kept }: ManifestFile): KeptManifest => kept;
  return {
    version: 1,
    id,
    strategy,
    node: host.nodeName,
    components,
    relayPort,
    manifestsDir,
    server,
    service,
    manifests: {
      'kube-apiserver': recorded(manifests['kube-apiserver']),
      'kube-controller-manager': recorded(manifests['kube-controller-manager']),
      'kube-scheduler': recorded(manifests['kube-scheduler']),
    },
    hasSnapshot,
    ...(kubeadmConfig && { kubeadmConfig }),
    ...(definitions && { definitions }),
    direction: 'forward',
    steps: steps.map(({ name }) => ({ name, state: 'open' })),
  };
}

function strategyOf({ strategy }: Journal): StrategyName {
  const known = STRATEGY_NAMES.find((name) => name === strategy);
  if (known !== undefined) return known;
  throw new StepError(
    'JOURNAL_UNREADABLE',
    `${JOURNAL} is of a strategy ${JSON.stringify(strategy)}, which is not known.`,
  );
}

/** What the run began with. What a plan refuses was found out then, and is not asked again. */
async function contextOf(
  { manifests, components, relayPort, manifestsDir, server, service, ...rest }: Journal,
  node: Pick<StrategyContext, 'host' | 'cluster' | 'clock' | 'log'>,
): Promise<StrategyContext> {
  const files: Record<string, ManifestFile> = {};
  for (const component of CONTROL_PLANE_COMPONENTS) {
    const kept = manifests[component];
    const { pod, source } = await parseManifest(kept.text);
    if (pod === undefined || source === undefined)
      throw new StepError('JOURNAL_UNREADABLE', `${JOURNAL} holds a manifest of ${component} that cannot be read.`);
    files[component] = { ...kept, pod, source };
  }
  return {
    ...node,
    manifests: files as Record<(typeof CONTROL_PLANE_COMPONENTS)[number], ManifestFile>,
    hasSnapshot: rest.hasSnapshot,
    ...(rest.kubeadmConfig && { kubeadmConfig: rest.kubeadmConfig }),
    ...(rest.definitions && { definitions: rest.definitions }),
    components,
    relayPort,
    manifestsDir,
    server,
    service,
    takenPorts: [],
    admitsRelay: 'yes',
  };
}
