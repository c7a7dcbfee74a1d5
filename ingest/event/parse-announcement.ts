import { type RecordOutcome, reject } from './decision-event.ts';
import { MAX_NAME, MAX_POOL } from './event-fields.ts';
import { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json-object.ts';

/**
 * `evenshare.pool.v1`: `pool`, `at` and exactly one of `slots` (≥ 0; a pool may have no server for a while) and
 * `capacity_per_s` (≥ 0, in the pool's cost unit). Other fields are ignored.
 */
export function parsePoolAnnouncement(value: JsonObject, defaultPool: string): RecordOutcome {
  const read = new FieldReader();
  const announcement = {
    pool: read.requiredText('pool', value.pool ?? defaultPool, MAX_POOL),
    atMs: read.requiredTime('at', value.at),
    slots: read.number('slots', value.slots, 0),
    capacityPerS: read.number('capacity_per_s', value.capacity_per_s, 0),
  };
  if (read.fault !== null) return read.fault;
  if (announcement.slots === null && announcement.capacityPerS === null) {
    return reject('missing_field', 'slots is missing: a pool announcement gives slots or capacity_per_s');
  }
  if (announcement.slots !== null && announcement.capacityPerS !== null) {
    return reject('unknown_value', 'capacity_per_s stands beside slots: a pool announcement gives only one of them');
  }
  return { kind: 'pool', announcement };
}

/** `evenshare.coverage.v1`: `gateway`, `pool`, `from` < `to` and `decisions`. Other fields are ignored. */
export function parseCoverageReport(value: JsonObject, defaultPool: string): RecordOutcome {
  const read = new FieldReader();
  const decisions = read.integer('decisions', value.decisions, 0);
  const report = {
    gateway: read.requiredText('gateway', value.gateway, MAX_NAME),
    pool: read.requiredText('pool', value.pool ?? defaultPool, MAX_POOL),
    fromMs: read.requiredTime('from', value.from),
    toMs: read.requiredTime('to', value.to),
    decisions: decisions ?? 0,
  };
  if (read.fault !== null) return read.fault;
  if (decisions === null) {
    return reject('missing_field', 'decisions is missing: it is the number of decisions that the gateway counted');
  }
  if (report.toMs <= report.fromMs) return reject('out_of_range', 'to must be later than from');
  return { kind: 'coverage', report };
}
