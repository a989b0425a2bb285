import type { StepsOutcome, Step, StepEvent, StepListener } from '../strategies/steps.ts';
import { explain, isApiAway } from '../strategies/steps.ts';
import { nextOf, turnedBack, withState, type Journal } from './journal.ts';

/** Where a journal is kept. */
export interface Keeper {
  /** Ends when it would survive a power cut. */
  save(journal: Journal): Promise<void>;
  /** Closes it: the run has come to its end. */
  close(journal: Journal, outcome: 'done' | 'undone'): Promise<void>;
}

export interface CarryOnSettings {
  readonly journal: Journal;
  readonly steps: readonly Step[];
  readonly keeper: Keeper;
  readonly onEvent: StepListener;
  /** Asked between two steps: the run ends there with its journal open. Default: never. */
  readonly isStopping?: () => boolean;
  /** Whether an API server is on the node, so that no way back has to bring one. Default: no. */
  readonly hasServer?: () => Promise<boolean>;
}

/**
 * Carries a run on from where its journal says that it is, and writes down each step before it begins and when it has
 * ended. Forward until every step is done; when one fails, back until everything is taken back. Going back needs no
 * journal: where it cannot be written any more, as on a full disk, the way back goes on without.
 *
 * A step without a way back ends that, and so does one whose way back fails; then the journal stays. Where that is for
 * want of an API, and no server is on the node, it is put off: the way back of an earlier step may be what brings the API
 * back. Where there is a server it is not: steps that are taken back in another order leave two definitions of a component
 * that want one port, and whoever comes later cannot know it.
 */
export async function carryOn({
  journal,
  steps,
  keeper,
  onEvent,
  isStopping = () => false,
  hasServer = async () => false,
}: CarryOnSettings): Promise<StepsOutcome> {
  const tell = guarded(onEvent);
  const putOff = new Set<string>();
  let current = journal;

  async function save(next: Journal): Promise<void> {
    if (next.direction === 'back') return saveIfPossible(next);
    current = next;
    return keeper.save(next);
  }

  /** What is done may be done again: that it is not written down stops nothing until the next step wants to begin. */
  async function saveIfPossible(next: Journal): Promise<void> {
    current = next;
    try {
      await keeper.save(next);
    } catch {
      return;
    }
  }

  /** A journal that stays says that the run is at its end, and going on with it closes it. */
  async function close(outcome: 'done' | 'undone'): Promise<void> {
    try {
      await keeper.close(current, outcome);
    } catch {
      return;
    }
  }

  async function run(step: Step): Promise<void> {
    try {
      await save(withState(current, step.name, 'begun'));
      tell({ type: 'started', step });
      await step.run();
    } catch (error) {
      tell({ type: 'failed', step, reason: explain(error) });
      return save(turnedBack(current));
    }
    await saveIfPossible(withState(current, step.name, 'done'));
    tell({ type: 'done', step });
  }

  async function undo(step: Step): Promise<boolean> {
    if (step.undo === undefined) return false;
    await save(withState(current, step.name, 'undoing'));
    tell({ type: 'undoing', step });
    try {
      if (!isCovered(current, step)) await step.undo();
    } catch (error) {
      tell({ type: 'undo-failed', step, reason: explain(error) });
      const isSecond = putOff.has(step.name);
      putOff.add(step.name);
      return isApiAway(error) && !isSecond && !(await hasServer());
    }
    putOff.delete(step.name);
    await save(withState(current, step.name, 'undone'));
    tell({ type: 'undone', step });
    return true;
  }

  for (;;) {
    const next = nextOf(current, putOff);
    if (next.do === 'nothing') {
      const outcome = current.direction === 'forward' ? 'done' : 'undone';
      await close(outcome);
      return outcome;
    }
    // Before the first step no journal is open, and nobody could go on.
    if (current.steps.some(({ state }) => state !== 'open') && isStopping()) return 'stopped';
    const step = steps.find(({ name }) => name === next.step)!;
    if (next.do === 'run') await run(step);
    else if (!(await undo(step))) return 'failed';
  }
}

function isCovered({ steps }: Journal, { coveredBy }: Step): boolean {
  return steps.some(({ name, state }) => name === coveredBy && state === 'undone');
}

/**
 * Brings back what a reboot has taken from what was done: packets go where the journal says that they go. The last step that
 * is done knows what that is. Says whether there is one.
 */
export async function restoreVolatile({ steps: records }: Journal, steps: readonly Step[]): Promise<boolean> {
  const isDone = (name: string): boolean => records.some((record) => record.name === name && record.state === 'done');
  const last = steps.findLast((step) => step.restore !== undefined && isDone(step.name));
  await last?.restore?.();
  return last !== undefined;
}

function guarded(listener: StepListener): StepListener {
  return (event: StepEvent) => {
    try {
      listener(event);
    } catch {
      // What could not be shown is in the outcome all the same.
    }
  };
}
