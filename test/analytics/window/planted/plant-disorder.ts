import type { Random } from '../../../../scheduler-core/index.ts';
import type { ServiceOrder } from './broken-gateway.ts';
import { between, drawTerms, guaranteedRatio, pick, type Terms } from './draw-terms.ts';
import { drawSpan, modest, type Planted, whileRequestsCome, wronged } from './plant-faults.ts';
import { type PlannedLoad, planRequests, runBroken, runCore } from './run-gateway.ts';
import type { PlantedCause } from './situation.ts';

const ORDERS = {
  newest_first: 'whoever came last is served first',
  at_random: 'anybody is served next',
  longest_queue: 'the longest queue is served first',
} as const;

const overServed = (tenant: string): PlantedCause => ({ cause: 'over_served', tenant });

/** Two tenants send far more than their shares into one queue for all; either may have taken more. */
export function plantTwoFloods(random: Random, seed: number): Planted {
  const terms = drawTerms(random, 1.8);
  const span = drawSpan(random, terms);
  const [first = '', second = '', ...others] = terms.tenants;
  const spansOf = (): PlannedLoad['spans'] => [{ ...span, ratio: between(random, 0.7, 1.5) }];
  const loads: PlannedLoad[] = [
    { tenant: first, ratio: guaranteedRatio(terms, first) / 2, spans: spansOf() ?? [] },
    { tenant: second, ratio: guaranteedRatio(terms, second) / 2, spans: spansOf() ?? [] },
    ...modest(random, terms, others, [0.2, 0.7]),
  ];
  const recorded = runCore(terms, planRequests(terms, loads, seed), { discipline: 'fifo' });
  const victims = new Set(others);
  return {
    terms,
    recorded,
    span: whileRequestsCome(terms, span),
    // The one that floods less, or is due more, may be wronged by the other.
    victims: new Set(terms.tenants),
    summary: `${first} and ${second} flood under fifo`,
    causes: [overServed(first), overServed(second)],
    wronged: wronged({ terms, recorded, victims }),
  };
}

/** A flood into a queue for all that is not even served in the order of arrival. */
export function plantWrongOrder(random: Random, seed: number): Planted {
  const terms = drawTerms(random, 1.8);
  const span = drawSpan(random, terms);
  const order = pick<Exclude<ServiceOrder, 'by_weight' | 'unweighted'>>(random, [
    'newest_first',
    'at_random',
    'longest_queue',
  ]);
  const ratio = between(random, 1, 2.5);
  const others = terms.tenants.slice(1);
  const loads: PlannedLoad[] = [
    { tenant: 'first', ratio: guaranteedRatio(terms, 'first') / 2, spans: [{ ...span, ratio }] },
    ...modest(random, terms, others, [0.2, 0.7]),
  ];
  const recorded = runBroken(terms, planRequests(terms, loads, seed), { order });
  const victims = new Set(others);
  return {
    terms,
    recorded,
    span: whileRequestsCome(terms, span),
    victims,
    summary: `first floods at ${ratio.toFixed(2)}, ${ORDERS[order]}`,
    causes: [overServed('first')],
    wronged: wronged({ terms, recorded, victims }),
  };
}

/** Equal turns where the weights say otherwise: a light tenant that is greedy takes from a heavy one that is not. */
export function plantWeightsIgnored(random: Random, seed: number): Planted {
  const drawn = drawTerms(random, 1.8);
  const victim = drawn.tenants.at(-1) ?? '';
  const weights = { ...drawn.weights, first: 0.5, [victim]: Math.max(8, drawn.tenants.length) };
  const terms: Terms = { ...drawn, weights };
  const span = drawSpan(random, terms);
  const ratio = between(random, 1.1, 2);
  const loads: PlannedLoad[] = [
    { tenant: 'first', ratio: guaranteedRatio(terms, 'first') / 2, spans: [{ ...span, ratio }] },
    ...modest(random, terms, terms.tenants.slice(1, -1), [0.2, 0.7]),
    { tenant: victim, ratio: guaranteedRatio(terms, victim) * between(random, 0.7, 0.9) },
  ];
  const recorded = runBroken(terms, planRequests(terms, loads, seed), { order: 'unweighted' });
  const victims = new Set(terms.tenants.slice(1));
  return {
    terms,
    recorded,
    span: whileRequestsCome(terms, span),
    victims,
    summary: `weights are ignored, first asks for ${ratio.toFixed(2)}`,
    causes: [overServed('first')],
    wronged: wronged({ terms, recorded, victims }),
  };
}

/** One tenant is served when nobody else waits, and somebody always does. */
export function plantComesLast(random: Random, seed: number): Planted {
  const drawn = drawTerms(random, 1.8);
  const terms = { ...drawn, weights: Object.fromEntries(drawn.tenants.map((tenant) => [tenant, 1])) };
  const span = drawSpan(random, terms);
  const victim = terms.tenants.at(-1) ?? '';
  const ratio = between(random, 1.1, 2);
  const loads: PlannedLoad[] = [
    { tenant: 'first', ratio: guaranteedRatio(terms, 'first') / 2, spans: [{ ...span, ratio }] },
    ...modest(random, terms, terms.tenants.slice(1, -1), [0.2, 0.7]),
    { tenant: victim, ratio: guaranteedRatio(terms, victim) * between(random, 0.5, 0.9) },
  ];
  const recorded = runCore(terms, planRequests(terms, loads, seed), {
    discipline: { kind: 'priority', mode: 'strict', order: ['high', 'low'] },
    default_tenant: { class: 'high' },
    tenants: [{ name: victim, class: 'low' }],
  });
  // The others wait in the order of arrival, behind what first sends.
  const victims = new Set(terms.tenants.slice(1));
  return {
    terms,
    recorded,
    span: whileRequestsCome(terms, span),
    victims,
    summary: `${victim} comes last, first asks for ${ratio.toFixed(2)}`,
    causes: [overServed('first')],
    wronged: wronged({ terms, recorded, victims }),
  };
}
