import { type RecordOutcome, reject } from '../event/decision-event.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import type { Adapter } from './adapter.ts';
import { parseApacheLine } from './apache-line.ts';
import { openFormat, type Reading } from './gateway-adapter.ts';
import { type GatewayFacts, NO_FACTS } from './gateway-event.ts';
import { statusOfCode } from './http-status.ts';
import { lineId } from './line-id.ts';
import type { Site } from './site.ts';

function declare(site: Site): Reading {
  const time = site.time('time', 'rfc3339');
  const statusField = site.number('status');
  const bytes = site.number('bytes');
  const cost = site.cost(['bytes']);
  const read = (reader: FieldReader, record: JsonObject): GatewayFacts => {
    const code = statusField.count(reader, record);
    const own = site.hasRefusals ? site.refusal([String(code)]) : null;
    const reason = own === 'admitted' ? null : (own ?? (code === 429 ? 'quota' : null));
    return {
      ...NO_FACTS,
      arrivedAtMs: time.read(reader, record),
      outcome: reason === null ? 'admitted' : 'rejected',
      reason,
      status: reason === null ? statusOfCode(code) : null,
      waitProvenance: reason === null ? 'absent' : null,
      cost: cost === null ? null : (bytes.read(reader, record) ?? 0),
    };
  };
  return { tenant: ['user'], labels: ['status'], read };
}

const FORMAT = { name: 'apache', isDashAbsent: true, declare } as const;

/**
 * Apache's common and combined log format. The tenant is the authenticated user, where there is one; `tenant: host` in
 * the mapping takes the client's address. Arrivals are whole seconds; waits and service times are not in the log. Fields:
 * host, user, time, request, status, bytes.
 */
export const apacheAdapter: Adapter = {
  name: 'apache',
  summary: 'Apache access log (common or combined)',
  framing: 'lines',
  costUnit: 'requests',
  example:
    '10.1.2.3 - acme [02/Mar/2026:10:15:07 +0000] "GET /v1/orders HTTP/1.1" 200 2211 "-" "sdk/1.0"\n' +
    '10.1.2.4 - - [02/Mar/2026:10:15:09 +0000] "POST /v1/orders HTTP/1.1" 429 310 "-" "sdk/1.0"',
  provenance: {
    request_id: 'derived',
    tenant: 'measured',
    arrived_at: 'measured',
    outcome: 'derived',
    reason: 'derived',
    status: 'derived',
    cost: 'measured',
  },
  known: {
    tenant: { says: 'user, or client address by mapping', provenance: 'measured' },
    arrival: { says: '`%t`, whole seconds', provenance: 'measured' },
    decision: { says: '429', provenance: 'derived' },
    wait: { says: 'absent', provenance: 'absent' },
    service: { says: 'absent', provenance: 'absent' },
    cost: { says: 'bytes', provenance: 'measured' },
    retry: { says: 'absent', provenance: 'absent' },
  },
  mappable: ['time', 'status', 'bytes'],
  open: (options) => {
    const { readOne } = openFormat(FORMAT, options);
    return ({ text, line, isUnterminated }): RecordOutcome => {
      if (text.trim() === '') return { kind: 'skip' };
      const parsed = parseApacheLine(text);
      if (parsed !== null) return readOne({ ...parsed }, { ownId: () => lineId(text, line) });
      if (isUnterminated === true) return reject('torn_line', 'the last line has no newline and was cut off');
      return reject('wrong_columns', 'the line is not of the common or combined log format of Apache');
    };
  },
};
