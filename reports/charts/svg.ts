/** A piece of an SVG: an element, or text that stands in one. */
export type SvgNode = SvgElement | string;

export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly SvgNode[];
}

/** An element by its name; attributes and texts may hold anything, they are escaped when it is written. */
export function svg(
  name: string,
  attributes: Readonly<Record<string, string | number>> = {},
  children: readonly SvgNode[] = [],
): SvgElement {
  return { name, attributes, children };
}

/** A picture as wide as its place, with a name for those who cannot see it. Styled by the page's classes alone. */
export function picture(
  size: { readonly width: number; readonly height: number },
  label: string,
  children: readonly SvgNode[],
): string {
  return writeSvg(
    svg(
      'svg',
      { viewBox: `0 0 ${size.width} ${size.height}`, class: 'chart', role: 'img', 'aria-label': label },
      children,
    ),
  );
}

/** The element as markup. Coordinates are written with two decimals. */
export function writeSvg(node: SvgNode): string {
  if (typeof node === 'string') return escapeMarkup(node);
  const attributes = Object.entries(node.attributes)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? coordinate(value) : escapeMarkup(value)}"`)
    .join('');
  if (node.children.length === 0) return `<${node.name}${attributes}/>`;
  return `<${node.name}${attributes}>${node.children.map(writeSvg).join('')}</${node.name}>`;
}

/** A number for a path or an attribute: no more digits than a picture can show. */
export function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Text that is safe between tags and in quoted attributes, and comes out of a parser as it went in. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"'\r\n\t]/g, (found) => ESCAPES[found] ?? found);
}
