import { reasonOf } from '../../core/redact.ts';
import { BootlaceError, type StepErrorCode } from '../../core/errors.ts';

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

/** Hears of progress before the run goes on. */
export type StepListener = (event: StepEvent) => void;

/**
 * Runs steps one after the other. When one fails, it and those before it are taken back, last first; a step without a
 * way back ends that, and so does one whose way back fails.
 */
export async function runSteps(steps: readonly Step[], onEvent: StepListener): Promise<StepsOutcome> {
  for (const [index, step] of steps.entries()) {
    try {
      onEvent({ type: 'started', step });
      await step.run();
    } catch (error) {
      onEvent({ type: 'failed', step, reason: explain(error) });
      return undoSteps(steps.slice(0, index + 1), onEvent);
    }
    onEvent({ type: 'done', step });
  }
  return 'done';
}

async function undoSteps(steps: readonly Step[], onEvent: StepListener): Promise<'undone' | 'failed'> {
  for (const step of steps.toReversed()) {
    if (step.undo === undefined) return 'failed';
    onEvent({ type: 'undoing', step });
    try {
      await step.undo();
    } catch (error) {
      onEvent({ type: 'undo-failed', step, reason: explain(error) });
      return 'failed';
    }
    onEvent({ type: 'undone', step });
  }
  return 'undone';
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
