import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { type ExplainContext, explainWindow, MAX_TENANTS } from '../../../analytics/explain/explain-window.ts';
import { type Explanation, ExplanationSchema } from '../../../analytics/explain/explanation.ts';
import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';
import { describeExplanation } from '../../../cli/commands/explain-text.ts';
import { fluidOf, madeTenant, madeWindow } from './made-window.ts';

const CONTEXT: ExplainContext = { pool: 'llm-a', before: null, groupWeights: new Map() };
const BEFORE = { start: '2026-11-01T14:04:00.000Z', end: '2026-11-01T14:05:00.000Z' };

function explain(window: Window, tenant: string | null = null, context: Partial<ExplainContext> = {}): Explanation {
  const explanation = explainWindow(window, tenant, { ...CONTEXT, ...context });
  expect(Value.Check(ExplanationSchema, JSON.parse(JSON.stringify(explanation)))).toBe(true);
  return explanation;
}

const small = (given: Partial<Parameters<typeof madeTenant>[0]> = {}): TenantWindow =>
  madeTenant({ tenant: 'small03', verdict: 'short', fair: 301, served: 79, lag: 222, ...given });
const big = (excess: number): TenantWindow =>
  madeTenant({ tenant: 'big01', verdict: 'over', fair: 27_480, served: 27_480 + excess, demand_cost: 139_000 });
const causesOf = (explanation: Explanation): unknown =>
  explanation.ledger?.entries.map(({ cause, tenant, percent }) => [percent, cause, tenant]);

describe('an unfair window', () => {
  test('names who was served beyond its share, and what is left to lost capacity', () => {
    const explanation = explain(madeWindow([small(), big(204)]));
    expect(explanation.summary).toEqual([
      'At 14:05 UTC on 2026-11-01 pool llm-a was unfair: small03 got 79 of the 301 requests it was entitled to (26%); at the end 222 was overdue.',
      'big01 was served 204 beyond its share, which is 92% of the shortfall; 8% is lost capacity: work that was due and that nobody got done.',
    ]);
    expect(explanation.top_cause).toEqual({ cause: 'over_served', tenant: 'big01' });
    expect(causesOf(explanation)).toEqual([
      [92, 'over_served', 'big01'],
      [8, 'lost_capacity', null],
    ]);
    expect(explanation.tenants.map(({ tenant, attributed_cost }) => [tenant, attributed_cost])).toEqual([
      ['small03', 0],
      ['big01', 204],
    ]);
  });

  test('puts down to a culprit no more than the shortfall, in steps of a second where there are some', () => {
    const victim = small({ lag: 0, fluid: fluidOf(79, { ideal: 290, lag: 200 }) });
    const most = big(4_210);
    const culprit = {
      ...most,
      fluid: fluidOf(most.served_cost ?? 0, { ideal: 27_400, lag: 0, inShare: 139_000 }),
    };
    const explanation = explain(madeWindow([victim, culprit]));
    expect(explanation.summary[0]).toContain(
      '79 of the 290 requests it was entitled to (27%); at the worst moment 200',
    );
    expect(explanation.summary[1]).toBe('big01 was served 4,290 beyond its share, which is 100% of the shortfall.');
    expect(explanation.ledger?.entries[0]?.cost).toBe(200);
  });

  test('puts it down to lost capacity where nobody was served beyond its share', () => {
    const configured: Partial<Window> = { capacity: { cost: 600, basis: 'configured' } };
    const halves = ['a', 'b'].map((tenant) => small({ tenant, fair: 300, served: 150, lag: 150 }));
    expect(explain(madeWindow(halves, configured)).top_cause).toEqual({ cause: 'lost_capacity', tenant: null });
    const idle = explain(madeWindow(halves, { ...configured, idle_while_waiting_ratio: 0.5 }));
    expect(idle.top_cause).toEqual({ cause: 'idle_slots', tenant: null });
    expect(idle.summary[1]).toBe('100% of the shortfall is lost capacity: slots stood idle while requests waited.');
  });

  test('tells a debt of earlier windows from one that goes on growing', () => {
    const before = madeWindow([small({ lag: 200 })], BEFORE);
    const paidBack = explain(madeWindow([small({ fair: 300, served: 300, lag: 190 })]), null, { before });
    expect(paidBack.top_cause).toEqual({ cause: 'carried_over', tenant: null });
    const growing = explain(madeWindow([small({ fair: 300, served: 100, lag: 400 })]), null, { before });
    expect(causesOf(growing)).toEqual([
      [50, 'carried_over', null],
      [50, 'lost_capacity', null],
    ]);
    expect(growing.top_cause).toEqual({ cause: 'lost_capacity', tenant: null });
  });

  test('takes nothing from the window before where another one lies between them', () => {
    const before = madeWindow([small({ lag: 200 })], { ...BEFORE, end: BEFORE.start });
    const explanation = explain(madeWindow([small({ served: 301, lag: 190 })]), null, { before });
    expect(causesOf(explanation)).toEqual([[100, 'none', null]]);
    expect(explanation.summary[1]).toBe(
      '100% of the shortfall cannot be put down to anybody: no work that was due went undone, but some was done late.',
    );
  });

  test('does not blame a tenant for getting what it was owed itself', () => {
    const owed = madeTenant({ tenant: 'owed', verdict: 'over', fair: 100, served: 160 });
    const before = madeWindow(
      [madeTenant({ tenant: 'owed', verdict: 'short', fair: 100, served: 40, lag: 60 })],
      BEFORE,
    );
    expect(causesOf(explain(madeWindow([small(), owed]), null, { before }))).toEqual([
      [73, 'lost_capacity', null],
      [27, 'carried_over', null],
    ]);
  });

  test('names who burst into a part of the window that evened out over the whole of it', () => {
    const victim = small({
      fair: 301,
      served: 301,
      lag: 0,
      fluid: fluidOf(301, { ideal: 301, lag: 80, inShare: 301, share: 1 }),
    });
    const burst = madeTenant({
      tenant: 'burst',
      verdict: 'fair',
      fair: 1_000,
      served: 1_000,
      fluid: { ...fluidOf(1_000, { ideal: 1_000, lag: 0, inShare: 400, share: 1 }), excess_cost: 90 },
    });
    const calm = madeTenant({
      tenant: 'calm',
      verdict: 'fair',
      fair: 900,
      served: 900,
      fluid: fluidOf(900, { ideal: 900, lag: 0, inShare: 900, share: 1 }),
    });
    const explanation = explain(madeWindow([victim, burst, calm]));
    expect(explanation.top_cause).toEqual({ cause: 'over_served', tenant: 'burst' });
    expect(explanation.summary[1]).toBe(
      'burst was for a part of the window served 90 beyond its share, which is 100% of the shortfall.',
    );
  });

  test('explains one tenant beside those who displaced it, and one that displaced others', () => {
    const others = Array.from({ length: 30 }, (_, index) => small({ tenant: `other${index}` }));
    const window = madeWindow([small(), ...others, big(9_000)]);
    const victim = explain(window, 'small03');
    expect(victim.tenants.map((each) => each.tenant)).toEqual(['small03', 'big01']);
    expect(victim.tenants_left_out).toBe(30);
    expect(victim.ledger?.tenants).toHaveLength(1);
    expect(victim.ledger?.deficit_cost).toBe(222);
    expect(victim.summary[1]).toBe(
      'small03 got 79 of the 301 requests it was entitled to (26%); at the end 222 was overdue.',
    );
    const culprit = explain(window, 'big01');
    expect(culprit.summary.slice(1)).toEqual([
      'big01 was served 36,480 requests, 9,000 beyond the 27,480 it was entitled to.',
      'It accounts for 6,882 requests that others were short of.',
    ]);
    expect([culprit.ledger, culprit.ledger_reason, culprit.top_cause.cause]).toEqual([null, 'not_short', 'none']);
  });

  test('bounds what it lists, and says what is left out', () => {
    const many = Array.from({ length: 2_500 }, (_, index) => small({ tenant: `s${index}`, lag: 1 + index }));
    const over = Array.from({ length: 40 }, (_, index) =>
      madeTenant({ tenant: `o${index}`, verdict: 'over', fair: 1, served: 10 + index }),
    );
    const explanation = explain(madeWindow([...many, ...over]));
    expect([explanation.tenants.length, explanation.tenants_left_out]).toEqual([MAX_TENANTS, 1_540]);
    expect([explanation.ledger?.tenants.length, explanation.ledger?.tenants_left_out]).toEqual([1_000, 1_500]);
    expect([explanation.filling?.steps.length, explanation.filling?.steps_left_out]).toEqual([1_000, 1_540]);
    const entries = explanation.ledger?.tenants[0]?.entries ?? [];
    expect(entries.filter((entry) => entry.tenant !== null)).toHaveLength(20);
    expect(entries.find((entry) => entry.cause === 'over_served' && entry.tenant === null)?.tenants).toBe(20);
    const listed = new Set(explanation.tenants.map((each) => each.tenant));
    expect(entries.every(({ tenant }) => tenant === null || listed.has(tenant))).toBe(true);
  });

  test('lists the tenant that it names behind any number of short ones', () => {
    const many = Array.from({ length: 21 }, (_, index) => small({ tenant: `s${index}`, lag: 100 + index }));
    const text = describeExplanation(explain(madeWindow([...many, big(9_000)])));
    expect(text).toMatch(/^big01 +1 +over /m);
    expect(text).toContain('… and 1 tenant more (');
    expect(text).toContain('… and 1 short tenant more (');
  });
});

describe('a window in which nobody is short', () => {
  const fair = madeTenant({ tenant: 'a', verdict: 'fair', fair: 50, served: 50, demand_cost: 80 });

  test('has no ledger, and says why it is fair or uncontended', () => {
    const explanation = explain(madeWindow([fair], { capacity: { cost: 50, basis: 'measured' } }));
    expect(explanation.summary).toEqual([
      'At 14:05 UTC on 2026-11-01 pool llm-a was fair: its tenants asked for 80 requests and it could serve 50, and nobody was short of what it was entitled to.',
    ]);
    expect([explanation.ledger, explanation.ledger_reason]).toEqual([null, 'nobody_short']);
    expect(explanation.top_cause).toEqual({ cause: 'none', tenant: null });
    expect(explain(madeWindow([fair], { verdict: 'uncontended' })).summary[0]).toContain('was uncontended');
  });

  test('names the tenant that its own quota cost the most', () => {
    const capped = (tenant: string, refused: number): TenantWindow =>
      madeTenant({ tenant, verdict: 'capped', fair: 10, served: 10, quota_refused_cost: refused });
    const explanation = explain(madeWindow([fair, capped('b', 5), capped('c', 70), capped('d', 70)]));
    expect(explanation.top_cause).toEqual({ cause: 'quota', tenant: 'c' });
    expect(explanation.summary[1]).toBe(
      'c was held back by its own quota, which refused it 70 requests; it got 10 of the 10 it was entitled to (100%). So were 2 more.',
    );
  });

  test('says of an idle tenant that it asked for nothing, and of one that was refused where its requests went', () => {
    const idle = madeTenant({ tenant: 'i', verdict: 'idle', fair: 0, served: 0 });
    const refused = madeTenant({
      tenant: 'r',
      verdict: 'fair',
      fair: 100,
      served: 20,
      rejected: { queue_full: 80, quota: 7 },
    });
    const late = madeTenant({ tenant: 'l', verdict: 'fair', fair: 4, served: 2, lag: 2 });
    const window = madeWindow([idle, refused, late]);
    expect(explain(window, 'l').summary[1]).toBe(
      'l got 2 of the 4 requests it was entitled to (50%); what was overdue, 2, is within what schedulers of whole requests cannot avoid.',
    );
    expect(explain(window, 'i').summary[1]).toBe('i asked for nothing and was owed nothing.');
    expect(explain(window, 'r').summary[1]).toBe(
      'r got 20 of the 100 requests it was entitled to (20%); 80 of its requests were refused, and what was refused leaves nothing overdue.',
    );
  });
});

describe('a window that cannot be judged', () => {
  const unknown = madeTenant({ tenant: 'a', verdict: 'unknown', fair: null, served: 3 });

  test.each([
    ['no_capacity', 'not_declared', /its slots are not declared.* To mend it: declare the slots/],
    ['no_capacity', 'nothing_served_yet', /nothing has been served yet/],
    ['no_waits', 'no_waits', /have no queue wait\. To mend it: have the gateway log when/],
    ['no_tenants', 'no_tenants', /name no tenant\. To mend it/],
    ['something_new', 'something_new', /^The reason is: something new\.$/],
  ])('for %s (%s) says why, and what would mend it', (reason, code, words) => {
    const explanation = explain(
      madeWindow([unknown], {
        verdict: 'unknown',
        verdict_reasons: [reason],
        capacity: { cost: null, basis: 'unknown', reason: code },
      }),
    );
    expect(explanation.summary[0]).toBe('At 14:05 UTC on 2026-11-01 pool llm-a cannot be judged.');
    expect(explanation.summary[1]).toMatch(words);
    expect([explanation.filling, explanation.filling_reason]).toEqual([null, code]);
    expect([explanation.ledger, explanation.ledger_reason]).toEqual([null, reason]);
    expect(explanation.tenants[0]).toMatchObject({ ideal_cost: null, normalized_share: null, reason });
    expect(explanation.top_cause.cause).toBe('none');
  });
});

describe('what is not certain', () => {
  test('is said: inferred capacity, bounded or censored waits, provisional and restated windows, changed policies', () => {
    const waits = { ...small().wait_ms, provenance: 'bounded' };
    const window = madeWindow([small(), big(204)], {
      capacity: { cost: 27_781, basis: 'inferred' },
      wait_ms: waits,
      state: 'provisional',
      revision: 2,
      policy_changed: true,
      lost: 3,
      idle_while_waiting_ratio: null,
      idle_while_waiting_reason: 'not_declared',
    });
    expect(explain(window).notes.map((note) => note.code)).toEqual([
      'capacity_inferred',
      'waits_bounded',
      'provisional',
      'restated',
      'policy_changed',
      'lost_requests',
      'not_fluid',
      'idle_unknown',
    ]);
    const censored = { ...small().wait_ms, provenance: 'censored' };
    expect(explain(madeWindow([small({ wait_ms: censored })]), 'small03').notes[0]?.code).toBe('waits_censored');
  });
});

describe('groups', () => {
  test('are filled first, by the weights that they had then', () => {
    const member = (tenant: string, fair: number): TenantWindow =>
      madeTenant({ tenant, verdict: 'fair', group: 'acme', fair, served: fair, demand_cost: 300 });
    const lone = madeTenant({ tenant: 'lone', verdict: 'fair', fair: 100, served: 100, demand_cost: 300 });
    const window = madeWindow([member('k1', 100), member('k2', 100), lone], {
      capacity: { cost: 300, basis: 'measured' },
    });
    const { filling } = explain(window, null, { groupWeights: new Map([['acme', 2]]) });
    expect(filling?.steps.map((step) => [step.kind, step.name, step.share_cost])).toEqual([
      ['group', 'acme', 200],
      ['tenant', 'lone', 100],
    ]);
    expect(filling?.groups[0]?.inside.steps.map((step) => step.share_cost)).toEqual([100, 100]);
  });
});

describe('names', () => {
  test.each([
    ['\u001b[31mred', '"\\u{1b}[31mred"'],
    ['a was fair. b', '"a was fair. b"'],
    ['\u202egnp.exe', '"\\u{202e}gnp.exe"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['', '""'],
    ['中文', '中文'],
    ['team/model:7@eu', 'team/model:7@eu'],
  ])('%j stands in sentences as %s', (tenant, shown) => {
    expect(explain(madeWindow([small({ tenant })])).summary[0]).toContain(`unfair: ${shown} got 79`);
  });
});
