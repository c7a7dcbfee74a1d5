import { type RecordOutcome, reject } from '../event/decision-event.ts';
import { parseJsonText } from '../event/json-object.ts';
import { parseDecision } from '../event/parse-event.ts';
import type { Adapter } from './adapter.ts';
import { checkCommonOptions, collectMistakes, readStartMs, standInTenant, withProvenance } from './adapter-options.ts';
import { TRACE_WITHOUT_WAITS } from './trace-known.ts';

/** 2024-01-01T00:00:00Z: the trace counts milliseconds from its own start, so a date has to be chosen. */
const DEFAULT_START_MS = 1_704_067_200_000;
/** The trace spans minutes: what is later is no time of it. */
const MAX_OFFSET_MS = 31_536_000_000;

/**
 * The Mooncake traces (kvcache-ai/Mooncake): arrival and tokens only, `timestamp` in milliseconds from the start. A
 * request's id is `line-N` of the file; the tenant is `--tenant` or `-`. Option `start` (the date of millisecond 0;
 * default 2024-01-01T00:00:00Z). Takes no mapping. The prefix blocks (`hash_ids`) are not kept.
 */
export const mooncakeAdapter: Adapter = {
  name: 'mooncake',
  summary: 'Mooncake trace (JSON lines): arrivals and tokens, without tenants and waits',
  framing: 'lines',
  costUnit: 'tokens',
  example: '{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47, 48]}',
  provenance: {
    request_id: 'derived',
    tenant: 'absent',
    arrived_at: 'measured',
    input_tokens: 'measured',
    output_tokens: 'measured',
  },
  known: TRACE_WITHOUT_WAITS,
  isPublicTrace: true,
  open: (options) => {
    const mistakes = collectMistakes('mooncake');
    checkCommonOptions(options, mistakes, { options: ['start'], mapping: false });
    const startMs = readStartMs(options, mistakes, DEFAULT_START_MS);
    mistakes.throwIfAny();
    const { tenant, provenance } = standInTenant(options);
    const parse = { defaultPool: options.defaultPool, defaultTenant: null };
    return (record): RecordOutcome => {
      const json = parseJsonText(record.text, record.isUnterminated ?? false);
      if (!json.ok) return json.outcome;
      const { timestamp, input_length, output_length } = json.value;
      if (timestamp === undefined || timestamp === null) {
        return reject('missing_field', 'timestamp is missing: it must be the milliseconds since the start');
      }
      if (typeof timestamp !== 'number') return reject('wrong_type', 'timestamp must be a number');
      if (!(timestamp >= 0 && timestamp <= MAX_OFFSET_MS)) {
        return reject('out_of_range', 'timestamp must be the milliseconds since the start of the trace');
      }
      const arrivedAtMs = startMs + Math.floor(timestamp);
      const wire = {
        request_id: `line-${record.line}`,
        tenant,
        arrived_at: arrivedAtMs,
        input_tokens: input_length,
        output_tokens: output_length,
      };
      return withProvenance(parseDecision(wire, parse), { tenantProvenance: provenance, waitProvenance: 'absent' });
    };
  },
};
