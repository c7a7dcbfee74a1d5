import { type Random, seededRandom } from '../../../scheduler-core/kernel/index.ts';

/** Texts that parsers stumble over: structure, numbers at their limits, characters of every kind. */
const TOKENS = [
  ...['{', '}', '[', ']', '"', ':', ',', '\\', "'", '|', '>', '&a', '*a', '!!', '- ', '? ', '#', '%', '@', '~'],
  ...['\\u0000', '\\ud83e', '\u0000', '\ufeff', '\r', '\n', '\t', ' ', '中', '🦊', '\ud83e', '\u2028', '\u009f'],
  ...['null', 'true', 'NaN', '-', '-0', '1e999', '0', '9'.repeat(20), '9007199254740993', '.5', '1e-9', '0x1F', '∞'],
  ...['T', 'Z', '+02:00', '1772446507', '1772446507894', '1772446507894000000', '2026-03-02T10:15:04.127Z', '826ms'],
  ...['__proto__', 'constructor', 'tenant', '"tenant":', '"arrived_at":', '"data":', '"attributes":', 'fields:'],
  ...['429', 'RL', 'REJECTED', 'failure', ', ', ' : ', '../..', '$(HOME)', "'; DROP TABLE x; --"],
];

/** Values put in place of others in JSON. */
const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e300,
    2 ** 53,
    -(2 ** 60),
    1e-300,
    429,
    1772446507,
    1772446507894,
    1.772446507894e18,
  ],
  ...[
    '',
    '-',
    'x',
    '429',
    '1772446507.894',
    '1772446507894000000',
    '2026-03-02T10:15:04.127Z',
    '0.1, -, 0.3 : 0.2',
    '\u0000',
  ],
  ...['🦊'.repeat(200), 'x'.repeat(5_000), [], {}, [[[]]], { stringValue: 'x' }, { intValue: '9'.repeat(30) }],
  ...[{ arrayValue: { values: [1] } }, [1, 2, 3], { key: 'tenant.id', value: 7 }, [{ key: '__proto__', value: {} }]],
];

/** Chance for mutations, all of it from one seed. */
export class Mutator {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** Some characters cut, doubled, or replaced by a token; now and then the rest is lost. */
  text(original: string): string {
    let text = original;
    for (let round = this.below(4); round >= 0; round--) {
      const at = this.below(text.length + 1);
      const length = this.below(12);
      const kind = this.#random.next();
      if (kind < 0.25) text = text.slice(0, at) + text.slice(at + length);
      else if (kind < 0.75) text = text.slice(0, at) + this.pick(TOKENS) + text.slice(at + length);
      else if (kind < 0.94) text = text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at);
      else text = text.slice(0, at);
    }
    return text;
  }

  /** JSON with some of its values replaced, dropped or doubled; text that is none is mutated as text. */
  json(original: string): string {
    const parsed = parsedOrNull(original);
    if (parsed === null) return this.text(original);
    let value: unknown = parsed;
    for (let round = this.below(3); round >= 0; round--) value = this.#value(value, 0);
    return JSON.stringify(value) ?? 'null';
  }

  /** One or the other, or both. */
  either(original: string): string {
    if (this.chance(0.4)) return this.text(original);
    const json = this.json(original);
    return this.chance(0.15) ? this.text(json) : json;
  }

  bytes(original: Uint8Array): Buffer {
    const bytes = Buffer.from(original);
    for (let round = this.below(4); round > 0 && bytes.length > 0; round--)
      bytes[this.below(bytes.length)] = this.below(256);
    return this.chance(0.1) ? bytes.subarray(0, this.below(bytes.length + 1)) : bytes;
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > 8 || this.chance(0.08)) return this.pick(VALUES);
    if (Array.isArray(value)) {
      if (value.length === 0) return [this.pick(VALUES)];
      const at = this.below(value.length);
      const changed = value.map((item: unknown, index) => (index === at ? this.#value(item, depth + 1) : item));
      return this.chance(0.1) ? [...changed, ...changed] : changed;
    }
    const entries = Object.entries(value);
    if (entries.length === 0) return { [this.pick(TOKENS)]: this.pick(VALUES) };
    const at = this.below(entries.length);
    const kind = this.#random.next();
    return Object.fromEntries(
      entries.flatMap(([key, item], index): [string, unknown][] => {
        if (index !== at) return [[key, item]];
        if (kind < 0.1) return [];
        if (kind < 0.2) return [[this.pick(TOKENS), item]];
        return [[key, this.#value(item, depth + 1)]];
      }),
    );
  }
}

function parsedOrNull(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}
