import { type Cell, tsvCell } from '../../analytics/storage/index.ts';
import type { DecisionEvent } from './decision-event.ts';

type EventColumn = readonly [column: string, field: keyof DecisionEvent];

/** What tells one request from another: in every row. */
const IDENTITY: readonly EventColumn[] = [
  ['pool', 'pool'],
  ['tenant', 'tenant'],
  ['request_id', 'requestId'],
  ['attempt', 'attempt'],
  ['arrived_at_ms', 'arrivedAtMs'],
];

/** What an event may leave out: null then, as in a row that does not name the column. */
const FACTS: readonly EventColumn[] = [
  ['outcome', 'outcome'],
  ['reason', 'reason'],
  ['dispatched_at_ms', 'dispatchedAtMs'],
  ['completed_at_ms', 'completedAtMs'],
  ['cost_estimate', 'costEstimate'],
  ['cost', 'cost'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['slots', 'slots'],
  ['status', 'status'],
  ['class', 'class'],
  ['original_request_id', 'originalRequestId'],
  ['retry_after_ms', 'retryAfterMs'],
  ['promoted', 'promoted'],
  ['weight', 'weight'],
  ['queue_depth', 'queueDepth'],
  ['wait_budget_ms', 'waitBudgetMs'],
  ['gateway', 'gateway'],
  ['labels', 'labels'],
  ['tenant_provenance', 'tenantProvenance'],
  ['wait_provenance', 'waitProvenance'],
];

/** Every column of `requests` that an event can fill, in the order of `requestCells`. */
export const REQUEST_COLUMNS: readonly string[] = [
  ...[...IDENTITY, ...FACTS].map(([column]) => column),
  'stored_at_ms',
];

/** One event as a row of `requests` with all its columns; the table's engine merges the rows of a request field by field. */
export function requestCells(event: DecisionEvent, storedAtMs: number): readonly Cell[] {
  return [...[...IDENTITY, ...FACTS].map(([, field]) => event[field]), storedAtMs];
}

/** How some events are written as rows of `requests`. */
export interface RowShape {
  readonly columns: readonly string[];
  /** One event as a row of TabSeparated text in the order of `columns`. */
  row(event: DecisionEvent): string;
}

/**
 * The shape that leaves out the columns in which all of these events are null: most logs fill half of them, and a null
 * takes the engine as long to read as a number.
 */
export function leanShape(events: readonly DecisionEvent[], storedAtMs: number): RowShape {
  const filled = FACTS.filter(([, field]) => events.some((event) => event[field] !== null));
  const columns = [...IDENTITY, ...filled];
  const fields = columns.map(([, field]) => field);
  const end = `${storedAtMs}\n`;
  return {
    columns: [...columns.map(([column]) => column), 'stored_at_ms'],
    row: (event) => {
      const texts: string[] = [];
      for (const field of fields) texts.push(tsvCell(event[field]));
      texts.push(end);
      return texts.join('\t');
    },
  };
}
