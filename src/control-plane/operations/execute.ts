import type { Host } from '../../cluster/host.ts';
import { BootlaceError } from '../../core/errors.ts';
import { nextOf } from '../journal/journal.ts';
import { beginRun, continueRun, openJournal, pivotRecord, rollBackOffline } from '../journal/runs.ts';
import { explain, StepError, type StepListener, type StepsOutcome } from '../strategies/steps.ts';
import type { Change } from './change.ts';
import { planChange, strategyOf, type Plan, type Planned } from './plan.ts';
import type { PlacedProblem, Station } from './station.ts';

export interface RunOptions {
  /** Hears of progress. Default: nobody does. */
  readonly onEvent?: StepListener;
  /** Asked between two steps: the run ends there with its journal open. Default: never. */
  readonly isStopping?: () => boolean;
}

export interface ExecuteOptions extends RunOptions {
  /** Of the run, told apart from others by it alone. */
  readonly id: string;
  /** A plan that was made before: refused where it is not what would be planned now. Default: none. */
  readonly plan?: Plan;
}

/**
 * How a change ended. `refused` means that nothing was changed, `interrupted` that somebody asked it to stop before anything
 * was, `stopped` that a journal is open.
 */
export type RunOutcome = StepsOutcome | 'refused' | 'interrupted';

export interface RunResult {
  readonly outcome: RunOutcome;
  readonly problems: readonly PlacedProblem[];
  /** Why it was refused while it began, or could not go on. */
  readonly reason?: string;
  /** That it is done and the cluster hosts the control plane of this node: nothing on its disk starts the API server. */
  readonly isHosted?: true;
}

/**
 * Changes the control plane of this node: plans, and where nothing refuses it carries the plan out, with its way back.
 */
export async function executeChange(station: Station, change: Change, options: ExecuteOptions): Promise<RunResult> {
  const planned = await planChange(station, change);
  return executePlanned(station, planned, options);
}

/** Carries out what was just planned. */
export async function executePlanned(
  station: Station,
  { plan, context, steps }: Planned,
  { id, plan: given, onEvent = () => {}, isStopping = () => false }: ExecuteOptions,
): Promise<RunResult> {
  const stale = given === undefined ? [] : staleness(given, plan);
  const problems = [...stale, ...plan.problems];
  if (context === undefined || plan.verdict === 'refused' || stale.length > 0) return { outcome: 'refused', problems };
  if (isStopping()) return { outcome: 'interrupted', problems };
  try {
    const strategy = strategyOf(plan.change);
    const outcome = await beginRun({ context, strategy, id, steps, onEvent, isStopping });
    return { ...(await ended(station, outcome)), problems };
  } catch (error) {
    return { ...(await failed(station, error)), problems };
  }
}

/**
 * Goes on with the run that is open on this node, or takes it back; without an open run `rollback` takes back the pivot of
 * the node. `rollback-offline` goes by files and the container runtime alone, and `finish` removes what that has left in the
 * cluster.
 */
export async function goOn(
  { host, cluster, clock }: Station,
  way: 'resume' | 'rollback' | 'rollback-offline' | 'finish',
  { onEvent = () => {}, isStopping = () => false }: RunOptions = {},
): Promise<RunResult> {
  const node = { host, cluster, clock, onEvent, log: () => {} };
  try {
    if (way === 'finish') await requirePending(host);
    const outcome =
      way === 'rollback-offline'
        ? await rollBackOffline(node)
        : await continueRun({ ...node, way: way === 'resume' ? 'resume' : 'rollback', isStopping });
    return { ...(await ended({ host }, outcome)), problems: [] };
  } catch (error) {
    return { ...(await failed({ host, cluster, clock }, error)), problems: [] };
  }
}

async function ended({ host }: Pick<Station, 'host'>, outcome: RunOutcome): Promise<Omit<RunResult, 'problems'>> {
  if (outcome !== 'done') return { outcome };
  // A record that cannot be read is one that is there.
  const isHosted = await pivotRecord(host).then(
    (record) => record !== undefined,
    () => true,
  );
  return { outcome, ...(isHosted && { isHosted }) };
}

async function requirePending(host: Host): Promise<void> {
  const journal = await openJournal(host);
  if (journal?.direction === 'back' && (journal.offline !== undefined || nextOf(journal).do === 'nothing')) return;
  throw new StepError('RUN_MISSING', 'Nothing is left in the cluster of a way back that was gone without an API.');
}

/** What was thrown before a step began, or between two: nothing is lost where no journal is open. */
async function failed({ host }: Station, error: unknown): Promise<Pick<RunResult, 'outcome' | 'reason'>> {
  if (!(error instanceof BootlaceError) && !isFileError(error)) throw error;
  const isRefusal = error instanceof StepError && REFUSALS.has(error.code);
  const isOpen = await openJournal(host).then(
    (journal) => journal !== undefined,
    () => true,
  );
  return { outcome: isRefusal || !isOpen ? 'refused' : 'stopped', reason: explain(error) };
}

const REFUSALS: ReadonlySet<string> = new Set(['RUN_OPEN', 'RUN_HELD', 'RUN_MISSING', 'JOURNAL_UNREADABLE']);

function isFileError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}

function staleness(given: Plan, now: Plan): readonly PlacedProblem[] {
  if (given.fingerprint === now.fingerprint) return [];
  const what =
    given.node === now.node
      ? 'The manifests, the cluster or bootlace have changed since the plan was made.'
      : `The plan is of ${given.node}, and this is ${now.node}.`;
  return [
    {
      severity: 'error',
      code: 'PLAN_STALE',
      path: '/fingerprint',
      message: what,
      hint: 'Make a new plan, and look at it before you use it.',
      place: 'plan',
    },
  ];
}
