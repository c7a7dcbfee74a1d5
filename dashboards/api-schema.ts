import { type Static, Type } from 'typebox';
import {
  ExplanationSchema,
  PoolSummarySchema,
  PoolWindowsSchema,
  type TenantWindow,
  type Window,
} from './analytics-door.ts';

export type { Explanation, PoolSummary, PoolWindows, Quality, TenantWindow, Window } from './analytics-door.ts';
export { ExplanationSchema, PoolWindowsSchema };

export type WindowVerdict = Window['verdict'];
export type TenantVerdict = TenantWindow['verdict'];

/** What `GET /api/v1/pools` answers. */
export const PoolsResponseSchema = Type.Object({
  /** The server's time of the answer: pages measure ages against it, not against the reader's own clock. */
  now: Type.String({ format: 'date-time' }),
  /** Length of the windows that this server reads. */
  window_ms: Type.Integer(),
  pools: Type.Array(PoolSummarySchema),
  /** Events that could not be stored since `since`, by reason code. */
  dead_letters: Type.Object({
    since: Type.String({ format: 'date-time' }),
    by_reason: Type.Record(Type.String(), Type.Integer()),
  }),
});
export type PoolsResponse = Static<typeof PoolsResponseSchema>;

/** What `GET /healthz` answers: the process runs and takes requests, no more. */
export const HealthSchema = Type.Object({ status: Type.Literal('ok') });

/** What `GET /readyz` answers: 200 when ready, 503 otherwise, with every reason. */
export const ReadinessSchema = Type.Object({ ready: Type.Boolean(), reasons: Type.Array(Type.String()) });
export type Readiness = Static<typeof ReadinessSchema>;

/** RFC 9457 problem details with our stable `code`. `type` is `about:blank`: the status says the kind of problem. */
export const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
});
export type Problem = Static<typeof ProblemSchema>;
