import type { Problem } from './problem.ts';

/**
 * Codes of the errors that a caller may handle. A code is never given to another meaning.
 *
 * - `OPTIONS_REFUSED`: the options have at least one problem of severity `error`; see `problems`.
 * - `BOOTSTRAPPER_UNKNOWN`: no bootstrapper has that name.
 * - `DURATION_INVALID`: a duration is not one that Go parses.
 * - `OUTPUT_FAILED`: a result could not be written; see `cause`.
 * - `USAGE`: the command line makes no sense.
 */
export type ErrorCode = 'OPTIONS_REFUSED' | 'BOOTSTRAPPER_UNKNOWN' | 'DURATION_INVALID' | 'OUTPUT_FAILED' | 'USAGE';

/** Base of every error that bootlace throws on purpose. */
export class BootlaceError extends Error {
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
