import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportTexts, sortSpans } from '../../../ingest/sources/trace-export.ts';

const attribute = (key: string) => ({ key, value: { stringValue: 'x' } });
const span = (name: string, ...keys: readonly string[]) => ({ name, attributes: keys.map(attribute) });
const exportOf = (...spans: readonly unknown[]) => ({
  resourceSpans: [{ resource: { attributes: [attribute('service.name')] }, scopeSpans: [{ scope: {}, spans }] }],
});
const names = (groups: readonly { readonly spans: readonly { readonly name?: unknown }[] }[]) =>
  groups.flatMap(({ spans }) => spans.map(({ name }) => name));

describe('sorting the spans of an export', () => {
  it('knows GenAI spans, vLLM’s, and passes over the others', () => {
    const sorted = sortSpans(
      exportOf(
        span('chat', 'http.route', 'gen_ai.operation.name'),
        span('llm_request', 'gen_ai.usage.prompt_tokens', 'gen_ai.latency.time_in_queue'),
        span('llm_request 2', 'gen_ai.request.id'),
        span('SELECT', 'db.system'),
        span('empty'),
        { name: 'no attributes' },
        'no span',
        span('almost', 'gen_ai', 'my.gen_ai.x'),
      ),
    );
    expect(names(sorted?.ours['otel-genai'] ?? [])).toEqual(['chat']);
    expect(names(sorted?.ours.vllm ?? [])).toEqual(['llm_request', 'llm_request 2']);
    expect(sorted?.ignored).toBe(5);
  });

  it.each([
    ['an export of nothing', {}, 0],
    ['a resource without scopes', { resourceSpans: [{ resource: {} }] }, 0],
    ['scopes without spans', { resourceSpans: [{ scopeSpans: [{}, { spans: null }] }] }, 0],
  ])('%s holds none', (_, value, ignored) => {
    expect(sortSpans(value)).toEqual({ ours: { 'otel-genai': [], vllm: [] }, ignored });
  });

  it.each([
    [null],
    [[]],
    ['x'],
    [{ foo: 1 }],
    [{ resourceSpans: {} }],
    [{ resourceSpans: [7] }],
    [{ resourceSpans: [{ scopeSpans: 7 }] }],
    [{ resourceSpans: [{ scopeSpans: [{ spans: 'x' }] }] }],
  ])('%j is no export', (value) => {
    expect(sortSpans(value)).toBeNull();
  });

  it('loses none and keeps the order, whatever the groups and however few spans go together', () => {
    const groups = fc.array(
      fc.record({ resource: fc.nat(), spans: fc.array(fc.record({ name: fc.nat() }), { minLength: 1, maxLength: 9 }) }),
    );
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 7 }), (given, maxSpans) => {
        const read: unknown[] = [];
        for (const text of exportTexts(given, maxSpans)) {
          let count = 0;
          for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
            for (const { name } of scopeSpans[0].spans) read.push([resource, name]);
            count += scopeSpans[0].spans.length;
          }
          expect(count).toBeGreaterThan(0);
          expect(count).toBeLessThanOrEqual(maxSpans);
        }
        expect(read).toEqual(given.flatMap(({ resource, spans }) => spans.map(({ name }) => [resource, name])));
      }),
    );
  });
});
