import { Type } from 'typebox';
import { DURATION_PATTERN } from '../scheduler-core/index.ts';

/** A duration in a configuration file, as 250ms, 60s, 5m, 1h or 1d. */
export const duration = (description: string) =>
  Type.String({
    pattern: DURATION_PATTERN,
    description: `${description}; as 250ms, 60s, 5m, 1h, 1d`,
  });
