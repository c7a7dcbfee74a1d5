import { Type } from 'typebox';

/** A duration in a configuration file, as 250ms, 60s, 5m, 1h or 1d. */
export const duration = (description: string) =>
  Type.String({
    pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$',
    description: `${description}; as 250ms, 60s, 5m, 1h, 1d`,
  });
