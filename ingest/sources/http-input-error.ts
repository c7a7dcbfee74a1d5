import { EvenshareError } from '../../scheduler-core/kernel/index.ts';

/** A refusal of a whole request, with its status. */
export class HttpInputError extends EvenshareError {
  readonly statusCode: number;

  constructor(statusCode: number, message: string, options: { readonly cause?: unknown } = {}) {
    super('EVS_HTTP', message, options);
    this.statusCode = statusCode;
  }
}

/** Too much is under way: 429, and the same may be sent again. */
export function intakeBusy(): EvenshareError {
  return new EvenshareError(
    'EVS_BUSY',
    'the intake holds as much as it may: send the same again a little later, in smaller bodies or fewer at a time',
    { retryable: true },
  );
}
