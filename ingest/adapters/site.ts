import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import type { Mistakes } from './adapter-options.ts';
import { compileAlternatives } from './field-path.ts';
import { type LabelWriter, namedLabels, unreadLabels } from './label-writer.ts';
import { DurationField, ListField, NumberField, ObjectField, TextField, TimeField } from './log-field.ts';
import { DURATION_UNITS, type DurationUnit, TIME_UNITS, type TimeUnit } from './log-values.ts';
import type { RefusalMeaning, Role, SiteMapping } from './site-mapping.ts';

/** What a role's source says of one record. */
export interface RoleValue {
  readonly value: string | null;
  /** The mapping made it: a constant, or a text that stands for another. */
  readonly isDerived: boolean;
}

export type RoleReader = (reader: FieldReader, record: JsonObject) => RoleValue;

const NO_VALUE: RoleValue = { value: null, isDerived: false };

/**
 * A format as one site writes it: the format declares its fields here, by the names that it documents, and gets readers
 * that look where the site's mapping says. `close` then names everything in the mapping that nothing was declared for.
 */
export class Site {
  readonly #mapping: SiteMapping;
  readonly #mistakes: Mistakes;
  readonly #isDashAbsent: boolean;
  readonly #fields = new Map<string, 'time' | 'duration' | 'other'>();
  readonly #readNames = new Set<string>();

  /** `isDashAbsent`: the log writes `-` for what is not there. */
  constructor(mapping: SiteMapping, mistakes: Mistakes, isDashAbsent: boolean) {
    this.#mapping = mapping;
    this.#mistakes = mistakes;
    this.#isDashAbsent = isDashAbsent;
  }

  /** The names that the format documents for its fields, in the order in which they were declared. */
  get declared(): readonly string[] {
    return [...this.#fields.keys()];
  }

  text(name: string, from: readonly string[] = [name]): TextField {
    return new TextField(...this.#source(name, from, 'other'));
  }

  number(name: string, from: readonly string[] = [name]): NumberField {
    return new NumberField(...this.#source(name, from, 'other'));
  }

  list(name: string, from: readonly string[] = [name]): ListField {
    return new ListField(...this.#source(name, from, 'other'));
  }

  object(name: string, from: readonly string[] = [name]): ObjectField {
    return new ObjectField(...this.#source(name, from, 'other'));
  }

  /** `unit` null: RFC 3339 or epoch milliseconds. */
  time(name: string, unit: TimeUnit | null = null, from: readonly string[] = [name]): TimeField {
    return new TimeField(...this.#source(name, from, 'time'), this.#unit(name, TIME_UNITS, unit));
  }

  duration(name: string, unit: DurationUnit, from: readonly string[] = [name]): DurationField {
    return new DurationField(...this.#source(name, from, 'duration'), this.#unit(name, DURATION_UNITS, unit));
  }

  /** Where a role's value is; `from` when the mapping does not say, empty for a role that the log knows nothing of. */
  role(role: Role, from: readonly string[]): RoleReader {
    const source = this.#mapping.roles.get(role) ?? { kind: 'field', names: from, values: null, fallback: undefined };
    if (source.kind === 'constant') {
      const constant = { value: source.value, isDerived: true };
      return () => constant;
    }
    if (source.names.length === 0) return () => NO_VALUE;
    const field = new TextField(source.names.join(' or '), this.#getter(source.names));
    const { values, fallback } = source;
    if (values === null) return (reader, record) => ({ value: field.read(reader, record), isDerived: false });
    return (reader, record) => {
      const text = field.read(reader, record);
      if (text === null) return { value: fallback ?? null, isDerived: true };
      const value = values.get(text) ?? fallback;
      if (value !== undefined) return { value, isDerived: true };
      const detail = `${role} has a text that the mapping does not list: add it to map, or give a default`;
      reader.fail('unknown_value', detail);
      return NO_VALUE;
    };
  }

  /** Which of the format's costs the mapping chooses; null: none, the cost follows from the pool's unit. */
  cost<C extends string>(choices: readonly C[]): C | null {
    const { cost } = this.#mapping;
    if (cost === null) return null;
    const chosen = choices.find((choice) => choice === cost);
    if (chosen === undefined) {
      const known = choices.length === 0 ? 'this log knows no cost' : `must be one of ${choices.join(', ')}`;
      this.#mistakes.add('--map cost', known);
    }
    return chosen ?? null;
  }

  /** What the mapping says of a refusal: of the first of these texts that it lists; null: nothing. */
  refusal(texts: readonly (string | null)[]): RefusalMeaning | null {
    for (const text of texts) {
      const meaning = text === null ? undefined : this.#mapping.refusals.get(text);
      if (meaning !== undefined) return meaning;
    }
    return null;
  }

  /** Whether the mapping says anything of refusals. */
  get hasRefusals(): boolean {
    return this.#mapping.refusals.size > 0;
  }

  /** To be called last: what is labelled may depend on what is read. */
  labels(defaults: readonly string[]): LabelWriter {
    const { labels } = this.#mapping;
    return labels === 'all' ? unreadLabels(this.#readNames) : namedLabels(labels ?? defaults, this.#isDashAbsent);
  }

  /** Names what the mapping has and the format has not. */
  close(): void {
    const fields = this.declared;
    for (const name of this.#mapping.fields.keys()) {
      if (!this.#fields.has(name))
        this.#mistakes.add(`--map fields.${name}`, `unknown; allowed are ${fields.join(', ')}`);
    }
    const timed = fields.filter((name) => this.#fields.get(name) !== 'other');
    for (const name of this.#mapping.units.keys()) {
      if (!timed.includes(name)) {
        const known = timed.length === 0 ? 'this format has no times' : `allowed are ${timed.join(', ')}`;
        this.#mistakes.add(`--map units.${name}`, `no time or duration of this format; ${known}`);
      }
    }
  }

  #source(
    name: string,
    from: readonly string[],
    kind: 'time' | 'duration' | 'other',
  ): [string, ReturnType<typeof compileAlternatives>] {
    this.#fields.set(name, kind);
    const names = this.#mapping.fields.get(name) ?? from;
    return [names.length === 1 ? (names[0] ?? name) : name, this.#getter(names)];
  }

  #getter(names: readonly string[]) {
    for (const name of names) {
      this.#readNames.add(name);
      this.#readNames.add(name.split('.')[0] ?? name);
    }
    return compileAlternatives(names, this.#isDashAbsent);
  }

  #unit<U extends string, D>(name: string, allowed: readonly U[], otherwise: D): U | D {
    const unit = this.#mapping.units.get(name);
    if (unit === undefined) return otherwise;
    const known = allowed.find((candidate) => candidate === unit);
    if (known === undefined) this.#mistakes.add(`--map units.${name}`, `must be one of ${allowed.join(', ')}`);
    return known ?? otherwise;
  }
}
