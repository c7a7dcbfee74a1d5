import { reject } from '../event/decision-event.ts';
import { parseJsonText } from '../event/json-object.ts';
import { parseDecision } from '../event/parse-event.ts';
import type { Adapter } from './adapter.ts';
import { checkCommonOptions, collectMistakes } from './adapter-options.ts';
import { DIRECT_PROVENANCE } from './evenshare.ts';
import { DIRECT } from './trace-known.ts';

/**
 * CloudEvents 1.0 in structured mode, one envelope per line, the event as `data`; `id`, `source` and `time` stand in for
 * `request_id`, `gateway` and `arrived_at`. Unlike `evenshare` it refuses what is no CloudEvent. Takes no options and no
 * mapping; `tenant` stands in for events that name none.
 */
export const cloudEventsAdapter: Adapter = {
  name: 'cloudevents',
  summary: 'CloudEvents 1.0 (structured, one per line) with a decision event as data',
  framing: 'lines',
  costUnit: 'requests',
  example: JSON.stringify({
    specversion: '1.0',
    id: '7c1e6d6e',
    source: 'gateway-1',
    type: 'evenshare.decision.v1',
    time: '2026-03-02T10:15:04.127Z',
    data: { pool: 'llm-a', tenant: 'acme', dispatched_at: '2026-03-02T10:15:04.165Z' },
  }),
  provenance: DIRECT_PROVENANCE,
  known: DIRECT,
  open: (options) => {
    const mistakes = collectMistakes('cloudevents');
    checkCommonOptions(options, mistakes, { options: [], mapping: false });
    mistakes.throwIfAny();
    const parse = { defaultPool: options.defaultPool, defaultTenant: options.tenant };
    return (record) => {
      const json = parseJsonText(record.text, record.isUnterminated ?? false);
      if (!json.ok) return json.outcome;
      if (json.value.specversion === undefined) {
        return reject(
          'missing_field',
          'specversion is missing: no CloudEvent; for plain events use --format evenshare',
        );
      }
      return parseDecision(json.value, parse);
    };
  },
};
