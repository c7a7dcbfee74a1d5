import { element } from '../dom.ts';

export interface TipRow {
  readonly label: string;
  readonly value: string | Node;
}

/** The content of a tooltip, from text nodes only. */
export function tipElement(head: string | Node, rows: readonly TipRow[]): HTMLElement {
  const list = element('dl', 'tip-rows');
  for (const { label, value } of rows) list.append(element('dt', '', label), element('dd', '', value));
  return element('div', 'tip', element('p', 'tip-head', head), list);
}
