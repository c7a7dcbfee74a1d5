import { type Adapter, type AdapterOptions, findAdapter, type KeptLetter, type RetryFormat } from '../ingest/index.ts';
import type { Config } from './load-config.ts';

/** How letters are to be read instead of as they came; what is absent stays as it was. */
export interface OtherReading {
  readonly format?: string | undefined;
  readonly pool?: string | undefined;
  readonly tenant?: string | undefined;
  /** Null: as the configuration says of where the letter came from. */
  readonly mapping: unknown;
  readonly options: Readonly<Record<string, string>>;
}

/**
 * As which format each letter is read now: the one it came as, with the mapping that the configuration has for where it
 * came from, unless told otherwise. The function throws `EVS_USAGE` for what a format does not take.
 */
export function letterFormats(config: Config, other: OtherReading): (letter: KeptLetter) => RetryFormat {
  const opened = new Map<string, RetryFormat>();
  return (letter) => {
    const name = other.format ?? letter.format;
    const origin = letter.source.startsWith('kafka:') ? 'kafka' : letter.source.startsWith('http:') ? 'http' : 'file';
    const key = `${origin}:${name}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const adapter = findAdapter(name);
    const configured = configuredFor(config, origin, name);
    const format = {
      adapter,
      parse: adapter.open({
        defaultPool: other.pool ?? configured.defaultPool,
        tenant: other.tenant ?? configured.tenant,
        options: { ...configured.options, ...other.options },
        mapping: takesMapping(adapter, other) ? (other.mapping ?? configured.mapping) : configured.mapping,
      }),
    };
    opened.set(key, format);
    return format;
  };
}

/** Letters of several formats may be retried at once: a mapping is for those that take one, unless the format is said too. */
function takesMapping(adapter: Adapter, other: OtherReading): boolean {
  return other.format !== undefined || adapter.mappable !== undefined || adapter.name === 'csv';
}

const NOTHING_SAID: AdapterOptions = { defaultPool: 'default', tenant: null, options: {}, mapping: null };

function configuredFor(config: Config, origin: 'kafka' | 'http' | 'file', format: string): AdapterOptions {
  const { kafka, intake } = config;
  if (origin === 'kafka' && kafka?.format === format) return kafka.adapterOptions;
  if (origin === 'http' && (format === 'otel-genai' || format === 'vllm')) {
    return intake.traces[format] ?? NOTHING_SAID;
  }
  return NOTHING_SAID;
}
