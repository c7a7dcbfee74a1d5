import { displayName } from './names.ts';
import type { Phrase } from './verdict-sentence.ts';
import type { Badge } from './words.ts';

type Child = Node | string;

/** A new element. Children that are strings become text nodes: nothing here ever parses markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  if (className !== '') created.className = className;
  created.append(...children);
  return created;
}

/** The element of the page's skeleton with this id; a missing one is a mistake in the page itself. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} #${id}`);
}

/** Sets text only where it differs, so that a refresh disturbs neither a selection nor a screen reader. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Replaces the children only where their text or classes differ. */
export function setChildren(target: HTMLElement, ...children: readonly Child[]): void {
  const draft = element('div', '', ...children);
  if (draft.innerHTML !== target.innerHTML) target.replaceChildren(...draft.childNodes);
}

/** A tenant's or pool's name, isolated from the direction of the text around it; its whole is in the tooltip. */
export function nameElement(name: string): HTMLElement {
  const shown = displayName(name);
  const created = element('bdi', 'name', shown);
  if (shown !== name) created.title = name.slice(0, 1_024);
  return created;
}

export function badgeElement(badge: Badge): HTMLElement {
  const symbol = element('span', 'badge-symbol', badge.symbol);
  symbol.setAttribute('aria-hidden', 'true');
  const created = element('span', 'badge', symbol, badge.word);
  created.dataset.tone = badge.tone;
  return created;
}

/** `Unfair: 24 tenants …`: the verdict's word, then what happened. */
export function sentenceNodes(badge: Badge, phrases: readonly Phrase[]): readonly Child[] {
  const word = element('strong', '', `${badge.word.charAt(0).toUpperCase()}${badge.word.slice(1)}:`);
  word.dataset.tone = badge.tone;
  return [word, ' ', ...phrases.map((phrase) => (typeof phrase === 'string' ? phrase : nameElement(phrase.tenant)))];
}

/** A figure that is not known: the word, and why. */
export function unknownElement(reason: string): HTMLElement {
  return element('span', 'unknown', 'unknown', element('span', 'because', reason));
}
