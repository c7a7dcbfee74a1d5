import { choice, type Field, number, text } from './field.ts';
import { list, type ReadList } from './list-fields.ts';
import type { PolicyCostUnit } from './policy.ts';
import { byKind, type Key, key, record } from './record.ts';

/** Stands for a value that a file leaves to what else it says; undefined would be a mistake. */
export const UNSAID = Symbol('unsaid');
export type Unsaid = typeof UNSAID;

/** A discipline as a file says it. */
export type DisciplineParts =
  | { readonly kind: 'fifo' }
  | {
      readonly kind: 'priority';
      readonly mode: 'strict' | 'weighted';
      readonly order: ReadList<string> | Unsaid;
    }
  | { readonly kind: 'wfq' }
  | { readonly kind: 'wf2q' }
  | { readonly kind: 'drr'; readonly quantumCost: number | Unsaid }
  | { readonly kind: 'vtc'; readonly inputPrice: number; readonly outputPrice: number };

/** Q where the file does not say it: about one request's worth. */
export const DEFAULT_QUANTUM_COST: Readonly<Record<PolicyCostUnit, number>> = {
  requests: 1,
  service_ms: 10,
  tokens: 1000,
};

const DEFAULT_QUANTUM_TEXT = Object.entries(DEFAULT_QUANTUM_COST)
  .map(([unit, cost]) => `${cost} (${unit})`)
  .join(', ');

function kindKey<Kind extends string>(kind: Kind, about: string): Key<Kind> {
  return key({ name: 'kind', about }, choice(new Map([[kind, kind]])));
}

/** Sheng et al., OSDI 2024, 6.1: w_p = 1, w_q = 2. */
const DEFAULT_INPUT_PRICE = 1;
const DEFAULT_OUTPUT_PRICE = 2;

/** `discipline: drr`, or `discipline: { kind: drr, quantum: 10 }`. */
export const disciplineField: Field<DisciplineParts> = byKind<DisciplineParts>(
  new Map<string, Field<DisciplineParts>>([
    [
      'fifo',
      record<{ kind: 'fifo' }>({ kind: kindKey('fifo', 'Order of arrival, for comparison.') }, { what: 'a mapping' }),
    ],
    [
      'priority',
      record<Extract<DisciplineParts, { kind: 'priority' }>>(
        {
          kind: kindKey('priority', 'By class; order of arrival within each.'),
          mode: key(
            {
              name: 'mode',
              about: 'The most urgent class first, or a seeded random choice by the weights of the classes.',
              absent: 'strict',
            },
            choice(
              new Map([
                ['strict', 'strict'],
                ['weighted', 'weighted'],
              ]),
            ),
          ),
          order: key<ReadList<string> | Unsaid>(
            {
              name: 'order',
              about: 'Classes, the most urgent first; those left out come last, together.',
              absent: UNSAID,
              defaultText: 'the classes as listed',
            },
            list(text('the name of a class'), { what: 'a list of classes', least: 1 }),
          ),
        },
        { what: 'a mapping' },
      ),
    ],
    [
      'wfq',
      record<{ kind: 'wfq' }>({ kind: kindKey('wfq', 'Self-clocked weighted fair queueing.') }, { what: 'a mapping' }),
    ],
    [
      'wf2q',
      record<{ kind: 'wf2q' }>(
        { kind: kindKey('wf2q', 'Worst-case fair weighted fair queueing.') },
        { what: 'a mapping' },
      ),
    ],
    [
      'drr',
      record<Extract<DisciplineParts, { kind: 'drr' }>>(
        {
          kind: kindKey('drr', 'Deficit round robin.'),
          quantumCost: key<number | Unsaid>(
            {
              name: 'quantum',
              about: 'Cost granted per round to a tenant of weight 1. Smaller is finer and takes longer to decide.',
              absent: UNSAID,
              defaultText: DEFAULT_QUANTUM_TEXT,
            },
            number({ above: 0 }),
          ),
        },
        { what: 'a mapping' },
      ),
    ],
    [
      'vtc',
      record<Extract<DisciplineParts, { kind: 'vtc' }>>(
        {
          kind: kindKey('vtc', 'Virtual token counter.'),
          inputPrice: key(
            { name: 'input_token_price', about: 'Cost of an input token.', absent: DEFAULT_INPUT_PRICE },
            number({ from: 0 }),
          ),
          outputPrice: key(
            { name: 'output_token_price', about: 'Cost of an output token.', absent: DEFAULT_OUTPUT_PRICE },
            number({ from: 0 }),
          ),
        },
        { what: 'a mapping' },
      ),
    ],
  ]),
);
