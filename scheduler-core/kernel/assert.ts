import { EvenshareError } from './errors.ts';

/**
 * Throws `EVS_INVARIANT` when a condition that the code relies on does not hold. Where many pass, the message is a function:
 * putting it together costs more than what is asserted.
 */
export function assertInvariant(condition: boolean, message: string | (() => string)): asserts condition {
  if (!condition) throw new EvenshareError('EVS_INVARIANT', typeof message === 'string' ? message : message());
}

/** The `default` of an exhaustive switch: a type error where a case is missing, `EVS_INVARIANT` at run time. */
export function assertNever(value: never): never {
  throw new EvenshareError('EVS_INVARIANT', `unexpected value ${JSON.stringify(value)}`);
}
