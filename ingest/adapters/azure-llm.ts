import { type RecordOutcome, reject } from '../event/decision-event.ts';
import { parseDecision } from '../event/parse-event.ts';
import type { Adapter, RawRecord } from './adapter.ts';
import {
  checkCommonOptions,
  collectMistakes,
  requireColumns,
  standInTenant,
  withProvenance,
} from './adapter-options.ts';
import { cellNumbers } from './cell.ts';
import { TRACE_WITHOUT_WAITS } from './trace-known.ts';

const COLUMNS = ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'] as const;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

/** The trace's time (UTC where it names no zone) as RFC 3339; a text in another form as it is, for the parser to refuse. */
function asRfc3339(text: string): string {
  const match = TIMESTAMP.exec(text);
  return match === null ? text : `${match[1]}T${match[2]}${match[3] ?? 'Z'}`;
}

/**
 * The Azure LLM inference traces (Azure/AzurePublicDataset): arrival and tokens only. A request's id is `line-N` of the
 * file; the tenant is `--tenant` or `-`; waits and service times are absent. Takes no options and no mapping.
 */
export const azureLlmAdapter: Adapter = {
  name: 'azure-llm',
  summary: 'Azure LLM inference trace (CSV): arrivals and tokens, without tenants and waits',
  framing: 'csv',
  costUnit: 'tokens',
  example: 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44',
  provenance: {
    request_id: 'derived',
    tenant: 'absent',
    arrived_at: 'measured',
    input_tokens: 'measured',
    output_tokens: 'measured',
  },
  known: TRACE_WITHOUT_WAITS,
  isPublicTrace: true,
  checkHeader: (columns) => requireColumns('azure-llm', columns, COLUMNS),
  open: (options) => {
    const mistakes = collectMistakes('azure-llm');
    checkCommonOptions(options, mistakes, { options: [], mapping: false });
    mistakes.throwIfAny();
    const { tenant, provenance } = standInTenant(options);
    const parse = { defaultPool: options.defaultPool, defaultTenant: null };
    return (record: RawRecord): RecordOutcome => {
      const { fields } = record;
      const timestamp = fields?.TIMESTAMP;
      if (fields === null || timestamp === undefined) {
        return reject('wrong_columns', `the columns ${COLUMNS.join(', ')} are expected`);
      }
      const tokens = cellNumbers(fields, ['ContextTokens', 'GeneratedTokens']);
      if (!tokens.ok) return tokens.fault;
      const outcome = parseDecision(
        {
          request_id: `line-${record.line}`,
          tenant,
          arrived_at: timestamp === '' ? null : asRfc3339(timestamp),
          input_tokens: tokens.values.get('ContextTokens'),
          output_tokens: tokens.values.get('GeneratedTokens'),
        },
        parse,
      );
      return withProvenance(outcome, { tenantProvenance: provenance, waitProvenance: 'absent' });
    };
  },
};
