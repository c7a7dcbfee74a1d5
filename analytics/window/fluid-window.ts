import { type FluidSpan, jainIndex } from '../../scheduler-core/index.ts';
import type { TenantNumbers } from './tenant-numbers.ts';

/** A tenant's figures of one window in the fluid model, in the pool's cost unit. */
export interface FluidTenant {
  /** Ideal service: `Σ f_i` over the steps. */
  readonly ideal: number;
  /** What it was served, of all attempts. */
  readonly served: number;
  /** The largest lag at the end of a step. */
  readonly maxLag: number;
  /** By how much longer a unit of its work waited than in a fair system, on average, ms; null without ideal service. */
  readonly excessWaitMs: number | null;
  /** `q_i` at the window's end. */
  readonly backlog: number;
  /** What verdicts go by: see `GpsSpan`. */
  readonly gps: {
    readonly served: number;
    readonly refused: number;
    readonly lagBefore: number;
    readonly maxLag: number;
    readonly excess: number;
    readonly aheadBefore: number;
    readonly backlog: number;
  };
}

const NO_FLUID: FluidTenant = {
  ideal: 0,
  served: 0,
  maxLag: 0,
  excessWaitMs: null,
  backlog: 0,
  gps: { served: 0, refused: 0, lagBefore: 0, maxLag: 0, excess: 0, aheadBefore: 0, backlog: 0 },
};

/** One window in the fluid model. */
export interface FluidWindow {
  readonly of: (tenant: string) => FluidTenant;
  readonly jainIndex: number | null;
  readonly minNormalizedShare: { readonly value: number; readonly tenant: string } | null;
  readonly maxLag: { readonly value: number; readonly tenant: string } | null;
  /** Demand exceeded the capacity in some step. */
  readonly contended: boolean;
  /** Work per busy slot-ms of the nearest second with service up to the window's end. */
  readonly workPerBusyMs: number | null;
  /** `q̂_i` at its end of tenants that had no request in it: they got ahead before. In the order of the tenants' numbers. */
  readonly absentDueBacklogs: ReadonlyMap<string, number>;
}

/** What a window's figures are made of beside those of its span. */
export interface FluidWindowContext {
  readonly decided: { readonly tenants: readonly { readonly tenant: string }[] };
  /** Of the tenants in the span. */
  readonly numbers: TenantNumbers;
  readonly stepMs: number;
  readonly workPerBusyMs: number | null;
}

/** A window's figures, kept apart from the span, which is valid during its call only. */
export function fluidWindow(span: FluidSpan, context: FluidWindowContext): FluidWindow {
  const { decided, numbers, stepMs, workPerBusyMs } = context;
  const present = Int32Array.from(decided.tenants, ({ tenant }) => numbers.of(tenant));
  const kept = new KeptSpan(span, numbers.size);
  return {
    of: (tenant) => {
      const place = kept.placeOf(numbers.of(tenant));
      return place === -1 ? NO_FLUID : kept.at(place, stepMs);
    },
    ...indexes(decided, span, present),
    contended: span.contended,
    workPerBusyMs,
    absentDueBacklogs: absentDueBacklogs(span, present, numbers.names),
  };
}

/** The figures of a span's tenants in columns: one object each would be four times as large. */
class KeptSpan {
  readonly #tenants: number;
  /** By place, ascending. */
  readonly #tenantAt: Int32Array;
  readonly #figures: Pick<FluidSpan, 'ideal' | 'served' | 'maxLag' | 'lagSum' | 'backlog' | 'gps'>;

  constructor({ touched, ideal, served, maxLag, lagSum, backlog, gps }: FluidSpan, tenants: number) {
    const kept = (figures: Float64Array): Float64Array => {
      const column = new Float64Array(touched.length);
      for (let place = 0; place < touched.length; place++) column[place] = figures[touched[place] ?? 0] ?? 0;
      return column;
    };
    this.#tenants = tenants;
    this.#tenantAt = touched.slice();
    this.#figures = {
      ideal: kept(ideal),
      served: kept(served),
      maxLag: kept(maxLag),
      lagSum: kept(lagSum),
      backlog: kept(backlog),
      gps: {
        served: kept(gps.served),
        refused: kept(gps.refused),
        lagBefore: kept(gps.lagBefore),
        maxLag: kept(gps.maxLag),
        excess: kept(gps.excess),
        aheadBefore: kept(gps.aheadBefore),
        backlog: kept(gps.backlog),
      },
    };
  }

  /** -1: the span has nothing of the tenant. */
  placeOf(tenant: number): number {
    const count = this.#tenantAt.length;
    // At most as many places before its number as there are tenants missing: mostly few are.
    let low = Math.max(0, tenant - (this.#tenants - count));
    let high = Math.min(count, tenant + 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tenantAt[middle] ?? 0) < tenant) low = middle + 1;
      else high = middle;
    }
    return this.#tenantAt[low] === tenant ? low : -1;
  }

  at(place: number, stepMs: number): FluidTenant {
    const { ideal: ideals, served, maxLag, lagSum, backlog, gps } = this.#figures;
    const ideal = ideals[place] ?? 0;
    return {
      ideal,
      served: served[place] ?? 0,
      maxLag: maxLag[place] ?? 0,
      excessWaitMs: ideal > 0 ? ((lagSum[place] ?? 0) * stepMs) / ideal : null,
      backlog: backlog[place] ?? 0,
      gps: {
        served: gps.served[place] ?? 0,
        refused: gps.refused[place] ?? 0,
        lagBefore: gps.lagBefore[place] ?? 0,
        maxLag: gps.maxLag[place] ?? 0,
        excess: gps.excess[place] ?? 0,
        aheadBefore: gps.aheadBefore[place] ?? 0,
        backlog: gps.backlog[place] ?? 0,
      },
    };
  }
}

/** The figures of all tenants of the window together; of equals the first by name counts as the worst off. */
function indexes(
  { tenants }: FluidWindowContext['decided'],
  { ideal: ideals, served, maxLag: lags }: FluidSpan,
  present: Int32Array,
): Pick<FluidWindow, 'jainIndex' | 'minNormalizedShare' | 'maxLag'> {
  const normalized: number[] = [];
  let least: { value: number; tenant: string } | null = null;
  let most: { value: number; tenant: string } | null = null;
  for (const [index, { tenant }] of tenants.entries()) {
    const number = present[index] ?? -1;
    const ideal = ideals[number] ?? 0;
    if (ideal > 0) {
      const value = (served[number] ?? 0) / ideal;
      normalized.push(value);
      if (least === null || value < least.value) least = { value, tenant };
    }
    const lag = lags[number] ?? 0;
    if (lag > (most?.value ?? 0)) most = { value: lag, tenant };
  }
  return { jainIndex: jainIndex(normalized), minNormalizedShare: least, maxLag: most };
}

function absentDueBacklogs(
  { touched, gps }: FluidSpan,
  present: Int32Array,
  names: readonly string[],
): ReadonlyMap<string, number> {
  const isPresent = new Uint8Array(names.length);
  for (const number of present) if (number !== -1) isPresent[number] = 1;
  const absent = new Map<string, number>();
  for (const number of touched) {
    const backlog = gps.backlog[number] ?? 0;
    if (backlog > 0 && isPresent[number] === 0) absent.set(names[number] ?? '', backlog);
  }
  return absent;
}
