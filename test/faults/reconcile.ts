import { expectedOf } from './event-feeder.ts';
import { fateOf, idOf } from './event-stream.ts';
import type { StoreProcess } from './store-process.ts';

/** What went in against what is there. */
export interface Tally {
  readonly produced: number;
  /** Messages that the brokers acknowledged. */
  readonly messages: number;
  readonly expectedStored: number;
  readonly stored: number;
  readonly expectedLetters: number;
  /** Different records among the dead letters. */
  readonly letters: number;
  /** Requests, or refused records, that are nowhere. */
  readonly lost: number;
  /** Requests with more than one row in a result, letters of one place and content more than once. */
  readonly double: number;
  /** Requests with other figures than were sent, that disagree with themselves, or that nobody sent. */
  readonly wrong: number;
  /** Some ids of each, to look at. */
  readonly samples: readonly string[];
}

/** Counts by the engine itself, over HTTP without the product's client. Every request is looked at. */
export async function reconcile(store: StoreProcess, requests: number, messages: number): Promise<Tally> {
  const rows = await listOf(store, 'SELECT request_id, count() FROM requests FINAL GROUP BY request_id');
  const letters = await listOf(store, LETTERS);
  const problems = { lost: [] as string[], double: [] as string[], wrong: [] as string[] };
  const stored = new Map(rows.map(([id = '', count = '0']) => [id, Number(count)]));
  const kept = new Map(letters.map(([id = '', count = '0']) => [id, Number(count)]));
  for (let index = 0; index < requests; index++) {
    const id = idOf(index);
    const [right, other] = fateOf(index) === 'stored' ? [stored, kept] : [kept, stored];
    if (!right.has(id)) problems.lost.push(id);
    if ((right.get(id) ?? 0) > 1) problems.double.push(id);
    if (other.has(id)) problems.wrong.push(id);
  }
  for (const id of [...stored.keys(), ...kept.keys()]) {
    const index = Number(id.slice(id.lastIndexOf('-') + 1));
    if (!(index < requests) || idOf(index) !== id) problems.wrong.push(id);
  }
  for (const [id = ''] of await listOf(store, WRONG)) problems.wrong.push(id);
  const expected = expectedOf(requests);
  return {
    produced: requests,
    messages,
    expectedStored: expected.stored,
    stored: stored.size,
    expectedLetters: expected.letters,
    letters: kept.size,
    lost: problems.lost.length,
    double: problems.double.length,
    wrong: problems.wrong.length,
    samples: Object.entries(problems).flatMap(([name, ids]) => ids.slice(0, 5).map((id) => `${name}: ${id}`)),
  };
}

/** A letter of one place and content may be there once; the same record sent again lies at another offset. */
const LETTERS = `SELECT JSONExtractString(base64Decode(raw_base64), 'request_id') AS id, max(copies)
FROM (SELECT raw_base64, count() AS copies FROM dead_letters FINAL GROUP BY raw_base64, source, position)
GROUP BY id`;

/** See event-stream.ts. */
const WRONG = `SELECT request_id FROM requests FINAL
WHERE ifNull(cost, -1) != toUInt64OrZero(substring(request_id, 3)) % 97
    OR cost != cost_least OR ifNull(completed_at_ms - arrived_at_ms, 0) != 20 OR ifNull(status, '') != 'ok'`;

async function listOf(store: StoreProcess, sql: string): Promise<string[][]> {
  const text = await store.ask(`${sql} FORMAT TabSeparated`);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]));
}
