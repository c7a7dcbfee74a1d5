/** One sample of Prometheus' text format. */
export interface Sample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/y;
const VALUE = /^ (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/;
const ESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** Reads the text format (version 0.0.4) as Prometheus does; throws at the first line that it would refuse. */
export function parseExposition(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line must end');
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '' || /^# (HELP|TYPE) [a-zA-Z_:]/.test(line)) continue;
    const sample = parseSample(line);
    const key = JSON.stringify([sample.metric, Object.entries(sample.labels).sort()]);
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    samples.push(sample);
  }
  return samples;
}

function parseSample(line: string): Sample {
  NAME.lastIndex = 0;
  const metric = NAME.exec(line)?.[0];
  if (metric === undefined) throw new Error(`no sample: ${line}`);
  let at = metric.length;
  const labels: Record<string, string> = {};
  if (line[at] === '{') {
    do {
      LABEL.lastIndex = at + 1;
      const [whole, name, value] = LABEL.exec(line) ?? [];
      if (whole === undefined || name === undefined || value === undefined)
        throw new Error(`no label at ${at}: ${line}`);
      labels[name] = value.replace(/\\["\\n]/g, (escaped) => ESCAPED[escaped] ?? escaped);
      at += 1 + whole.length;
    } while (line[at] === ',');
    if (line[at] !== '}') throw new Error(`labels do not end at ${at}: ${line}`);
    at++;
  }
  const value = VALUE.exec(line.slice(at))?.[1];
  if (value === undefined) throw new Error(`no value: ${line}`);
  return { metric, labels, value: Number(value.replace('Inf', 'Infinity')) };
}
