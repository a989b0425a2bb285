import { redact } from '../../src/core/redact.ts';

/** What stops a command of the bench, with what to do about it. */
export class BenchError extends Error {
  readonly hint: string | undefined;
  readonly status: number;

  constructor(message: string, options: { hint?: string; status?: number; cause?: unknown } = {}) {
    super(redact(message), { cause: options.cause });
    this.name = 'BenchError';
    this.hint = options.hint;
    this.status = options.status ?? 1;
  }
}

/** Wrong usage: status 2, as everywhere in bootlace. */
export function usageError(message: string, hint: string): BenchError {
  return new BenchError(message, { hint, status: 2 });
}
