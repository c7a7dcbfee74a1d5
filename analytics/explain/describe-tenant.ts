import type { TenantWindow } from '../window/window-result.ts';
import { shownCost, shownName, shownPercent, unitWords } from './shown-words.ts';
import { tenantFigures } from './tenant-figures.ts';

/** What became of a tenant, as the part of a sentence that follows its name. */
export function describeTenant(tenant: TenantWindow, unit: string): string {
  const figures = tenantFigures(tenant);
  const ideal = figures.ideal ?? 0;
  const served = figures.served ?? 0;
  switch (tenant.verdict) {
    case 'short': {
      const when = figures.basis === 'fluid' ? 'at the worst moment' : 'at the end';
      return `${gotOf(served, ideal, unit)}; ${refusedWords(tenant)}${when} ${shownCost(figures.lag ?? 0)} was overdue`;
    }
    case 'over':
      return `was served ${shownCost(served)} ${unitWords(unit)}, ${shownCost(figures.excess ?? 0)} beyond the ${shownCost(ideal)} it was entitled to`;
    case 'capped':
      return `was held back by its own quota, which refused it ${shownCost(tenant.quota_refused_cost)} ${unitWords(unit)}; it ${gotOf(served, ideal, '')}`;
    case 'idle':
      return 'asked for nothing and was owed nothing';
    case 'fair':
      if (!isBelow(served, ideal)) return gotOf(served, ideal, unit);
      return `${gotOf(served, ideal, unit)}; ${refusedForRoom(tenant) > 0 ? `${refusedWords(tenant)}what was refused leaves nothing overdue` : avoidWords(figures.lag ?? 0)}`;
    case 'unknown':
      return 'cannot be judged';
  }
}

/** Less than so much of its ideal service is worth a word. */
const NOTED_RATIO = 0.97;

function isBelow(served: number, ideal: number): boolean {
  return served < NOTED_RATIO * ideal;
}

/** Why it is fair all the same. */
function avoidWords(lag: number): string {
  if (lag <= 0) return 'nothing of the rest was overdue';
  return `what was overdue, ${shownCost(lag)}, is within what schedulers of whole requests cannot avoid`;
}

function refusedForRoom({ rejected }: TenantWindow): number {
  return Object.entries(rejected).reduce((total, [reason, count]) => total + (reason === 'quota' ? 0 : count), 0);
}

function refusedWords(tenant: TenantWindow): string {
  const count = refusedForRoom(tenant);
  return count === 0 ? '' : `${shownCost(count)} of its requests ${count === 1 ? 'was' : 'were'} refused, and `;
}

function gotOf(served: number, ideal: number, unit: string): string {
  const words = unit === '' ? '' : ` ${unitWords(unit)}`;
  if (ideal <= 0) return `got ${shownCost(served)}${words}, and was entitled to nothing new`;
  if (served > ideal * 1.005) return `got ${shownCost(served)}${words}, for ${shownCost(ideal)} it was entitled to`;
  return `got ${shownCost(served)} of the ${shownCost(ideal)}${words} it was entitled to (${shownPercent(served / ideal)})`;
}

/** The same as a sentence of its own. */
export function tenantSentence(tenant: TenantWindow, unit: string): string {
  return `${shownName(tenant.tenant)} ${describeTenant(tenant, unit)}.`;
}
