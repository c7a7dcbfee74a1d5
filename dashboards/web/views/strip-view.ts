import { byId, element, setChildren } from '../dom.ts';
import { formatClock } from '../format.ts';
import type { Slot } from '../time-slots.ts';
import { conditionOf } from '../verdict-sentence.ts';
import { type Badge, WINDOW_BADGES } from '../words.ts';

export interface StripView {
  update(slots: readonly Slot[], chosenIndex: number): void;
}

/**
 * The verdicts of all slots side by side, and the way to choose one: by click or, as a slider, by arrow keys. Verdicts
 * differ in height and pattern as well as in colour.
 */
export function createStripView(onPick: (startMs: number | null) => void): StripView {
  const strip = byId('strip', HTMLElement);
  const legend = byId('strip-legend', HTMLElement);
  let shown: readonly Slot[] = [];
  let chosen = 0;
  const pick = (index: number) => {
    const slot = shown[Math.max(0, Math.min(shown.length - 1, index))];
    // The newest slot means "follow": it must not freeze when a newer one comes.
    if (slot !== undefined) onPick(slot === shown.at(-1) ? null : slot.startMs);
  };
  strip.addEventListener('click', (event) => {
    const cell = event.target instanceof Element ? event.target.closest('.cell') : null;
    if (cell !== null) pick([...strip.children].indexOf(cell));
  });
  strip.addEventListener('keydown', (event) => {
    const target = targetOfKey(event.key, chosen, shown.length);
    if (target === null) return;
    event.preventDefault();
    pick(target);
  });
  return {
    update(slots, chosenIndex) {
      shown = slots;
      chosen = chosenIndex;
      setChildren(strip, ...slots.map((slot, index) => cellElement(slot, index === chosenIndex)));
      strip.setAttribute('aria-valuemin', '0');
      strip.setAttribute('aria-valuemax', String(Math.max(0, slots.length - 1)));
      strip.setAttribute('aria-valuenow', String(chosenIndex));
      strip.setAttribute('aria-valuetext', slotWords(slots[chosenIndex]));
      setChildren(legend, ...countsOf(slots).map(([badge, count]) => legendItem(badge, count)));
    },
  };
}

function targetOfKey(key: string, index: number, count: number): number | null {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return index - 1;
    case 'ArrowRight':
    case 'ArrowUp':
      return index + 1;
    case 'PageUp':
      return index - 10;
    case 'PageDown':
      return index + 10;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

function conditionOfSlot(slot: Slot): keyof typeof WINDOW_BADGES {
  return slot.window === null ? 'not_computed' : conditionOf(slot.window);
}

function cellElement(slot: Slot, isChosen: boolean): HTMLElement {
  const cell = element('span', isChosen ? 'cell chosen' : 'cell', element('i', `bar-${conditionOfSlot(slot)}`));
  cell.title = slotWords(slot);
  return cell;
}

function slotWords(slot: Slot | undefined): string {
  if (slot === undefined) return 'no window';
  return `${formatClock(slot.startMs)} to ${formatClock(slot.endMs)} UTC: ${WINDOW_BADGES[conditionOfSlot(slot)].word}`;
}

function countsOf(slots: readonly Slot[]): readonly (readonly [Badge, number])[] {
  const counts = new Map<Badge, number>();
  for (const slot of slots) {
    const badge = WINDOW_BADGES[conditionOfSlot(slot)];
    counts.set(badge, (counts.get(badge) ?? 0) + 1);
  }
  return Object.values(WINDOW_BADGES).flatMap((badge) => {
    const count = counts.get(badge);
    return count === undefined ? [] : [[badge, count] as const];
  });
}

function legendItem(badge: Badge, count: number): HTMLElement {
  const item = element('span', 'badge', element('span', 'badge-symbol', badge.symbol), `${count} ${badge.word}`);
  item.dataset.tone = badge.tone;
  return item;
}
