import { flag, number, orNull } from '../../policy/field.ts';
import { list } from '../../policy/list-fields.ts';
import { durationKey, durationOrNullKey, key, record } from '../../policy/record.ts';
import type { Span } from '../rate-profile.ts';
import type { Client, RetryPlan } from '../simulated-request.ts';
import { checkSpans, fromKey, MAPPING, toKey, valuesOf } from './common-fields.ts';

const retryField = record<RetryPlan>(
  {
    maxAttempts: key(
      { name: 'max_attempts', about: 'The first among them.' },
      number({ from: 2, to: 100, whole: true }),
    ),
    backoffMs: durationKey<never>({ name: 'backoff', about: 'Before the second attempt.' }),
    backoffFactor: key(
      { name: 'factor', about: 'Each further delay is so many times longer.', absent: 2 },
      number({ from: 1 }),
    ),
    jitterRatio: key(
      { name: 'jitter_ratio', about: 'Part of the delay added by chance.', absent: 0 },
      number({ from: 0 }),
    ),
    honoursRetryAfter: key(
      { name: 'honours_retry_after', about: 'Whether it waits as long as it was told.', absent: true },
      flag(),
    ),
  },
  MAPPING,
);

/** What the clients of a load do by themselves. */
export const clientField = record<Client>(
  {
    givesUpAfterMs: durationOrNullKey<never>({
      name: 'gives_up_after',
      about: 'It leaves the queue after waiting so long.',
      absent: null,
      defaultText: 'never',
    }),
    retry: key(
      { name: 'retry', about: 'How it comes back after a refusal.', absent: null, defaultText: 'not at all' },
      orNull(retryField),
    ),
    failing: key(
      { name: 'failing', about: 'Calls that go to a server in these spans fail.', absent: [], defaultText: 'none' },
      valuesOf(
        list(record<Span>({ fromMs: fromKey, toMs: toKey }, MAPPING), {
          what: 'a list of spans',
          check: checkSpans,
        }),
      ),
    ),
  },
  MAPPING,
);
