import {
  PREVIEW_FIELDS,
  type Preview,
  type PreviewEvent,
  type PreviewField,
  previewFile,
  refuseEmptyPreview,
} from '../../ingest/index.ts';
import type { CliContext } from '../context.ts';
import { formatTable, printable, printJson } from '../output.ts';
import type { OpenedFormat } from './load-files.ts';

const MOST_EVENTS = 10;

const TIMES: ReadonlySet<string> = new Set(['arrived_at', 'dispatched_at', 'completed_at']);

function shown({ field, value }: PreviewField): string | number | boolean {
  return TIMES.has(field) && typeof value === 'number' ? new Date(value).toISOString() : value;
}

/** Fields that some event has and none of them as it was measured. */
function derivedFields(events: readonly PreviewEvent[]): string[] {
  const fields = new Map<string, string>();
  for (const { field, provenance } of events.flatMap((event) => event.fields)) {
    if (provenance !== 'measured') fields.set(field, provenance);
  }
  return [...fields].map(([field, provenance]) => `${field} (${provenance})`);
}

function absentFields(events: readonly PreviewEvent[]): string[] {
  const there = new Set<string>(events.flatMap((event) => event.fields.map(({ field }) => field)));
  return [...PREVIEW_FIELDS, 'wait_ms'].filter((field) => !there.has(field));
}

function asJson(format: OpenedFormat, preview: Preview) {
  return {
    format: format.adapter.name,
    cost_unit: format.adapter.costUnit,
    records: preview.records,
    skipped: preview.skipped,
    events: preview.events.map(({ line, fields, waitProvenance, labels }) => ({
      line,
      event: Object.fromEntries(
        fields.filter(({ field }) => field !== 'wait_ms').map((one) => [one.field, shown(one)]),
      ),
      wait_ms: fields.find(({ field }) => field === 'wait_ms')?.value ?? null,
      provenance: {
        ...Object.fromEntries(fields.map(({ field, provenance }) => [field, provenance])),
        wait_ms: waitProvenance,
      },
      labels: labels === null ? null : JSON.parse(labels),
    })),
    derived: derivedFields(preview.events),
    absent: absentFields(preview.events),
    rejected: preview.rejected,
    samples: preview.samples,
    stored: 0,
  };
}

function describe(format: OpenedFormat, preview: Preview): string {
  const { name, summary, costUnit } = format.adapter;
  const parts = [`${name}: ${summary}; cost unit ${costUnit}\n`];
  for (const event of preview.events) {
    const table = formatTable(event.fields, [
      { title: `line ${event.line}`, value: ({ field }) => field },
      { title: '', value: (field) => String(shown(field)) },
      { title: '', value: ({ provenance }) => provenance },
    ]);
    parts.push(`\n${table}`);
    if (event.labels !== null) parts.push(`labels ${printable(event.labels)}\n`);
  }
  parts.push(`\nderived: ${derivedFields(preview.events).join(', ') || 'nothing'}\n`);
  parts.push(`absent: ${absentFields(preview.events).join(', ') || 'nothing'}\n`);
  for (const { code, line, detail } of preview.samples) {
    parts.push(`refused: ${code} ${preview.rejected[code] ?? 0} times, first at line ${line}: ${detail}\n`);
  }
  const { records, skipped, events } = preview;
  parts.push(`${records} records read: ${events.length} events shown, ${skipped} skipped; nothing was stored\n`);
  return parts.join('');
}

/**
 * Shows the first events of the files and what is derived and absent of them. Opens no store.
 *
 * @throws EVS_INPUT_…: as `load` does; also when nothing is an event.
 */
export async function dryRun(
  context: CliContext,
  files: readonly string[],
  format: OpenedFormat,
  isJson: boolean,
): Promise<void> {
  const all: Preview = { records: 0, skipped: 0, events: [], rejected: {}, samples: [] };
  let preview = all;
  for (const path of files) {
    const mostEvents = MOST_EVENTS - preview.events.length;
    if (mostEvents <= 0) break;
    const next = await previewFile({ ...format, path, stdin: context.stdin, mostEvents, signal: context.signal });
    preview = addPreviews(preview, next);
  }
  refuseEmptyPreview(preview, format.adapter.name);
  if (isJson) printJson(context, asJson(format, preview));
  else context.stdout.write(describe(format, preview));
}

function addPreviews(a: Preview, b: Preview): Preview {
  const rejected: Record<string, number> = { ...a.rejected };
  for (const [code, count] of Object.entries(b.rejected)) rejected[code] = (rejected[code] ?? 0) + count;
  return {
    records: a.records + b.records,
    skipped: a.skipped + b.skipped,
    events: [...a.events, ...b.events],
    rejected,
    samples: [...a.samples, ...b.samples.filter(({ code }) => a.rejected[code] === undefined)],
  };
}
