import { badgeElement, element, nameElement, unknownElement } from './dom.ts';
import { formatAmount, formatRatio, formatWait } from './format.ts';
import type { Cell } from './table-rows.ts';
import { conditionOf, type WindowFigures } from './verdict-sentence.ts';
import { reasonWords, WINDOW_BADGES } from './words.ts';

/** Cells of a window's figures, the same in every table. A figure that is not known says so and why. */
export function windowCells(window: WindowFigures): readonly Cell[] {
  return [
    { content: [badgeElement(WINDOW_BADGES[conditionOf(window)])] },
    jainCell(window),
    lowestCell(window),
    waitCell(window),
  ];
}

function jainCell(window: WindowFigures): Cell {
  const { jain_index: jain } = window;
  const content = jain === null ? unknownElement(reasonWords(window.jain_index_reason)) : formatRatio(jain);
  return { kind: 'number', content: [content] };
}

function lowestCell(window: WindowFigures): Cell {
  const lowest = window.min_normalized_share;
  if (lowest === null) {
    return { kind: 'number', content: [unknownElement(reasonWords(window.min_normalized_share_reason))] };
  }
  return { kind: 'number', content: [formatRatio(lowest.value), element('span', 'aside', nameElement(lowest.tenant))] };
}

function waitCell({ in_share: inShare }: WindowFigures): Cell {
  const { p99_wait_ms: p99, threshold_ms: threshold } = inShare;
  if (p99 === null) return { kind: 'number', content: [unknownElement(reasonWords(inShare.p99_wait_reason))] };
  const figure = element(
    'span',
    p99 > threshold ? 'over' : '',
    p99 > threshold ? `◆ ${formatWait(p99)}` : formatWait(p99),
  );
  return {
    kind: 'number',
    content: [figure, element('span', 'aside', `of ${formatWait(threshold)} · ${samplesWords(inShare)}`)],
  };
}

/** How much evidence a percentile rests on. */
export function samplesWords({ samples, sufficient }: WindowFigures['in_share']): string {
  return sufficient ? `n = ${formatAmount(samples)}` : `n = ${formatAmount(samples)}, too few`;
}

export function stateWords(window: WindowFigures): string {
  return window.revision > 1 ? `${window.state}, revision ${window.revision}` : window.state;
}
