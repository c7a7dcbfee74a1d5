import { element, setChildren } from './dom.ts';

/** A cell: its content, and how it is set. */
export interface Cell {
  readonly content: readonly (Node | string)[];
  readonly kind?: 'head' | 'number';
}

export interface Row {
  readonly cells: readonly Cell[];
  readonly current?: boolean;
}

/** Makes a table's body show these rows, touching only the cells that changed: focus and selections survive a refresh. */
export function setRows(body: HTMLElement, rows: readonly Row[]): void {
  // On a narrow screen a folded table shows each cell after the heading of its column.
  const headings = [...(body.closest('table')?.tHead?.rows[0]?.cells ?? [])].map((heading) => heading.textContent);
  while (body.children.length > rows.length) body.lastElementChild?.remove();
  rows.forEach((row, index) => {
    const line = body.children[index] ?? body.appendChild(element('tr', ''));
    line.classList.toggle('current', row.current === true);
    row.cells.forEach((cell, column) => {
      const isHead = cell.kind === 'head';
      const existing = line.children[column];
      const target = existing instanceof HTMLElement ? existing : line.appendChild(element(isHead ? 'th' : 'td', ''));
      if (isHead) target.setAttribute('scope', 'row');
      target.dataset.label = headings[column] ?? '';
      target.classList.toggle('number', cell.kind === 'number');
      setChildren(target, ...cell.content);
    });
  });
}
