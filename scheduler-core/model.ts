/**
 * What a scheduler knows of a request when it arrives. Immutable; a scheduler hands back the very object it was given.
 */
export interface Request {
  /** Identity among the requests that wait or are served. Opaque. */
  readonly id: string;
  /** Who pays for it. Opaque, compared code unit by code unit. */
  readonly tenant: string;
  /** Default: the class that the policy gives the tenant. */
  readonly class?: string;
  /** What it is expected to take of the pool, in the pool's cost unit; finite, ≥ 0. Default: by tokens, else 1. */
  readonly costEstimate?: number;
  /** How many of the pool's slots it holds while served; > 0. Default 1. */
  readonly slots?: number;
  /** How long it can wait, ms; > 0. Default: as the policy says of its tenant or class. */
  readonly waitBudgetMs?: number;
  /** Tokens of the prompt; ≥ 0. */
  readonly inputTokens?: number;
  /** The most tokens that may be generated; ≥ 0. */
  readonly outputTokensMax?: number;
}

/** Why a request is not served. */
export type RefusalReason =
  /** Its tenant's queue, or the whole, is full. */
  | 'queue_full'
  /** Its tenant has used up its quota for now. */
  | 'quota'
  /** It costs more than its tenant's quota can ever cover at once. */
  | 'cost_above_burst'
  /** It could not be served within its wait budget, or has outlived it. */
  | 'wait_budget'
  /** Its tenant's calls keep failing. */
  | 'circuit_open'
  /** Its class is throttled by the degradation ladder. */
  | 'degraded'
  /** The policy refuses tenants that it does not name. */
  | 'unknown_tenant';

/** `refused` null: taken into the queue. A refusal is a value, never an exception. */
export type OfferResult =
  | { readonly refused: null }
  | {
      readonly refused: RefusalReason;
      /** After how long a retry may pass, ms; > 0, Infinity when never; null when nobody can tell. */
      readonly retryAfterMs: number | null;
    };

/** A request that goes to a server now. */
export interface Dispatch<R extends Request = Request> {
  readonly id: string;
  readonly tenant: string;
  readonly request: R;
  /** From offer to now, ms. */
  readonly waitedMs: number;
  /** The starvation guard, a boost or the wait budget moved it ahead of its turn. */
  readonly promoted: boolean;
  /** `light` while the degradation ladder has its class in the light mode. */
  readonly mode: 'normal' | 'light';
}

/** How a dispatched request ended. `cancelled` says nothing about the server: breakers ignore it. */
export type CompletionStatus = 'ok' | 'error' | 'timeout' | 'cancelled';
