import { reasonOf } from '../../core/redact.ts';
import { ClusterError } from '../../cluster/api.ts';
import { BootlaceError, type ClusterErrorCode, type StepErrorCode } from '../../core/errors.ts';

const AWAY: ReadonlySet<ClusterErrorCode> = new Set(['UNREACHABLE', 'TIMEOUT', 'UNAVAILABLE']);

/** One change of the control plane, with its proof and its way back. */
export interface Step {
  /** Such as `cp1/kube-apiserver/relay`. */
  readonly name: string;
  /** What it does, for people. */
  readonly title: string;
  /** Ends when what it did is proven. */
  run(): Promise<void>;
  /** Takes back what it did, wholly or in part, and ends when the state before it serves. Absent where there is no way back. */
  undo?(): Promise<void>;
}

/** How a run ended: `undone` means that what served before serves again. */
export type StepsOutcome = 'done' | 'undone' | 'failed';

export type StepEvent =
  | { readonly type: 'started' | 'done'; readonly step: Step }
  | { readonly type: 'failed'; readonly step: Step; readonly reason: string }
  | { readonly type: 'undoing' | 'undone'; readonly step: Step }
  | { readonly type: 'undo-failed'; readonly step: Step; readonly reason: string };

/** Hears of progress before the run goes on. What it throws changes nothing: half a change must not depend on who looks. */
export type StepListener = (event: StepEvent) => void;

/**
 * Runs steps one after the other. When one fails, it and those before it are taken back, last first; a step without a
 * way back ends that, and so does one whose way back fails. Where that is for want of an API it is put off: the way back
 * of an earlier step may be what brings the API back.
 */
export async function runSteps(steps: readonly Step[], onEvent: StepListener): Promise<StepsOutcome> {
  const tell = guarded(onEvent);
  for (const [index, step] of steps.entries()) {
    tell({ type: 'started', step });
    try {
      await step.run();
    } catch (error) {
      tell({ type: 'failed', step, reason: explain(error) });
      return undoSteps(steps.slice(0, index + 1), tell);
    }
    tell({ type: 'done', step });
  }
  return 'done';
}

async function undoSteps(steps: readonly Step[], tell: StepListener): Promise<'undone' | 'failed'> {
  const putOff: Step[] = [];
  for (const step of steps.toReversed()) {
    const result = await undoStep(step, tell);
    if (result === 'failed') return 'failed';
    if (result === 'put off') putOff.push(step);
  }
  for (const step of putOff) if ((await undoStep(step, tell)) !== 'undone') return 'failed';
  return 'undone';
}

async function undoStep(step: Step, tell: StepListener): Promise<'undone' | 'put off' | 'failed'> {
  if (step.undo === undefined) return 'failed';
  tell({ type: 'undoing', step });
  try {
    await step.undo();
  } catch (error) {
    tell({ type: 'undo-failed', step, reason: explain(error) });
    return isApiAway(error) ? 'put off' : 'failed';
  }
  tell({ type: 'undone', step });
  return 'undone';
}

function guarded(listener: StepListener): StepListener {
  return (event) => {
    try {
      listener(event);
    } catch {
      // What could not be shown is in the outcome all the same.
    }
  };
}

/** Whether an error, or what is behind it, says that no API server could be heard. */
function isApiAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isAway = error instanceof ClusterError && AWAY.has(error.code);
  return isAway || isApiAway(error.cause);
}

/** An error with what is behind it, as far as it may be shown. */
function explain(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? reasonOf(error) : `${reasonOf(error)} (${reasonOf(cause)})`;
}

/** A step did not come to its end. */
export class StepError extends BootlaceError {
  override readonly name = 'StepError';
  declare readonly code: StepErrorCode;

  constructor(code: StepErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
