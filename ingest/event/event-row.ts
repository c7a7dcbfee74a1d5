import type { Cell } from '../../analytics/storage/index.ts';
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

/** How some events are written as rows of `requests`. */
export interface RowShape {
  readonly columns: readonly string[];
  /** One event as a row in the order of `columns`; the table's engine merges the rows of a request field by field. */
  cells(event: DecisionEvent, storedAtMs: number): Cell[];
}

function shapeOf(columns: readonly EventColumn[]): RowShape {
  const fields = columns.map(([, field]) => field);
  return {
    columns: [...columns.map(([column]) => column), 'stored_at_ms'],
    cells: (event, storedAtMs) => {
      const cells: Cell[] = [];
      for (const field of fields) cells.push(event[field]);
      cells.push(storedAtMs);
      return cells;
    },
  };
}

const WHOLE = shapeOf([...IDENTITY, ...FACTS]);

/** Every column of `requests` that an event can fill, in the order of `requestCells`. */
export const REQUEST_COLUMNS = WHOLE.columns;

/** One event as a row of `requests` with all its columns. */
export function requestCells(event: DecisionEvent, storedAtMs: number): readonly Cell[] {
  return WHOLE.cells(event, storedAtMs);
}

/**
 * The shape with no column in which all of these events are null: most logs fill half of them, and the engine takes as
 * long to read a null as a number.
 */
export function leanShape(events: readonly DecisionEvent[]): RowShape {
  const filled = FACTS.filter(([, field]) => events.some((event) => event[field] !== null));
  return shapeOf([...IDENTITY, ...filled]);
}
