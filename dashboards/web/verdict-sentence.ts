import type { TenantVerdict, Window, WindowVerdict } from '../api-schema.ts';
import { formatPercent, formatWait } from './format.ts';
import { causeWords, reasonWords } from './words.ts';

/** A piece of a sentence: our words, or a tenant's name, which is set apart wherever it is shown. */
export type Phrase = string | { readonly tenant: string };

/** A window with or without its tenants. */
export type WindowFigures = Omit<Window, 'tenants'> & { readonly tenants?: Window['tenants'] };

const NAMES_SHOWN = 3;

/** The window's verdict, or `no_traffic` where nothing arrived, waited or was served: that is not the same as unknown. */
export function conditionOf(window: WindowFigures): WindowVerdict | 'no_traffic' {
  const silent = window.requests === 0 && window.waiting_at_end === 0 && window.tenants_with_demand === 0;
  return silent && (window.served_cost ?? 0) === 0 ? 'no_traffic' : window.verdict;
}

/** What happened in a window, as the part of a sentence after the verdict's word and a colon. */
export function verdictSentence(window: WindowFigures): readonly Phrase[] {
  const condition = conditionOf(window);
  switch (condition) {
    case 'no_traffic':
      return ['no request arrived in this window.'];
    case 'unknown':
      return [`it cannot be judged: ${window.verdict_reasons.map(reasonWords).join('; ') || reasonWords(undefined)}.`];
    case 'uncontended':
      return ['all demand was met.', ...longWait(window)];
    case 'fair':
      return ['demand exceeded capacity, and every tenant got its share.', ...longWait(window)];
    case 'unfair':
      return joinClauses([complaint(window), ...window.causes.map(causeClause)]);
  }
}

type Clause = readonly Phrase[];

/** Who was hurt, and how badly. */
function complaint(window: WindowFigures): Clause {
  const { p99_wait_ms: p99, threshold_ms: threshold, tenants } = window.in_share;
  if (p99 !== null && p99 > threshold && tenants > 0) {
    return [`${tenantsWithin(tenants)} waited too long (p99 ${formatWait(p99)})`];
  }
  const verdicts: readonly TenantVerdict[] = (window.tenants ?? []).map((tenant) => tenant.verdict);
  const short = verdicts.filter((verdict) => verdict === 'short');
  const worst = window.min_normalized_share;
  if (worst !== null) {
    const others = short.length > 1 ? ` and ${short.length - 1} more were short` : '';
    return [{ tenant: worst.tenant }, ` got ${formatPercent(worst.value)} of its fair share${others}`];
  }
  return ['tenants got less than their fair share'];
}

function tenantsWithin(count: number): string {
  return count === 1 ? '1 tenant within its share' : `${count} tenants within their share`;
}

function causeClause({ cause, tenants }: Window['causes'][number]): Clause {
  if (cause !== 'over_served' || tenants.length === 0) return [causeWords(cause)];
  const beyond = tenants.length === 1 ? ' was served beyond its share' : ' were served beyond their share';
  return [...listNames(tenants), beyond];
}

/** `a`, `a and b`, `a, b, c and 4 more`. */
function listNames(tenants: readonly string[]): Clause {
  const shown = tenants.slice(0, NAMES_SHOWN);
  const more = tenants.length - shown.length;
  return shown
    .flatMap((tenant, index): Phrase[] => {
      const isLast = index === shown.length - 1 && more === 0;
      return [index === 0 ? '' : isLast ? ' and ' : ', ', { tenant }];
    })
    .concat(more > 0 ? [` and ${more} more`] : [])
    .filter((phrase) => phrase !== '');
}

function longWait(window: WindowFigures): Clause {
  const { p99_wait_ms: p99, threshold_ms: threshold, sufficient } = window.in_share;
  if (p99 === null || p99 <= threshold || !sufficient) return [];
  return [` Even so, requests within their tenant's share waited long (p99 ${formatWait(p99)}).`];
}

/** Clauses in one, by semicolons, with a full stop. */
function joinClauses(clauses: readonly Clause[]): readonly Phrase[] {
  return [...clauses.flatMap((clause, index) => (index === 0 ? clause : ['; ', ...clause])), '.'];
}
