import { type RecordOutcome, type Rejection, reject } from '../event/decision-event.ts';
import { FieldReader } from '../event/field-reader.ts';
import { isJsonObject, type JsonObject, parseJsonValue, rejectNonObject } from '../event/json-object.ts';
import type { Adapter, AdapterOptions, AdapterOutcome, RawRecord } from './adapter.ts';
import { checkCommonOptions, collectMistakes, type Mistakes } from './adapter-options.ts';
import { EventMaker, type EventParts, type GatewayFacts, type RecordPlace } from './gateway-event.ts';
import { lineId } from './line-id.ts';
import { Site } from './site.ts';
import { readSiteMapping } from './site-mapping.ts';

/** A line may hold a list of records, but no more than this. */
export const MAX_RECORDS_IN_LINE = 10_000;

/** A record to read, and its own text where it came with others. */
export interface Part {
  readonly record: JsonObject;
  readonly raw: () => string;
}

/** How a format reads its records, once its fields are declared. */
export interface Reading extends Omit<EventParts, 'idOf'> {
  /** What a record says; `skip` for one that is no request. Never throws. */
  readonly read: (reader: FieldReader, record: JsonObject) => GatewayFacts | 'skip' | Rejection;
  /** An id for a record that names none; default: of its line. */
  readonly idOf?: EventParts['idOf'];
}

/** What makes an adapter of JSON lines: everything of it but the reading is the same for all of them. */
export interface GatewayFormat extends Omit<Adapter, 'open' | 'framing' | 'mappable'> {
  /** The log writes `-` for what is not there. */
  readonly isDashAbsent?: true;
  readonly options?: readonly string[];
  /** Declares the format's fields on the site and returns what reads them. */
  readonly declare: (site: Site, options: AdapterOptions, mistakes: Mistakes) => Reading;
  /** The records in a line's JSON value, where it holds others than itself; null: it is one record. */
  readonly expand?: (value: JsonObject) => readonly (Part | Rejection)[] | null;
  /** A record as the format's fields are named, where it is not so as it stands. */
  readonly shape?: (value: JsonObject) => JsonObject;
}

const NO_MAPPING: AdapterOptions = { defaultPool: 'default', tenant: null, options: {}, mapping: null };

/** Opens a format for one site: its reading and what makes events of it. */
export function openFormat(
  format: Pick<GatewayFormat, 'name' | 'options' | 'isDashAbsent' | 'declare'>,
  options: AdapterOptions,
) {
  const mistakes = collectMistakes(format.name);
  checkCommonOptions(options, mistakes, { options: format.options ?? [], mapping: true });
  const site = new Site(readSiteMapping(options.mapping, mistakes), mistakes, format.isDashAbsent ?? false);
  const reading = format.declare(site, options, mistakes);
  const maker = new EventMaker(site, options, {
    ...reading,
    idOf: reading.idOf ?? ((_record, place) => place.ownId()),
  });
  site.close();
  mistakes.throwIfAny();
  const readOne = (record: JsonObject, place: RecordPlace): RecordOutcome => {
    const reader = new FieldReader();
    const facts = reading.read(reader, record);
    if (facts === 'skip') return SKIP;
    if ('kind' in facts) return facts;
    return maker.make(reader, record, place, facts);
  };
  return { site, readOne };
}

const SKIP: RecordOutcome = { kind: 'skip' };

function isRejection(part: Part | Rejection): part is Rejection {
  return 'kind' in part;
}

function readParts(
  parts: readonly (Part | Rejection)[],
  record: RawRecord,
  readOne: (record: JsonObject, place: RecordPlace) => RecordOutcome,
): AdapterOutcome {
  let ofLine: string | null = null;
  const outcomes = parts.map((part, index): RecordOutcome => {
    if (isRejection(part)) return part;
    const ownId = (): string => {
      ofLine ??= lineId(record.text, record.line);
      return `${ofLine}-${index}`;
    };
    const outcome = readOne(part.record, { ownId });
    return outcome.kind === 'rejected' ? { ...outcome, raw: part.raw() } : outcome;
  });
  return { kind: 'several', outcomes };
}

const TOO_MANY = reject('out_of_range', `the line holds more than ${MAX_RECORDS_IN_LINE} records: write fewer a line`);

function listParts(items: readonly unknown[], shape: (value: JsonObject) => JsonObject): (Part | Rejection)[] {
  return items.map((item) => {
    if (isJsonObject(item)) return { record: shape(item), raw: () => JSON.stringify(item) };
    return { ...rejectNonObject(item), raw: JSON.stringify(item) };
  });
}

/** An adapter of JSON lines; a line may also hold a list of records, as senders that batch write it. */
export function gatewayAdapter(format: GatewayFormat): Adapter {
  const { declare, expand, shape = (value) => value, options: _options, isDashAbsent: _dash, ...rest } = format;
  return {
    ...rest,
    framing: 'lines',
    get mappable() {
      return openFormat(format, NO_MAPPING).site.declared;
    },
    open: (options) => {
      const { readOne } = openFormat(format, options);
      return (record): AdapterOutcome => {
        const json = parseJsonValue(record.text, record.isUnterminated ?? false);
        if (!json.ok) return json.outcome;
        const { value } = json;
        if (isJsonObject(value)) {
          const parts = expand?.(value) ?? null;
          if (parts === null) return readOne(shape(value), { ownId: () => lineId(record.text, record.line) });
          return parts.length > MAX_RECORDS_IN_LINE ? TOO_MANY : readParts(parts, record, readOne);
        }
        if (!Array.isArray(value)) return rejectNonObject(value);
        return value.length > MAX_RECORDS_IN_LINE ? TOO_MANY : readParts(listParts(value, shape), record, readOne);
      };
    },
  };
}
