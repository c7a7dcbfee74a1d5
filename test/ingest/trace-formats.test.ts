import { expect, it } from 'vitest';
import { parseConfig } from '../../cli/load-config.ts';
import { traceFormatsOf } from '../../ingest/config.ts';

const NONE = { defaultPool: 'default', tenant: null, options: {}, mapping: null };

it.each([
  ['nothing', 'intake: {}', { 'otel-genai': NONE, vllm: NONE }],
  [
    'a pool, a tenant and a mapping',
    'intake: { traces: { vllm: { pool: llm-a, tenant: all, mapping: { tenant: { field: service.name } } } } }',
    {
      'otel-genai': NONE,
      vllm: { defaultPool: 'llm-a', tenant: 'all', options: {}, mapping: { tenant: { field: 'service.name' } } },
    },
  ],
  ['that one is off', 'intake: { traces: { otel-genai: { enabled: false } } }', { vllm: NONE }],
])('a configuration that says %s of traces', (_, text, formats) => {
  expect(traceFormatsOf(parseConfig(text, 'test', {}).intake?.traces)).toEqual(formats);
});

it('a configuration of traces in a format that there is not is refused', () => {
  expect(() => parseConfig('intake: { traces: { zipkin: {} } }', 'test', {})).toThrow(/unknown key "zipkin"/);
});
