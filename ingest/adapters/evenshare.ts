import type { Provenance } from '../event/decision-event.ts';
import { DECISION_FIELDS } from '../event/event-fields.ts';
import { parseEventText } from '../event/parse-event.ts';
import type { Adapter } from './adapter.ts';
import { checkCommonOptions, collectMistakes } from './adapter-options.ts';
import { DIRECT } from './trace-known.ts';

/** Provenance of a format whose records are events already: every field is as the gateway measured it. */
export const DIRECT_PROVENANCE: Readonly<Record<string, Provenance>> = Object.fromEntries(
  DECISION_FIELDS.filter((field) => field !== 'schema').map((field) => [field, 'measured' as const]),
);

/**
 * Evenshare's own events as NDJSON: decisions, pool announcements and coverage reports, also inside CloudEvents. Takes no
 * options and no mapping; `tenant` stands in for events that name none.
 */
export const evenshareAdapter: Adapter = {
  name: 'evenshare',
  summary: 'decision events as newline-delimited JSON, also inside CloudEvents',
  framing: 'lines',
  costUnit: 'requests',
  example: JSON.stringify({
    schema: 'evenshare.decision.v1',
    request_id: '7c1e6d6e',
    pool: 'llm-a',
    tenant: 'acme',
    arrived_at: '2026-03-02T10:15:04.127Z',
    dispatched_at: '2026-03-02T10:15:04.165Z',
    completed_at: '2026-03-02T10:15:04.311Z',
    status: 'ok',
  }),
  provenance: DIRECT_PROVENANCE,
  known: DIRECT,
  open: (options) => {
    const mistakes = collectMistakes('evenshare');
    checkCommonOptions(options, mistakes, { options: [], mapping: false });
    mistakes.throwIfAny();
    const parse = { defaultPool: options.defaultPool, defaultTenant: options.tenant };
    return (record) =>
      parseEventText(record.text, record.isUnterminated === true ? { ...parse, isUnterminated: true } : parse);
  },
};
