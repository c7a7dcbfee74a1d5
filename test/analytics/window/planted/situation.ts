import type { DecisionEvent } from '../../../../ingest/event/decision-event.ts';

export const MINUTE_MS = 60_000;
/** 2026-10-01T14:00:00Z: where every situation begins. */
export const FROM_MS = Date.UTC(2026, 9, 1, 14);

export const PLANTED_KINDS = [
  'nothing',
  'flood',
  'flood_refused',
  'lost_capacity',
  'skipped_tenant',
  'strict_priority',
  'idle_scheduler',
  'quota',
  'two_floods',
  'wrong_order',
  'weights_ignored',
  'comes_last',
] as const;
export type PlantedKind = (typeof PLANTED_KINDS)[number];

/** What explains a window, as planted. */
export interface PlantedCause {
  readonly cause: 'none' | 'over_served' | 'idle_slots' | 'lost_capacity' | 'carried_over' | 'quota';
  readonly tenant: string | null;
}

/** What must come out. */
export interface Expectation {
  /** Numbers, from 0, of the windows that must be unfair, with the cause; other windows may be. */
  readonly unfair: readonly number[];
  /** Of those the ones in which the planted cause was at work for long: there it must be named as such. */
  readonly named: readonly number[];
  readonly causes: readonly PlantedCause[];
  /** Who may be short; null: nobody. */
  readonly victims: ReadonlySet<string> | null;
  /** From this window on others may be too: whoever is made up to takes from those who were not wronged. */
  readonly aftermathFrom: number;
  /** The tenant that its quota holds back, and in which windows. */
  readonly capped: { readonly tenant: string; readonly windows: readonly number[] } | null;
}

/** What a gateway recorded, and the truth about it. */
export interface Situation {
  readonly seed: number;
  readonly kind: PlantedKind;
  /** In a line: what was drawn. */
  readonly summary: string;
  readonly events: readonly DecisionEvent[];
  readonly slots: number;
  /** Slots that were declared anew, in time order. */
  readonly slotChanges: readonly { readonly atMs: number; readonly slots: number }[];
  readonly weights: Readonly<Record<string, number>>;
  readonly costUnit: 'requests' | 'service_ms';
  readonly windows: number;
  /** Nothing is known of what came later. */
  readonly watermarkMs: number;
  readonly expected: Expectation;
}
