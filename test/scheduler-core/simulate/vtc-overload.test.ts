import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createScheduler, parsePolicy, type Request } from '../../../scheduler-core/index.ts';

interface OverloadCase {
  readonly clients: readonly { readonly requestsPerS: number }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly price: { readonly input: number; readonly output: number };
  readonly seconds: number;
  readonly expected: Readonly<Record<'fifo' | 'vtc', { readonly serviceRatio: number; readonly tolerance: number }>>;
}

const path = new URL('../../../../shared/vectors/vtc.json', import.meta.url);
// The vectors' README states this shape; the first case is the overload.
const [overload] = (JSON.parse(readFileSync(path, 'utf8')) as { cases: [OverloadCase] }).cases;

const SLOTS = 10;
const CAPACITY_COST_PER_S = 1300;

interface Call extends Request {
  readonly arrivedAtMs: number;
}

/** Both clients ask at their rates, evenly; the server is overloaded throughout. What each was served, and the widest gap. */
function serve(discipline: 'fifo' | 'vtc'): { served: number[]; widestGap: number } {
  const { clients, inputTokens, outputTokens, price, seconds } = overload;
  const cost = price.input * inputTokens + price.output * outputTokens;
  const serviceMs = (SLOTS * cost * 1000) / CAPACITY_COST_PER_S;
  const scheduler = createScheduler<Call>(
    parsePolicy({
      cost_unit: 'tokens',
      discipline:
        discipline === 'fifo'
          ? 'fifo'
          : { kind: 'vtc', input_token_price: price.input, output_token_price: price.output },
    }),
    { nowMs: 0, slots: SLOTS },
  );
  const calls = clients
    .flatMap(({ requestsPerS }, client) =>
      Array.from(
        { length: seconds * requestsPerS },
        (_, index): Call => ({
          id: `${client}/${index}`,
          tenant: `client ${client}`,
          arrivedAtMs: (index * 1000) / requestsPerS,
          inputTokens,
          outputTokensMax: outputTokens,
        }),
      ),
    )
    .sort((left, right) => left.arrivedAtMs - right.arrivedAtMs);
  const served = clients.map(() => 0);
  let widestGap = 0;
  let ends: { atMs: number; id: string }[] = [];
  let next = 0;
  for (;;) {
    const end = ends[0];
    const call = calls[next];
    const nowMs = Math.min(end?.atMs ?? Number.POSITIVE_INFINITY, call?.arrivedAtMs ?? Number.POSITIVE_INFINITY);
    if (nowMs >= seconds * 1000) return { served, widestGap };
    if (end !== undefined && end.atMs === nowMs) {
      ends = ends.slice(1);
      scheduler.complete(end.id, cost, 'ok', nowMs);
    } else if (call !== undefined) {
      next++;
      scheduler.offer(call, nowMs);
    }
    while (ends.length < SLOTS) {
      const dispatch = scheduler.take(nowMs);
      if (dispatch === null) break;
      ends.push({ atMs: nowMs + serviceMs, id: dispatch.id });
      const client = Number(dispatch.id.split('/')[0]);
      served[client] = (served[client] ?? 0) + cost;
      widestGap = Math.max(widestGap, Math.abs((served[0] ?? 0) - (served[1] ?? 0)));
    }
  }
}

describe('two clients on an overloaded server, one asking twice as much (vectors/vtc.json)', () => {
  it('are served alike under the virtual token counter, within its bound at every moment', () => {
    const { served, widestGap } = serve('vtc');
    const [first = 0, second = 0] = served;
    expect(Math.abs(second / first - overload.expected.vtc.serviceRatio)).toBeLessThanOrEqual(
      overload.expected.vtc.tolerance,
    );
    // Before the first has enough waiting, the second has the rest: no more than one request a slot.
    const cost = overload.price.input * overload.inputTokens + overload.price.output * overload.outputTokens;
    expect(widestGap).toBeLessThanOrEqual(2 * SLOTS * cost);
  });

  it('are served as they ask under fifo', () => {
    const [first = 0, second = 0] = serve('fifo').served;
    expect(Math.abs(second / first - overload.expected.fifo.serviceRatio)).toBeLessThanOrEqual(
      overload.expected.fifo.tolerance,
    );
  });
});
