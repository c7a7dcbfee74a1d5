import { describe, expect, test } from 'vitest';
import { eventOf, readJson, spans } from './json-record.ts';

const AUDIT = {
  kind: 'Event',
  auditID: 'a1',
  stage: 'ResponseComplete',
  verb: 'list',
  user: { username: 'system:serviceaccount:team-a:bot' },
  objectRef: { resource: 'pods' },
  requestReceivedTimestamp: '2026-03-02T10:15:07.894000Z',
  stageTimestamp: '2026-03-02T10:15:08.720000Z',
  responseStatus: { code: 200 },
  annotations: { 'apiserver.latency.k8s.io/total': '826ms', 'apiserver.latency.k8s.io/apf-queue-wait': '610ms' },
};
const withWait = (wait: unknown) => ({ 'apiserver.latency.k8s.io/apf-queue-wait': wait });

describe('the wait of an audited request', () => {
  test.each<[object, object, string | null, string]>([
    [{}, { waitMs: 610, serviceMs: 216 }, null, 'annotated'],
    [
      { annotations: withWait('1.5s'), stageTimestamp: '2026-03-02T10:15:10.894Z' },
      { waitMs: 1500, serviceMs: 1500 },
      null,
      'seconds',
    ],
    [
      { annotations: withWait('1m0.25s'), stageTimestamp: '2026-03-02T10:16:10.894Z' },
      { waitMs: 60_250, serviceMs: 2_750 },
      null,
      'parts',
    ],
    [{ annotations: withWait('120µs') }, { waitMs: 0, serviceMs: 826 }, null, 'less than a millisecond'],
    [{ annotations: {} }, { waitMs: 0, serviceMs: 826 }, 'derived', 'over 500 ms it would be annotated'],
    [
      { annotations: undefined, stageTimestamp: '2026-03-02T10:15:08.394Z' },
      { waitMs: 0, serviceMs: 500 },
      'censored',
      'of up to 500 ms nothing is written down',
    ],
    [{ annotations: withWait('2s') }, { waitMs: 826, serviceMs: 0 }, null, 'never longer than the whole'],
  ])('with %j is %j, %s (%s)', (fields, expected, provenance) => {
    const event = eventOf('k8s-audit', { ...AUDIT, ...fields });
    expect(spans(event)).toEqual(expected);
    expect(event.waitProvenance).toBe(provenance);
    expect(event.tenant).toBe('system:serviceaccount:team-a:bot');
  });
});

describe('a 429', () => {
  const refused = { ...AUDIT, responseStatus: { code: 429 }, annotations: undefined };
  test('is the queue refusing', () => {
    expect(eventOf('k8s-audit', refused)).toMatchObject({
      outcome: 'rejected',
      reason: 'queue_full',
      completedAtMs: null,
    });
  });

  test('after waiting is a wait that was too long', () => {
    const event = eventOf('k8s-audit', { ...refused, annotations: withWait('700ms') });
    expect(event).toMatchObject({ outcome: 'rejected', reason: 'wait_budget', dispatchedAtMs: null });
    expect((event.completedAtMs ?? 0) - event.arrivedAtMs).toBe(700);
  });

  test('of an eviction is a disruption budget and no decision of the queue', () => {
    const eviction = { ...refused, verb: 'create', objectRef: { resource: 'pods', subresource: 'eviction' } };
    expect(eventOf('k8s-audit', eviction)).toMatchObject({ outcome: 'admitted', status: 'error' });
  });
});

test.each<[object, string]>([
  [{ stage: 'RequestReceived' }, 'an earlier stage'],
  [{ stage: 'ResponseStarted' }, 'an earlier stage'],
  [{ verb: 'watch' }, 'holds no seat'],
  [{ objectRef: { subresource: 'exec' } }, 'holds no seat'],
])('%j is skipped: %s', (fields) => {
  expect(readJson('k8s-audit', { ...AUDIT, ...fields })).toEqual({ kind: 'skip' });
});

test.each([
  [{ requestReceivedTimestamp: undefined }, 'missing_field'],
  [{ requestReceivedTimestamp: 1772446507894 }, 'time_format'],
  [{ annotations: withWait('soon') }, 'wrong_type'],
  [{ annotations: withWait('1s2') }, 'wrong_type'],
  [{ annotations: withWait('') }, null],
])('with %j: %s', (fields, code) => {
  const outcome = readJson('k8s-audit', { ...AUDIT, ...fields });
  expect(outcome.kind === 'rejected' ? outcome.code : null).toBe(code);
});
