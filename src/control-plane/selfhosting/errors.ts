import { BootlaceError, type SelfHostingErrorCode } from '../../core/errors.ts';

/** Thrown on the way to a self-hosted control plane. Neither message nor cause holds the content of a file. */
export class SelfHostingError extends BootlaceError {
  override readonly name = 'SelfHostingError';
  declare readonly code: SelfHostingErrorCode;

  constructor(code: SelfHostingErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
