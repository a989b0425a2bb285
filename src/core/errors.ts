import type { Problem } from './problem.ts';

/**
 * Codes of the errors that a caller may handle. A code is never given to another meaning.
 *
 * - `OPTIONS_REFUSED`: the options have at least one problem of severity `error`; see `problems`.
 * - `BOOTSTRAPPER_UNKNOWN`: no bootstrapper has that name.
 * - `DURATION_INVALID`: a duration is not one that Go parses.
 * - `OUTPUT_FAILED`: a result could not be written; see `cause`.
 * - `USAGE`: the command line makes no sense.
 * - `SIMULATION_STALLED`: a simulated control plane does not come to serve; the message says what is missing.
 */
export type ErrorCode =
  | 'OPTIONS_REFUSED'
  | 'BOOTSTRAPPER_UNKNOWN'
  | 'DURATION_INVALID'
  | 'OUTPUT_FAILED'
  | 'USAGE'
  | 'SIMULATION_STALLED'
  | ClusterErrorCode
  | SelfHostingErrorCode
  | StepErrorCode;

/**
 * Why a call to the cluster failed. A code is never given to another meaning.
 *
 * - `NOT_FOUND`, `ALREADY_EXISTS`, `CONFLICT`: what the object's state is.
 * - `UNAUTHORIZED`: the API server does not know who asks. `FORBIDDEN`: it does, and says no.
 * - `INVALID`: the request or the object makes no sense to the API server.
 * - `TOO_MANY_REQUESTS`, `UNAVAILABLE`: it asks to come again, or is starting or stopping.
 * - `GONE`: the version that a watch wants to go on from is not known any more.
 * - `UNREACHABLE`: no connection. `TIMEOUT`: no answer in time, and what was asked may have happened all the same.
 * - `UNEXPECTED`: an answer that fits none of these.
 * - `KUBECONFIG_INVALID`: the kubeconfig cannot be read, or has no such context.
 * - `CLIENT_MISSING`: the optional dependency that talks to a real cluster is not installed.
 */
export type ClusterErrorCode =
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'CONFLICT'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'INVALID'
  | 'TOO_MANY_REQUESTS'
  | 'GONE'
  | 'UNAVAILABLE'
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'UNEXPECTED'
  | 'KUBECONFIG_INVALID'
  | 'CLIENT_MISSING';

/**
 * Codes of what can go wrong while a control plane is made to host itself. A code is never given to another meaning.
 *
 * - `CONFIG_INCOMPLETE`: the configuration lacks a field that is needed; nothing was changed.
 * - `CONTAINER_MISSING`: a Pod has no container that a mutator could change.
 * - `FILE_UNREADABLE`: a manifest, certificate, key or kubeconfig could not be read; see `cause`.
 * - `MANIFEST_INVALID`: a manifest is not one Pod.
 * - `SECRET_NOT_STORED`: the API server did not take a Secret; see `cause`.
 * - `TIMED_OUT`: what was waited for did not happen in time; `cause` is the last error on the way, if there was one.
 * - `WAIT_FAILED`: the waiter gave up for a reason of its own; see `cause`.
 * - `MANIFEST_NOT_REMOVED`: the manifest of a static Pod could not be deleted; see `cause`.
 */
export type SelfHostingErrorCode =
  | 'CONFIG_INCOMPLETE'
  | 'CONTAINER_MISSING'
  | 'FILE_UNREADABLE'
  | 'MANIFEST_INVALID'
  | 'SECRET_NOT_STORED'
  | 'TIMED_OUT'
  | 'WAIT_FAILED'
  | 'MANIFEST_NOT_REMOVED';

/**
 * Why a step of a change did not come to its end. A code is never given to another meaning.
 *
 * - `STEP_FAILED`: something that the step needs is not as it must be.
 * - `STEP_TIMED_OUT`: what the step waits for did not happen in time; `cause` is the last error on the way, if any.
 * - `RUN_OPEN`: a run on this node has not come to its end; go on with it or take it back.
 * - `RUN_HELD`: a run on another node has not come to its end.
 * - `RUN_MISSING`: there is no run to go on with, or to take back.
 * - `JOURNAL_UNREADABLE`: the journal of a run is none that this version can go on with.
 */
export type StepErrorCode =
  'STEP_FAILED' | 'STEP_TIMED_OUT' | 'RUN_OPEN' | 'RUN_HELD' | 'RUN_MISSING' | 'JOURNAL_UNREADABLE';

const BRAND = Symbol.for('bootlace.error');

/** Whether an error is one of ours, from this copy of bootlace or another one in the same process. */
export function isBootlaceError(error: unknown): error is BootlaceError {
  return error instanceof Error && BRAND in error;
}

/** Base of every error that bootlace throws on purpose. */
export class BootlaceError extends Error {
  readonly [BRAND] = true;
  override readonly name: string = 'BootlaceError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The options cannot be rendered. `problems` holds every finding, warnings included, sorted by path. */
export class RefusedError extends BootlaceError {
  override readonly name = 'RefusedError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const errors = problems.filter((problem) => problem.severity === 'error');
    const first = errors[0];
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    super('OPTIONS_REFUSED', first ? `${first.path || '/'}: ${first.message}${more}` : 'the options were refused');
    this.problems = problems;
  }
}

/** The command line makes no sense: status 2. `hint` names what to type instead. */
export class UsageError extends BootlaceError {
  override readonly name = 'UsageError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super('USAGE', message);
    this.hint = hint;
  }
}
