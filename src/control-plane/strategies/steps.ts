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
  /** For a plan. */
  readonly about?: StepAbout;
  /** Ends when what it did is proven. */
  run(): Promise<void>;
  /** Takes back what it did, wholly or in part, and ends when the state before it serves. Absent where there is no way back. */
  undo?(): Promise<void>;
  /**
   * Name of a step before it whose way back leaves nothing of this one to be taken back: this way back is there for that
   * one alone, and comes too late where it was put off until after it.
   */
  readonly coveredBy?: string;
  /** Brings back what a reboot takes away of what this step and those before it did. */
  restore?(): Promise<void>;
  /** What of its way back needs the files and the container runtime of the node alone, for when no API is to be had. */
  offline?(): Promise<void>;
  /** Whether there is no way back without an API. Default: false. */
  readonly needsApi?: boolean;
  /** What is to be removed once there is an API again, after the node was taken back without one. */
  finish?(): Promise<void>;
}

/** What a plan says of a step, in words for people. */
export interface StepAbout {
  /** What it looks at before it does anything. */
  readonly checks?: string;
  /** How it is seen to have worked. */
  readonly proves: string;
  /** How it is taken back. */
  readonly back: string;
  /** About how long it takes. */
  readonly seconds: number;
  /** What clients notice; absent where nobody does. */
  readonly gap?: string;
}

/** How a run ended: `undone` means that what served before serves again, `stopped` that somebody asked it to stop. */
export type StepsOutcome = 'done' | 'undone' | 'stopped' | 'failed';

export type StepEvent =
  | { readonly type: 'started' | 'done'; readonly step: Step }
  | { readonly type: 'failed'; readonly step: Step; readonly reason: string }
  | { readonly type: 'undoing' | 'undone'; readonly step: Step }
  | { readonly type: 'undo-failed'; readonly step: Step; readonly reason: string };

/** Hears of progress before the run goes on. What it throws changes nothing: half a change must not depend on who looks. */
export type StepListener = (event: StepEvent) => void;

/** Whether an error, or what is behind it, says that no API server could be heard. */
export function isApiAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isAway = error instanceof ClusterError && AWAY.has(error.code);
  return isAway || isApiAway(error.cause);
}

/** An error with what is behind it, as far as it may be shown. */
export function explain(error: unknown): string {
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
