import { type Random, type SlotChange, sampleLognormal } from '../../../../scheduler-core/index.ts';
import { between, drawTerms, guaranteedRatio, magnitude, pick, type Terms } from './draw-terms.ts';
import { fairPolicy } from './plant-faults.ts';
import { type PlannedLoad, planRequests, type Recorded, runCore } from './run-gateway.ts';
import { FROM_MS, MINUTE_MS } from './situation.ts';

export interface PlantedFair {
  readonly terms: Terms;
  readonly recorded: Recorded;
  readonly slotChanges?: readonly SlotChange[];
  readonly summary: string;
  readonly capped: { readonly tenant: string; readonly windows: readonly number[] } | null;
}

/** Loads of all tenants that add up to some part of the capacity, as uneven as it comes. */
function uneven(random: Random, tenants: readonly string[], total: number): PlannedLoad[] {
  const parts = tenants.map(() => sampleLognormal(random, 1, 1));
  const sum = parts.reduce((all, part) => all + part, 0);
  return tenants.map((tenant, index) => ({ tenant, ratio: ((parts[index] ?? 0) / sum) * total }));
}

const SHAPES = [
  'steady',
  'steady',
  'flood',
  'two floods',
  'burst before the end',
  'a minute in two seconds',
  'on and off',
  'growing',
  'batches',
  'long requests',
  'fewer slots, as declared',
  'calm',
] as const;

/** A fair scheduler, whatever tenants do. */
export function plantNothing(random: Random, seed: number): PlantedFair {
  const shape = pick(random, SHAPES);
  const total = shape === 'calm' ? between(random, 0.1, 0.5) : magnitude(random, 0.3, 3);
  const terms = drawTerms(random, total + 0.2);
  const loads = uneven(random, terms.tenants, total);
  const spansOf = (): NonNullable<PlannedLoad['spans']> => {
    const minutes = Array.from({ length: terms.windows }, (_, minute) => minute * MINUTE_MS);
    switch (shape) {
      case 'flood': {
        const fromMs = Math.round(between(random, 5_000, 70_000));
        return [{ fromMs, toMs: fromMs + Math.round(between(random, 10_000, 80_000)), ratio: between(random, 1, 3) }];
      }
      case 'burst before the end': {
        const ratio = between(random, 1, 15);
        return [{ fromMs: 50_000, toMs: 51_000, ratio }];
      }
      case 'a minute in two seconds': {
        const ratio = guaranteedRatio(terms, 'first') * 30 * between(random, 0.3, 1);
        const at = Math.round(between(random, 0, 57_000));
        return minutes.map((minute) => ({ fromMs: minute + at, toMs: minute + at + 2_000, ratio }));
      }
      case 'on and off': {
        const ratio = between(random, 1, 3);
        const everyMs = Math.round(between(random, 4_000, 40_000));
        const count = Math.ceil((terms.windows * MINUTE_MS) / everyMs);
        return Array.from({ length: count }, (_, index) => index * everyMs).map((fromMs) => ({
          fromMs,
          toMs: fromMs + Math.round(everyMs / 2),
          ratio,
        }));
      }
      case 'growing':
        return Array.from({ length: terms.windows * 6 }, (_, index) => index * 10_000).map((fromMs) => ({
          fromMs,
          toMs: fromMs + 10_000,
          ratio: (fromMs / (terms.windows * MINUTE_MS)) * 3,
        }));
      case 'batches': {
        const count = between(random, 0.1, 1) * guaranteedRatio(terms, 'first') * 10_000;
        return Array.from({ length: terms.windows * 6 }, (_, index) => index * 10_000 + 3_000).map((fromMs) => ({
          fromMs,
          toMs: fromMs + 20,
          ratio: count / 20,
        }));
      }
      default:
        return [];
    }
  };
  const spans = spansOf();
  const planned = loads.map((load): PlannedLoad => {
    if (shape === 'long requests' && load.tenant === 'first') return { ...load, longer: between(random, 3, 30) };
    if (shape === 'two floods' && (load.tenant === 'first' || load.tenant === terms.tenants[1])) {
      const fromMs = Math.round(between(random, 5_000, 70_000));
      const toMs = fromMs + Math.round(between(random, 10_000, 120_000));
      return { ...load, spans: [{ fromMs, toMs, ratio: between(random, 0.7, 2) }] };
    }
    if (load.tenant !== 'first' || spans.length === 0) return load;
    return shape === 'a minute in two seconds' ? { ...load, ratio: 0, spans } : { ...load, spans };
  });
  const slotChanges: SlotChange[] = [];
  if (shape === 'fewer slots, as declared') {
    const atMs = FROM_MS + Math.round(between(random, 5_000, 90_000));
    slotChanges.push(
      { atMs, slots: Math.max(1, Math.floor(terms.slots * between(random, 0.2, 0.7))) },
      { atMs: atMs + Math.round(between(random, 20_000, 90_000)), slots: terms.slots },
    );
  }
  const recorded = runCore(terms, planRequests(terms, planned, seed), fairPolicy(terms), slotChanges);
  return { terms, recorded, slotChanges, summary: `${shape}, load ${total.toFixed(2)}`, capped: null };
}

/** One tenant's quota refuses most of what it sends. */
export function plantQuota(random: Random, seed: number): PlantedFair {
  const terms = drawTerms(random, 1.5);
  const guaranteed = guaranteedRatio(terms, 'first');
  const capacityRps = (terms.slots * 1000) / terms.meanServiceMs;
  const rate = guaranteed * between(random, 0.2, 0.7) * capacityRps;
  const ratio = between(random, 0.8, 2);
  const loads = [{ tenant: 'first', ratio }, ...uneven(random, terms.tenants.slice(1), between(random, 0.2, 1.2))];
  const policy = {
    ...fairPolicy(terms),
    weights: undefined,
    tenants: terms.tenants.map((name) => ({
      name,
      weight: terms.weights[name] ?? 1,
      ...(name === 'first' ? { quota: { rate_per_s: rate, burst: Math.max(1, rate / 4) } } : {}),
    })),
  };
  const recorded = runCore(terms, planRequests(terms, loads, seed), policy);
  const windows = new Set(
    recorded.ended
      .filter((each) => each.outcome === 'rejected' && each.reason === 'quota')
      .map((each) => Math.floor((each.request.arrivedAtMs % (60 * MINUTE_MS)) / MINUTE_MS)),
  );
  return {
    terms,
    recorded,
    summary: `first sends ${ratio.toFixed(2)} against a quota`,
    capped: { tenant: 'first', windows: [...windows].sort((a, b) => a - b) },
  };
}
