import type { Command } from 'commander';
import { type Adapter, adapters, findAdapter, KNOWN_COLUMNS } from '../../ingest/index.ts';
import type { CliContext } from '../context.ts';
import { formatTable, printJson } from '../output.ts';

function asJson(adapter: Adapter) {
  return {
    name: adapter.name,
    summary: adapter.summary,
    framing: adapter.framing,
    cost_unit: adapter.costUnit,
    public_trace: adapter.isPublicTrace ?? false,
    mapping_fields: adapter.mappable ?? [],
    example: adapter.example,
    fields: adapter.provenance,
    known: adapter.known,
  };
}

function describe(adapter: Adapter): string {
  const table = formatTable(KNOWN_COLUMNS, [
    { title: 'known', value: (column) => column },
    { title: 'how', value: (column) => adapter.known[column].provenance },
    { title: 'from', value: (column) => adapter.known[column].says },
  ]);
  const fields = adapter.mappable ?? [];
  const mapping = fields.length === 0 ? '' : `fields of a mapping: ${fields.join(', ')}\n`;
  const example = adapter.example.replace(/^/gm, '  ');
  return `${adapter.name}: ${adapter.summary}; cost unit ${adapter.costUnit}\n${indent(table)}${indent(mapping)}  example:\n${indent(example)}\n`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

export function addFormats(program: Command, context: CliContext): void {
  program
    .command('formats')
    .description('list the log formats, what each knows and an example of it')
    .argument('[format]', 'one format only')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  evenshare formats\n  evenshare formats envoy --json\n')
    .action((format: string | undefined, options: { readonly json?: boolean }) => {
      const shown = format === undefined ? adapters : [findAdapter(format)];
      if (options.json === true) printJson(context, { formats: shown.map(asJson) });
      else context.stdout.write(shown.map(describe).join('\n'));
    });
}
