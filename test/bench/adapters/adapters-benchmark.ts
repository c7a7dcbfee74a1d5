import { parseArgs } from 'node:util';
import { eachOutcome, findAdapter } from '../../../ingest/adapters/index.ts';
import { type Benchmark, type Print, UsageError } from '../benchmark.ts';
import { median, spread, thousands } from '../figures.ts';
import { runTask } from '../run-task.ts';
import { generateLines, MEASURED_FORMATS } from './log-lines.ts';

const NAME = 'adapters';
const WANTED = 150_000;

const USAGE = `usage: npm run bench -- ${NAME} [FORMAT]… [OPTIONS]

  FORMAT      ${MEASURED_FORMATS.join(', ')} (none named: all)

  --lines N   different lines of each format (200000)
  --runs N    passes over them (7)`;

export const adaptersBenchmark: Benchmark = {
  name: NAME,
  summary: 'lines per second of one core, from text to event',
  usage: USAGE,
  run,
  // Seam: tasks get back the input that this file gave them.
  tasks: { read: (input) => measure(input as ReadInput) },
};

interface ReadInput {
  readonly format: string;
  readonly lines: number;
  readonly runs: number;
}

interface ReadFigures {
  readonly bytesPerLine: number;
  readonly perS: readonly number[];
  /** `JSON.parse` of the same lines and nothing else. */
  readonly parsePerS: readonly number[];
}

async function run(args: readonly string[], print: Print): Promise<void> {
  const { values, positionals } = parse(args);
  const formats = positionals.length === 0 ? MEASURED_FORMATS : positionals;
  const lines = whole('lines', values.lines);
  const runs = whole('runs', values.runs);
  for (const format of formats) {
    if (!MEASURED_FORMATS.includes(format)) throw new UsageError(`there are no lines of format ${format}`);
    const figures = await runTask<ReadFigures>({ benchmark: NAME, name: 'read' }, { format, lines, runs });
    const ratio = median(figures.perS) / median(figures.parsePerS);
    print(
      `  ${format} (${thousands(figures.bytesPerLine)} bytes a line): ${spread(figures.perS, thousands)} lines/s, ` +
        `${ratio.toFixed(2)} of JSON.parse alone (${thousands(median(figures.parsePerS))}); wanted: at least ${thousands(WANTED)}`,
    );
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { lines: { type: 'string', default: '200000' }, runs: { type: 'string', default: '7' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${option} takes a whole number from 1 on`);
  return value;
}

async function measure({ format, lines, runs }: ReadInput): Promise<ReadFigures> {
  const texts = generateLines(format, lines, 1);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const read = findAdapter(format).open({ defaultPool: 'default', tenant: null, options: {}, mapping: null });
  let events = 0;
  const readAll = (): void => {
    for (const [index, text] of texts.entries()) {
      for (const outcome of eachOutcome(read({ text, fields: null, line: index + 1 }))) {
        if (outcome.kind === 'decision') events++;
      }
    }
  };
  let parsed = 0;
  const parseAll = (): void => {
    for (const text of texts) if (JSON.parse(text) !== null) parsed++;
  };
  const perS: number[] = [];
  const parsePerS: number[] = [];
  // The first pass of each is the compiler's.
  for (let pass = 0; pass <= runs; pass++) {
    const readPerS = rate(lines, readAll);
    const plainPerS = rate(lines, parseAll);
    if (pass === 0) continue;
    perS.push(readPerS);
    parsePerS.push(plainPerS);
  }
  if (events !== lines * (runs + 1) || parsed !== events) throw new Error('some lines became no event');
  return { bytesPerLine: bytes / lines, perS, parsePerS };
}

/** Lines per second of processor time, the collector's included: others may be at work on the same cores. */
function rate(lines: number, work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (lines / (user + system)) * 1e6;
}
