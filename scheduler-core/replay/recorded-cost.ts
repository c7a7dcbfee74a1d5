import type { Policy } from '../policy/policy.ts';
import { quantileRank } from '../share/index.ts';
import type { ShareUnit } from '../simulate/request-fate.ts';
import type { RecordedRequest } from './recorded-request.ts';

export interface RequestCost {
  /** What a scheduler is told on arrival. */
  readonly estimated: number;
  readonly actual: number;
}

/** A token of input and one of output cost the same, unless a policy names prices. */
const PLAIN_PRICES = { inputPrice: 1, outputPrice: 1 };

/**
 * What a request counts in shares, in the log's unit: as recorded, else as the unit says, else the median of all, else 1.
 */
export function shareCosts(
  requests: readonly RecordedRequest[],
  serviceMs: readonly number[],
  unit: ShareUnit,
): number[] {
  const own = requests.map((request, index) => {
    return request.cost ?? derivedCost(request, serviceMs[index] ?? 0, unit, PLAIN_PRICES) ?? request.costEstimate;
  });
  const otherwise =
    quantileRank(
      own.filter((cost) => cost !== null),
      0.5,
    ) ?? 1;
  return own.map((cost) => cost ?? otherwise);
}

/**
 * What a request costs in the unit of a policy. Where that is the log's, recorded costs and estimates hold; else both
 * follow from its tokens or its service time: a scheduler that costs by service time is then told the truth beforehand.
 */
export function policyCost(
  request: RecordedRequest,
  serviceMs: number,
  { policy, logUnit }: { readonly policy: Policy; readonly logUnit: ShareUnit },
): RequestCost {
  const { costUnit, discipline } = policy;
  const isSameUnit = costUnit === logUnit;
  const prices = discipline.kind === 'vtc' ? discipline : PLAIN_PRICES;
  const derived = derivedCost(request, serviceMs, costUnit, prices);
  const actual = (isSameUnit ? request.cost : null) ?? derived ?? 1;
  return { actual, estimated: (isSameUnit ? request.costEstimate : null) ?? actual };
}

interface Prices {
  readonly inputPrice: number;
  readonly outputPrice: number;
}

function derivedCost(request: RecordedRequest, serviceMs: number, unit: ShareUnit, prices: Prices): number | null {
  if (unit === 'requests') return 1;
  if (unit === 'service_ms') return request.slots * serviceMs;
  const { inputTokens, outputTokens } = request;
  if (inputTokens === null && outputTokens === null) return null;
  return (inputTokens ?? 0) * prices.inputPrice + (outputTokens ?? 0) * prices.outputPrice;
}
