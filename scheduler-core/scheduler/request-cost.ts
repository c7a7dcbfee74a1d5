import type { Request } from '../model.ts';
import type { Policy } from '../policy/policy.ts';

/**
 * What a request is reckoned to cost in the eyes of the policy: 1 under the unit `requests`; else its own estimate, or its
 * tokens at the discipline's prices (vtc; 1 each otherwise), or 1 when it says nothing.
 */
export function costOf(request: Request, policy: Policy): number {
  if (policy.costUnit === 'requests') return 1;
  if (request.costEstimate !== undefined) return request.costEstimate;
  const { inputTokens, outputTokensMax } = request;
  if (inputTokens === undefined && outputTokensMax === undefined) return 1;
  const prices = policy.discipline.kind === 'vtc' ? policy.discipline : EVEN_PRICES;
  return prices.inputPrice * (inputTokens ?? 0) + prices.outputPrice * (outputTokensMax ?? 0);
}

const EVEN_PRICES = { inputPrice: 1, outputPrice: 1 };
