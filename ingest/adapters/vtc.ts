import { SECOND_MS } from '../../scheduler-core/kernel/index.ts';
import { reject } from '../event/decision-event.ts';
import type { WireResult } from '../event/json-object.ts';
import { parseDecision } from '../event/parse-event.ts';
import type { Adapter, AdapterOptions, RawRecord } from './adapter.ts';
import { checkCommonOptions, collectMistakes, readStartMs, requireColumns, withProvenance } from './adapter-options.ts';
import { cellNumbers } from './cell.ts';
import { ABSENT } from './trace-known.ts';

/** The policies under which the trace was executed; each has its own two columns. */
export const VTC_POLICIES = ['fcfs', 'vtc', 'rpm20'] as const;
type VtcPolicy = (typeof VTC_POLICIES)[number];

/** 2023-01-01T00:00:00Z: the trace counts seconds from its own start, so a date has to be chosen. */
const DEFAULT_START_MS = 1_672_531_200_000;
const SHARED_COLUMNS = ['req', 'arrival_s', 'tenant', 'prompt_tokens', 'output_tokens'] as const;

/** Null when the policy is none of the trace's. */
function readPolicy(options: AdapterOptions): VtcPolicy | null {
  const name = options.options.policy ?? 'fcfs';
  return VTC_POLICIES.find((policy) => policy === name) ?? null;
}

function policyColumns(policy: VtcPolicy): { readonly firstToken: string; readonly endToEnd: string } {
  return { firstToken: `${policy}_ttft_s`, endToEnd: `${policy}_e2e_s` };
}

/** The request in the wire form, or the refusal of its row. */
function readRequest(fields: Readonly<Record<string, string>>, policy: VtcPolicy, startMs: number): WireResult {
  const { firstToken, endToEnd } = policyColumns(policy);
  const numbers = cellNumbers(fields, ['arrival_s', 'prompt_tokens', 'output_tokens', firstToken, endToEnd]);
  if (!numbers.ok) return { ok: false, outcome: numbers.fault };
  const arrivalS = numbers.values.get('arrival_s');
  const firstTokenS = numbers.values.get(firstToken);
  const endToEndS = numbers.values.get(endToEnd);
  if (arrivalS === undefined) return refuse('arrival_s is empty: it must be the seconds since the start');
  if ((firstTokenS === undefined) !== (endToEndS === undefined)) {
    return refuse(`of ${firstToken} and ${endToEnd} one is empty: give both, or none for a refused request`);
  }
  const atMs = (seconds: number): number => startMs + Math.round(seconds * SECOND_MS);
  const request = {
    request_id: fields.req,
    tenant: fields.tenant,
    arrived_at: atMs(arrivalS),
    input_tokens: numbers.values.get('prompt_tokens'),
    output_tokens: numbers.values.get('output_tokens'),
  };
  if (firstTokenS === undefined || endToEndS === undefined) {
    return { ok: true, value: { ...request, outcome: 'rejected', reason: 'quota' } };
  }
  const served = { dispatched_at: atMs(arrivalS + firstTokenS), completed_at: atMs(arrivalS + endToEndS) };
  return { ok: true, value: { ...request, outcome: 'admitted', ...served, status: 'ok' } };
}

function refuse(detail: string): WireResult {
  return { ok: false, outcome: reject('missing_field', detail) };
}

function readRecord(record: RawRecord, policy: VtcPolicy, startMs: number): WireResult {
  const { fields } = record;
  const columns = policyColumns(policy);
  const expected = [...SHARED_COLUMNS, columns.firstToken, columns.endToEnd];
  if (fields === null || expected.some((column) => fields[column] === undefined)) {
    return { ok: false, outcome: reject('wrong_columns', `the columns ${expected.join(', ')} are expected`) };
  }
  return readRequest(fields, policy, startMs);
}

/**
 * The VTC artifact's trace: one sequence of arrivals, executed under three policies. Options: `policy` (`fcfs`, the
 * default, `vtc`, `rpm20`), `start` (the date of second 0; default 2023-01-01T00:00:00Z). Takes no mapping.
 *
 * The time to the first token is an upper bound of the queue wait (it includes the prompt's own processing), so the
 * wait is `bounded`. Empty times mean that the policy's limiter refused the request (`quota`); its tokens are those that
 * it asked for.
 */
export const vtcAdapter: Adapter = {
  name: 'vtc',
  summary: 'VTC artifact trace (CSV), as executed under --option policy=fcfs|vtc|rpm20',
  framing: 'csv',
  costUnit: 'tokens',
  example:
    'req,arrival_s,tenant,prompt_tokens,output_tokens,fcfs_ttft_s,fcfs_e2e_s,vtc_ttft_s,vtc_e2e_s,rpm20_ttft_s,rpm20_e2e_s\n' +
    '1,0.207938,t02,36,137,1.5457,6.7736,1.5676,6.8102,1.6701,6.8945',
  provenance: {
    request_id: 'measured',
    tenant: 'measured',
    arrived_at: 'measured',
    outcome: 'derived',
    reason: 'derived',
    dispatched_at: 'bounded',
    completed_at: 'measured',
    status: 'derived',
    input_tokens: 'measured',
    output_tokens: 'measured',
  },
  known: {
    tenant: { says: 'yes', provenance: 'measured' },
    arrival: { says: 'yes', provenance: 'measured' },
    decision: { says: 'empty times: refused', provenance: 'derived' },
    wait: { says: 'upper bound: time to the first token', provenance: 'bounded' },
    service: { says: 'end to end − first token', provenance: 'derived' },
    cost: { says: 'tokens', provenance: 'measured' },
    retry: ABSENT,
  },
  isPublicTrace: true,
  checkHeader: (columns, options) => {
    const { firstToken, endToEnd } = policyColumns(readPolicy(options) ?? 'fcfs');
    requireColumns('vtc', columns, [...SHARED_COLUMNS, firstToken, endToEnd]);
  },
  open: (options) => {
    const mistakes = collectMistakes('vtc');
    checkCommonOptions(options, mistakes, { options: ['policy', 'start'], mapping: false });
    const policy = readPolicy(options);
    if (policy === null) mistakes.add('--option policy', `must be one of ${VTC_POLICIES.join(', ')}`);
    const startMs = readStartMs(options, mistakes, DEFAULT_START_MS);
    mistakes.throwIfAny();
    const parse = { defaultPool: options.defaultPool, defaultTenant: options.tenant };
    return (record) => {
      const request = readRecord(record, policy ?? 'fcfs', startMs);
      if (!request.ok) return request.outcome;
      const outcome = parseDecision(request.value, parse);
      const isServed = outcome.kind === 'decision' && outcome.event.dispatchedAtMs !== null;
      return isServed ? withProvenance(outcome, { waitProvenance: 'bounded' }) : outcome;
    };
  },
};
