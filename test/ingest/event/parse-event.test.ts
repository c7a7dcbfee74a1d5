import { describe, expect, test } from 'vitest';
import { REJECT_REASONS, STATUSES } from '../../../ingest/event/decision-event.ts';
import { parseDecision, parseEventText } from '../../../ingest/event/parse-event.ts';
import { eventOf, LEAST, OPTIONS, parseWith, verdictOf } from './wire.ts';

const LONE = '\ud83e';

describe('a decision', () => {
  test('says only what it says: all else is null, but for the identity', () => {
    expect(parseDecision(LEAST, OPTIONS)).toEqual({
      kind: 'decision',
      event: {
        requestId: 'r1',
        pool: 'default',
        tenant: 'acme',
        attempt: 1,
        arrivedAtMs: 1_772_446_504_127,
        class: null,
        outcome: null,
        reason: null,
        dispatchedAtMs: null,
        completedAtMs: null,
        status: null,
        costEstimate: null,
        cost: null,
        inputTokens: null,
        outputTokens: null,
        slots: null,
        originalRequestId: null,
        retryAfterMs: null,
        promoted: null,
        weight: null,
        queueDepth: null,
        waitBudgetMs: null,
        gateway: null,
        labels: null,
        tenantProvenance: null,
        waitProvenance: null,
      },
    });
  });

  test('keeps every field of the wire form', () => {
    const event = eventOf(
      parseWith({
        schema: 'evenshare.decision.v1',
        pool: 'llm-a',
        class: 'batch',
        outcome: 'rejected',
        reason: 'wait_budget',
        dispatched_at: '2026-03-02T10:15:04.165Z',
        completed_at: 1_772_446_504_311,
        status: 'timeout',
        cost_estimate: 1.5,
        cost: 0,
        input_tokens: 0,
        output_tokens: 207,
        slots: 0.5,
        attempt: 3,
        original_request_id: 'r0',
        retry_after_ms: 250,
        promoted: false,
        weight: 0,
        queue_depth: 17,
        wait_budget_ms: 500,
        gateway: 'gw-1',
        region: 'eu',
      }),
    );
    expect(event).toEqual({
      requestId: 'r1',
      pool: 'llm-a',
      tenant: 'acme',
      attempt: 3,
      arrivedAtMs: 1_772_446_504_127,
      class: 'batch',
      outcome: 'rejected',
      reason: 'wait_budget',
      dispatchedAtMs: 1_772_446_504_165,
      completedAtMs: 1_772_446_504_311,
      status: 'timeout',
      costEstimate: 1.5,
      cost: 0,
      inputTokens: 0,
      outputTokens: 207,
      slots: 0.5,
      originalRequestId: 'r0',
      retryAfterMs: 250,
      promoted: false,
      weight: 0,
      queueDepth: 17,
      waitBudgetMs: 500,
      gateway: 'gw-1',
      labels: '{"region":"eu"}',
      tenantProvenance: null,
      waitProvenance: null,
    });
  });

  test('null in any optional field is the same as its absence', () => {
    const nulls = Object.fromEntries(
      [
        'schema',
        'pool',
        'class',
        'outcome',
        'reason',
        'dispatched_at',
        'completed_at',
        'status',
        'cost_estimate',
        'cost',
      ]
        .concat([
          'input_tokens',
          'output_tokens',
          'slots',
          'attempt',
          'original_request_id',
          'retry_after_ms',
          'promoted',
        ])
        .concat(['weight', 'queue_depth', 'wait_budget_ms', 'gateway', 'region'])
        .map((field) => [field, null]),
    );
    expect(parseWith(nulls)).toEqual(parseDecision(LEAST, OPTIONS));
  });

  test('a token count of 0 and an absent one stay two things', () => {
    expect(eventOf(parseWith({ output_tokens: 0 })).outputTokens).toBe(0);
    expect(eventOf(parseWith({})).outputTokens).toBeNull();
  });

  test('minus zero is zero, so that equal figures are one value', () => {
    expect(Object.is(eventOf(parseWith({ cost: -0 })).cost, 0)).toBe(true);
  });

  test('clocks that disagree are no reason to refuse: the pipeline counts them', () => {
    const early = { dispatched_at: LEAST.arrived_at - 500, completed_at: LEAST.arrived_at - 900 };
    expect(eventOf(parseWith(early)).dispatchedAtMs).toBe(LEAST.arrived_at - 500);
  });

  test.each([
    '__other__',
    'a/b',
    '..',
    '=cmd|x',
    '中文',
    '🦊',
    ' ',
    'null',
    '\u00a0',
    '\u2028',
    'é',
    'e\u0301',
    '__proto__',
  ])('a tenant may be called %j, kept code point for code point', (tenant) =>
    expect(eventOf(parseWith({ tenant })).tenant).toBe(tenant),
  );

  test.each(REJECT_REASONS)('reason %s is known', (reason) => {
    expect(eventOf(parseWith({ outcome: 'rejected', reason })).reason).toBe(reason);
  });

  test.each(STATUSES)('status %s is known', (status) => expect(eventOf(parseWith({ status })).status).toBe(status));

  test('an empty class, gateway or original_request_id says nothing', () => {
    expect(parseWith({ class: '', gateway: '', original_request_id: '' })).toEqual(parseWith({}));
  });

  test('a tenant given for the whole log stands in where the record names none, and is marked as derived', () => {
    const options = { ...OPTIONS, defaultTenant: 'acme' };
    const { tenant: _, ...anonymous } = LEAST;
    expect(eventOf(parseDecision(anonymous, options))).toMatchObject({ tenant: 'acme', tenantProvenance: 'derived' });
    expect(eventOf(parseWith({ tenant: 'own' }, options))).toMatchObject({ tenant: 'own', tenantProvenance: null });
  });
});

describe('lengths are counted in code points', () => {
  test.each([
    ['request_id', 128],
    ['pool', 64],
    ['tenant', 128],
    ['class', 128],
    ['gateway', 128],
    ['original_request_id', 128],
  ])('%s may have %d', (field, max) => {
    expect(parseWith({ [field]: '🦊'.repeat(max) }).kind).toBe('decision');
    expect(parseWith({ [field]: 'x'.repeat(max) }).kind).toBe('decision');
    for (const long of ['🦊'.repeat(max + 1), 'x'.repeat(max + 1), `${'🦊'.repeat(max)}x`, 'x'.repeat(1_000_000)]) {
      expect(verdictOf(parseWith({ [field]: long }))).toMatch(new RegExp(`^value_too_long: ${field} `));
    }
  });
});

describe('what breaks a rule is refused with a code and the name of the field', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['request_id', { request_id: undefined }, 'missing_field'],
    ['request_id', { request_id: null }, 'missing_field'],
    ['request_id', { request_id: '' }, 'empty_value'],
    ['request_id', { request_id: 17 }, 'wrong_type'],
    ['request_id', { request_id: 'a\nb' }, 'control_character'],
    ['request_id', { request_id: LONE }, 'control_character'],
    ['pool', { pool: '' }, 'empty_value'],
    ['pool', { pool: ['a'] }, 'wrong_type'],
    ['pool', { pool: 'a\u0000' }, 'control_character'],
    ['tenant', { tenant: undefined }, 'missing_field'],
    ['tenant', { tenant: '' }, 'empty_value'],
    ['tenant', { tenant: { name: 'a' } }, 'wrong_type'],
    ['tenant', { tenant: 'a\tb' }, 'control_character'],
    ['tenant', { tenant: 'a\u007f' }, 'control_character'],
    ['tenant', { tenant: 'é\u0085' }, 'control_character'],
    ['tenant', { tenant: 'a\u009f' }, 'control_character'],
    ['tenant', { tenant: `🦊${LONE}` }, 'control_character'],
    ['tenant', { tenant: '\udd8a\ud83e' }, 'control_character'],
    ['class', { class: 7 }, 'wrong_type'],
    ['arrived_at', { arrived_at: undefined }, 'missing_field'],
    ['arrived_at', { arrived_at: null }, 'missing_field'],
    ['arrived_at', { arrived_at: 1_772_446_504 }, 'time_unit'],
    ['arrived_at', { arrived_at: 'today' }, 'time_format'],
    ['dispatched_at', { dispatched_at: 17 }, 'out_of_range'],
    ['completed_at', { completed_at: true }, 'wrong_type'],
    ['outcome', { outcome: 'allowed' }, 'unknown_value'],
    ['outcome', { outcome: 1 }, 'wrong_type'],
    ['outcome', { outcome: '' }, 'unknown_value'],
    ['reason', { outcome: 'rejected' }, 'missing_field'],
    ['reason', { outcome: 'rejected', reason: null }, 'missing_field'],
    ['reason', { outcome: 'rejected', reason: 'because' }, 'unknown_value'],
    ['reason', { reason: 'because' }, 'unknown_value'],
    ['status', { status: 'OK' }, 'unknown_value'],
    ['cost', { cost: -1 }, 'out_of_range'],
    ['cost', { cost: '1' }, 'wrong_type'],
    ['cost', { cost: Number.NaN }, 'wrong_type'],
    ['cost', { cost: Number.POSITIVE_INFINITY }, 'out_of_range'],
    ['cost', { cost: Number.NEGATIVE_INFINITY }, 'out_of_range'],
    ['cost', { cost: 2 ** 53 }, 'number_precision'],
    ['cost_estimate', { cost_estimate: 1e300 }, 'number_precision'],
    ['input_tokens', { input_tokens: 1.5 }, 'wrong_type'],
    ['input_tokens', { input_tokens: 2 ** 53 }, 'number_precision'],
    ['output_tokens', { output_tokens: -1 }, 'out_of_range'],
    ['slots', { slots: 0 }, 'out_of_range'],
    ['slots', { slots: -1 }, 'out_of_range'],
    ['attempt', { attempt: 0 }, 'out_of_range'],
    ['attempt', { attempt: 65_536 }, 'out_of_range'],
    ['attempt', { attempt: 1.5 }, 'wrong_type'],
    ['attempt', { attempt: '1' }, 'wrong_type'],
    ['original_request_id', { original_request_id: 17 }, 'wrong_type'],
    ['retry_after_ms', { retry_after_ms: -1 }, 'out_of_range'],
    ['promoted', { promoted: 'true' }, 'wrong_type'],
    ['promoted', { promoted: 1 }, 'wrong_type'],
    ['weight', { weight: -1 }, 'out_of_range'],
    ['queue_depth', { queue_depth: [] }, 'wrong_type'],
    ['wait_budget_ms', { wait_budget_ms: -1 }, 'out_of_range'],
    ['gateway', { gateway: {} }, 'wrong_type'],
    ['schema', { schema: 'evenshare.decision.v2' }, 'unknown_schema'],
    ['schema', { schema: 1 }, 'unknown_schema'],
    ['schema', { schema: '' }, 'unknown_schema'],
  ])('%s in %j', (field, fields, code) => {
    expect(verdictOf(parseWith(fields))).toMatch(new RegExp(`^${code}: ${field} `));
  });

  test.each([[null], ['text'], [17], [[LEAST]], [undefined]])('%j is no object', (value) => {
    expect(parseDecision(value, OPTIONS)).toMatchObject({ code: 'not_object' });
  });

  test('the detail never quotes the record', () => {
    for (const fields of [
      { tenant: 'secret\u0000' },
      { outcome: 'secret' },
      { schema: 'secret' },
      { arrived_at: 'secret' },
    ]) {
      expect(verdictOf(parseWith(fields))).not.toContain('secret');
    }
    expect(verdictOf(parseEventText('{"token":"secret",,}', OPTIONS))).not.toContain('secret');
    expect(verdictOf(parseEventText('secret', OPTIONS))).not.toContain('secret');
  });
});

describe('numbers as JSON writes them', () => {
  const parse = (figure: string) =>
    parseEventText(`{"request_id":"r","tenant":"t","arrived_at":1772446504127,"cost":${figure}}`, OPTIONS);

  test.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['1e2', 100],
    ['0.1', 0.1],
    ['5e-324', 5e-324],
    ['1e-999', 0],
  ])('%s is kept', (figure, expected) => expect(eventOf(parse(figure)).cost).toBe(expected));

  test.each([
    ['9007199254740993', 'number_precision'],
    ['123456789012345678901234567890', 'number_precision'],
    ['1e999', 'out_of_range'],
    ['-1e999', 'out_of_range'],
    ['"5"', 'wrong_type'],
    ['NaN', 'not_json'],
    ['Infinity', 'not_json'],
    ['01', 'not_json'],
  ])('%s is refused with %s', (figure, code) => expect(parse(figure)).toMatchObject({ kind: 'rejected', code }));
});

describe('a line of NDJSON', () => {
  const line = JSON.stringify(LEAST);

  test.each([
    [line, 'as it is'],
    [`\ufeff${line}`, 'after a BOM'],
    [`  ${line}\r`, 'between blanks'],
    [
      '{"request_id":"x","request_id":"r1","tenant":"acme","arrived_at":1772446504127}',
      'a repeated key: the last counts',
    ],
    ['{"\\u0072equest_id":"r1","tenant":"\\u0061cme","arrived_at":1.772446504127e12}', 'escapes and exponents'],
  ])('%j is read (%s)', (text) => expect(parseEventText(text, OPTIONS)).toEqual(parseDecision(LEAST, OPTIONS)));

  test.each(['', ' ', '\t', '\r', '\ufeff', '\ufeff \r'])('%j is blank and skipped', (text) => {
    expect(parseEventText(text, OPTIONS)).toEqual({ kind: 'skip' });
  });

  test.each([
    ['{', 'not_json'],
    ['{"a":1}{"a":2}', 'not_json'],
    [`${line},`, 'not_json'],
    ["{'a':1}", 'not_json'],
    ['request_id,tenant', 'not_json'],
    ['\u0000', 'not_json'],
    ['[]', 'not_object'],
    ['null', 'not_object'],
    ['"text"', 'not_object'],
    ['17', 'not_object'],
  ])('%j is refused with %s', (text, code) => expect(parseEventText(text, OPTIONS)).toMatchObject({ code }));

  test('nesting without end is refused or bounded, not a crash', () => {
    expect(parseEventText('['.repeat(500_000), OPTIONS)).toMatchObject({ code: 'not_json' });
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const event = eventOf(parseEventText(`${line.slice(0, -1)},"deep":${deep}}`, OPTIONS));
    expect(event.labels).toBe('{"_truncated":true}');
  });

  test('the last line without a newline is tried, and torn when it is no JSON', () => {
    const last = { ...OPTIONS, isUnterminated: true };
    expect(parseEventText(line, last)).toEqual(parseDecision(LEAST, OPTIONS));
    expect(parseEventText(line.slice(0, -9), last)).toMatchObject({ code: 'torn_line' });
    expect(parseEventText('[]', last)).toMatchObject({ code: 'not_object' });
  });

  test('a fault is told by its place in the line', () => {
    expect(verdictOf(parseEventText('{"a":1,}', OPTIONS))).toContain('at character 8');
  });
});

describe('announcements', () => {
  const pool = { schema: 'evenshare.pool.v1', pool: 'llm-a', at: LEAST.arrived_at };
  const coverage = {
    schema: 'evenshare.coverage.v1',
    gateway: 'gw',
    pool: 'llm-a',
    from: LEAST.arrived_at,
    to: LEAST.arrived_at + 60_000,
    decisions: 12,
  };

  test('a pool says its slots or its capacity', () => {
    const at = { pool: 'llm-a', atMs: LEAST.arrived_at };
    expect(parseDecision({ ...pool, slots: 8 }, OPTIONS)).toEqual({
      kind: 'pool',
      announcement: { ...at, slots: 8, capacityPerS: null },
    });
    expect(parseDecision({ ...pool, capacity_per_s: 1.5, note: 'x' }, OPTIONS)).toEqual({
      kind: 'pool',
      announcement: { ...at, slots: null, capacityPerS: 1.5 },
    });
    expect(parseDecision({ ...pool, slots: 0 }, OPTIONS)).toMatchObject({ kind: 'pool' });
    expect(parseDecision({ ...pool, pool: undefined, slots: 8 }, OPTIONS)).toMatchObject({
      announcement: { pool: 'default' },
    });
  });

  test('a gateway says how many decisions it counted', () => {
    expect(parseDecision(coverage, OPTIONS)).toEqual({
      kind: 'coverage',
      report: { gateway: 'gw', pool: 'llm-a', fromMs: coverage.from, toMs: coverage.to, decisions: 12 },
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['slots', { ...pool }, 'missing_field'],
    ['capacity_per_s', { ...pool, slots: 8, capacity_per_s: 2 }, 'unknown_value'],
    ['slots', { ...pool, slots: -1 }, 'out_of_range'],
    ['at', { ...pool, slots: 8, at: undefined }, 'missing_field'],
    ['at', { ...pool, slots: 8, at: 1_772_446_504 }, 'time_unit'],
    ['gateway', { ...coverage, gateway: undefined }, 'missing_field'],
    ['to', { ...coverage, to: coverage.from }, 'out_of_range'],
    ['from', { ...coverage, from: null }, 'missing_field'],
    ['decisions', { ...coverage, decisions: undefined }, 'missing_field'],
    ['decisions', { ...coverage, decisions: 1.5 }, 'wrong_type'],
  ])('%s in %j is refused', (field, value, code) => {
    expect(verdictOf(parseDecision(value, OPTIONS))).toMatch(new RegExp(`^${code}: ${field} `));
  });
});
