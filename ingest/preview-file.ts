import { EvenshareError } from '../scheduler-core/kernel/index.ts';
import { type Adapter, type AdapterOptions, eachOutcome } from './adapters/index.ts';
import { type DecisionEvent, type Provenance, reject } from './event/decision-event.ts';
import type { DecisionField } from './event/event-fields.ts';
import { readRecords } from './sources/file-source.ts';

export interface PreviewOptions {
  /** A path, or `-` for `stdin`. */
  readonly path: string;
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly adapter: Adapter;
  readonly adapterOptions: AdapterOptions;
  /** Decisions to look for; reading ends with them. */
  readonly mostEvents: number;
  readonly signal?: AbortSignal;
}

/** One field of an event, as it is called on the wire, and how it is known. */
export interface PreviewField {
  readonly field: DecisionField | 'wait_ms';
  readonly value: string | number | boolean;
  readonly provenance: Provenance;
}

export interface PreviewEvent {
  readonly line: number;
  /** The fields that are there, in the order of the specification; the wait last, where it is known. */
  readonly fields: readonly PreviewField[];
  readonly waitProvenance: Provenance;
  /** JSON text; null: none. */
  readonly labels: string | null;
}

export interface Preview {
  readonly records: number;
  readonly skipped: number;
  readonly events: readonly PreviewEvent[];
  readonly rejected: Readonly<Record<string, number>>;
  /** One rejection of each reason. */
  readonly samples: readonly { readonly line: number; readonly code: string; readonly detail: string }[];
}

/** So many records without an event are enough to look at. */
const MOST_RECORDS = 10_000;

const FIELDS: readonly (readonly [DecisionField, keyof DecisionEvent])[] = [
  ['request_id', 'requestId'],
  ['pool', 'pool'],
  ['tenant', 'tenant'],
  ['class', 'class'],
  ['arrived_at', 'arrivedAtMs'],
  ['outcome', 'outcome'],
  ['reason', 'reason'],
  ['dispatched_at', 'dispatchedAtMs'],
  ['completed_at', 'completedAtMs'],
  ['status', 'status'],
  ['cost_estimate', 'costEstimate'],
  ['cost', 'cost'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['slots', 'slots'],
  ['attempt', 'attempt'],
  ['original_request_id', 'originalRequestId'],
  ['retry_after_ms', 'retryAfterMs'],
  ['promoted', 'promoted'],
  ['weight', 'weight'],
  ['queue_depth', 'queueDepth'],
  ['wait_budget_ms', 'waitBudgetMs'],
  ['gateway', 'gateway'],
];

/** The fields that a preview speaks of. */
export const PREVIEW_FIELDS: readonly DecisionField[] = FIELDS.map(([field]) => field);

function previewEvent(line: number, event: DecisionEvent, adapter: Adapter): PreviewEvent {
  const fields: PreviewField[] = [];
  for (const [field, key] of FIELDS) {
    const value = event[key];
    if (value === null) continue;
    const own = field === 'tenant' ? event.tenantProvenance : null;
    // What no record holds came from the command line, the mapping or a default.
    fields.push({ field, value, provenance: own ?? adapter.provenance[field] ?? 'derived' });
  }
  const { arrivedAtMs, dispatchedAtMs } = event;
  const waitProvenance = dispatchedAtMs === null ? 'absent' : (event.waitProvenance ?? 'measured');
  if (dispatchedAtMs !== null && waitProvenance !== 'absent') {
    fields.push({ field: 'wait_ms', value: dispatchedAtMs - arrivedAtMs, provenance: waitProvenance });
  }
  return { line, fields, waitProvenance, labels: event.labels };
}

/**
 * Reads the first events of a log file and stores nothing.
 *
 * @throws EVS_INPUT_…: missing, a directory, empty, binary, unreadable; EVS_USAGE: wrong options of the format.
 */
export async function previewFile(options: PreviewOptions): Promise<Preview> {
  const { adapter, adapterOptions } = options;
  const parse = adapter.open(adapterOptions);
  const events: PreviewEvent[] = [];
  const rejected: Record<string, number> = {};
  const samples: { line: number; code: string; detail: string }[] = [];
  let records = 0;
  let skipped = 0;
  const { checkHeader, csvDelimiter } = adapter;
  const batches = readRecords({
    path: options.path,
    stdin: options.stdin,
    framing: adapter.framing,
    ...(csvDelimiter === undefined ? {} : { csvDelimiter: csvDelimiter(adapterOptions) }),
    ...(checkHeader === undefined ? {} : { onHeader: (columns) => checkHeader(columns, adapterOptions) }),
  });
  for await (const batch of batches) {
    options.signal?.throwIfAborted();
    for (const framed of batch) {
      records++;
      const { line } = framed.kind === 'refused' ? framed : framed.record;
      const outcomes =
        framed.kind === 'refused' ? [reject(framed.code, framed.detail)] : eachOutcome(parse(framed.record));
      for (const outcome of outcomes) {
        if (outcome.kind === 'skip') skipped++;
        else if (outcome.kind === 'rejected') {
          if (rejected[outcome.code] === undefined) samples.push({ line, code: outcome.code, detail: outcome.detail });
          rejected[outcome.code] = (rejected[outcome.code] ?? 0) + 1;
        } else if (outcome.kind === 'decision') events.push(previewEvent(line, outcome.event, adapter));
        if (events.length >= options.mostEvents) return { records, skipped, events, rejected, samples };
      }
      if (records >= MOST_RECORDS) return { records, skipped, events, rejected, samples };
    }
  }
  return { records, skipped, events, rejected, samples };
}

/** Throws `EVS_INPUT_FORMAT` when nothing that was read is an event. */
export function refuseEmptyPreview(preview: Preview, format: string): void {
  if (preview.events.length > 0) return;
  const [sample] = preview.samples;
  const why =
    sample === undefined
      ? `${preview.skipped} records were skipped`
      : `line ${sample.line}: ${sample.code}, ${sample.detail}`;
  const message = `no record is a decision when read as format ${format} (${why}); name the right one with --format`;
  throw new EvenshareError('EVS_INPUT_FORMAT', message);
}
