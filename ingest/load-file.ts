import { EvenshareError } from '../scheduler-core/kernel/index.ts';
import { type Adapter, type AdapterOptions, eachOutcome, type FramedRecord } from './adapters/index.ts';
import type { BatchWriter } from './batch/batch-writer.ts';
import { SubmissionBuilder } from './batch/submission.ts';
import { type RecordOutcome, reject } from './event/decision-event.ts';
import { addResult, bytesOf, emptyReport, type LoadReport } from './load-report.ts';
import { readRecords } from './sources/file-source.ts';

export interface LoadFileOptions {
  /** A path, or `-` for `stdin`. */
  readonly path: string;
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly adapter: Adapter;
  readonly adapterOptions: AdapterOptions;
  readonly writer: BatchWriter;
  readonly nowMs: () => number;
  readonly onProgress?: (bytesRead: number, bytesTotal: number | null) => void;
  readonly signal?: AbortSignal;
}

/** Events per submission; two are under way at a time, so that reading goes on while the store works. */
const EVENTS_PER_SUBMISSION = 20_000;
const SUBMISSIONS_UNDER_WAY = 2;
/** Refused records may be a megabyte each: so many bytes of them make a submission too. */
const LETTER_BYTES_PER_SUBMISSION = 8_388_608;
/** When nothing among so many first records is an event, the format is wrong. Until there is one nothing is stored. */
const FORMAT_CHECK_RECORDS = 100;

/**
 * Loads one log file into the store. What was loaded before an interruption stays; loading again finds it there.
 *
 * @throws EVS_INPUT_…: missing, a directory, empty, binary, unreadable, or another format than was said.
 */
export async function loadFile(options: LoadFileOptions): Promise<LoadReport> {
  const report = emptyReport();
  const parse = options.adapter.open(options.adapterOptions);
  const source = options.path === '-' ? 'stdin' : options.path;
  const underWay: Promise<void>[] = [];
  let builder = new SubmissionBuilder();
  let letterBytes = 0;
  let hasEvent = false;
  let records = 0;

  const submit = async (): Promise<void> => {
    const submission = builder;
    builder = new SubmissionBuilder();
    letterBytes = 0;
    const stored = options.writer.submit(submission).then((result) => addResult(report, submission, result));
    // Whoever awaits it later learns of a failure; until then it is not unhandled.
    stored.catch(() => undefined);
    underWay.push(stored);
    if (underWay.length >= SUBMISSIONS_UNDER_WAY) await underWay.shift();
  };

  const take = (framed: FramedRecord, outcome: RecordOutcome): void => {
    hasEvent ||= outcome.kind !== 'rejected' && outcome.kind !== 'skip';
    const { line } = framed.kind === 'refused' ? framed : framed.record;
    builder.add(outcome, (code, detail) => {
      if (report.rejected[code] === undefined) report.samples.push({ line, code, detail });
      report.rejected[code] = (report.rejected[code] ?? 0) + 1;
      const raw = bytesOf(framed, outcome);
      letterBytes += raw.byteLength;
      return {
        receivedAtMs: options.nowMs(),
        code,
        detail,
        source,
        position: line,
        format: options.adapter.name,
        raw,
      };
    });
  };

  for await (const batch of readRecords({
    path: options.path,
    stdin: options.stdin,
    framing: options.adapter.framing,
    ...csvOptions(options.adapter, options.adapterOptions),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  })) {
    options.signal?.throwIfAborted();
    for (const framed of batch) {
      records++;
      const outcomes =
        framed.kind === 'refused' ? [reject(framed.code, framed.detail)] : eachOutcome(parse(framed.record));
      for (const outcome of outcomes) take(framed, outcome);
      // A line may hold many records.
      if (hasEvent && builder.size >= EVENTS_PER_SUBMISSION) await submit();
    }
    if (!hasEvent) {
      if (records >= FORMAT_CHECK_RECORDS) refuseFormat(options, report);
      continue;
    }
    if (builder.size >= EVENTS_PER_SUBMISSION || letterBytes >= LETTER_BYTES_PER_SUBMISSION) await submit();
  }
  if (!hasEvent) refuseFormat(options, report);
  if (builder.size > 0) await submit();
  for (const stored of underWay) await stored;
  return report;
}

function csvOptions(adapter: Adapter, options: AdapterOptions) {
  const { checkHeader, csvDelimiter } = adapter;
  return {
    ...(csvDelimiter === undefined ? {} : { csvDelimiter: csvDelimiter(options) }),
    ...(checkHeader === undefined ? {} : { onHeader: (columns: readonly string[]) => checkHeader(columns, options) }),
  };
}

/** A file of which nothing can be read is refused whole: its thousands of dead letters would tell nothing more. */
function refuseFormat(options: LoadFileOptions, report: LoadReport): void {
  const sample = report.samples[0];
  if (sample === undefined) return;
  const name = options.path === '-' ? 'the standard input' : JSON.stringify(options.path);
  throw new EvenshareError(
    'EVS_INPUT_FORMAT',
    `${name} does not read as format ${options.adapter.name}: no record of it is an event (line ${sample.line}: ${sample.code}, ${sample.detail}); name the right one with --format`,
  );
}
