import { DECISION_FIELDS } from '../event/event-fields.ts';
import { type Adapter, KNOWN_COLUMNS, type KnownColumn } from './adapter.ts';

const TITLES: Readonly<Record<KnownColumn, string>> = {
  tenant: 'tenant',
  arrival: 'arrival',
  decision: 'decision and reason',
  wait: 'queue wait',
  service: 'service',
  cost: 'cost',
  retry: 'retry',
};

function markdown(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(titles) + line(titles.map(() => '---')) + rows.map(line).join('');
}

function cell(adapter: Adapter, column: KnownColumn): string {
  const { says, provenance } = adapter.known[column];
  return says === provenance || provenance === 'absent' ? says : `${says} (${provenance})`;
}

/** What each format knows, and how well, as a table of Markdown: the one in docs/formats.md. */
export function knownTable(adapters: readonly Adapter[]): string {
  return markdown(
    ['format', ...KNOWN_COLUMNS.map((column) => TITLES[column])],
    adapters.map((adapter) => [`\`${adapter.name}\``, ...KNOWN_COLUMNS.map((column) => cell(adapter, column))]),
  );
}

/** Format × field × provenance as a table of Markdown; fields that no format knows are left out, `–` is absent. */
export function provenanceTable(adapters: readonly Adapter[]): string {
  const fields = DECISION_FIELDS.filter((field) => adapters.some(({ provenance }) => provenance[field] !== undefined));
  return markdown(
    ['field', ...adapters.map(({ name }) => `\`${name}\``)],
    fields.map((field) => [
      `\`${field}\``,
      ...adapters.map(({ provenance }) => {
        const how = provenance[field] ?? 'absent';
        return how === 'absent' ? '–' : how;
      }),
    ]),
  );
}
