import { byId, setText } from '../dom.ts';
import { formatAmount } from '../format.ts';
import type { PageView } from '../load-page.ts';
import { reasonWords } from '../words.ts';

export interface QualityView {
  update(page: PageView): void;
}

/** What the figures rest on: what was taken, what was not, and why. */
export function createQualityView(): QualityView {
  const target = byId('quality', HTMLElement);
  return {
    update(page) {
      setText(target, [eventsWords(page), deadLetterWords(page)].filter((words) => words !== '').join(' '));
    },
  };
}

function eventsWords({ view }: PageView): string {
  if (view === null) return '';
  const { accepted, duplicate, conflict, skewed, late, rejected } = view.quality;
  const parts = [
    `${formatAmount(accepted)} events accepted`,
    duplicate === null
      ? `duplicates unknown (${reasonWords(view.quality.duplicate_reason)})`
      : `${formatAmount(duplicate)} duplicates`,
    `${formatAmount(conflict)} in conflict`,
    `${formatAmount(skewed)} with skewed clocks`,
    `${formatAmount(late)} late`,
    `${formatAmount(sumOf(rejected))} rejected${reasonsOf(rejected)}`,
  ];
  return `Data: ${parts.join(', ')}.`;
}

function deadLetterWords({ pools }: PageView): string {
  const { by_reason: byReason } = pools.dead_letters;
  return `Dead letters of the last 24 hours: ${formatAmount(sumOf(byReason))}${reasonsOf(byReason)}. All times are UTC.`;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function reasonsOf(counts: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(counts).filter(([, count]) => count > 0);
  return reasons.length === 0
    ? ''
    : ` (${reasons.map(([reason, count]) => `${reasonWords(reason)} ${formatAmount(count)}`).join(', ')})`;
}
