import { readFile } from 'node:fs/promises';
import { Ajv, type ErrorObject } from 'ajv';
import { type Static, Type } from 'typebox';
import { parseDocument } from 'yaml';
import {
  AnalyticsConfigProperties,
  DEFAULT_RETENTION,
  DEFAULT_WINDOW_MS,
  type PoolConfig,
  poolOptionsOf,
} from '../analytics/config.ts';
import {
  type AlertRule,
  DEFAULT_FOR_WINDOWS,
  DEFAULT_MIN_SAMPLES,
  DEFAULT_WEBHOOK_TIMEOUT_MS,
  type PoolOptions,
  type WebhookOptions,
} from '../analytics/index.ts';
import type { Retention, StoreOptions } from '../analytics/storage/index.ts';
import { DashboardsConfigProperties, DEFAULT_HOST, DEFAULT_PORT } from '../dashboards/config.ts';
import { DEFAULT_INTAKE_LIMITS, IngestConfigProperties, type IntakeLimits, traceFormatsOf } from '../ingest/config.ts';
import type { TraceFormats } from '../ingest/index.ts';
import { DEFAULT_REPORT_TIME_ZONE, ReportsConfigProperties } from '../reports/config.ts';
import { canonicalTimeZone, type ReportFormat } from '../reports/index.ts';
import { EvenshareError, parseDurationMs } from '../scheduler-core/kernel/index.ts';
import { type KafkaConfig, literalSecrets, toKafka } from './kafka-config.ts';

/** The whole configuration file; each part is owned by the folder that it configures. */
export const ConfigSchema = Type.Object(
  {
    ...AnalyticsConfigProperties,
    ...IngestConfigProperties,
    ...DashboardsConfigProperties,
    ...ReportsConfigProperties,
    log: Type.Optional(
      Type.Object(
        { level: Type.Optional(Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, title: 'Evenshare configuration' },
);
type ConfigFile = Static<typeof ConfigSchema>;

/** The configuration with every default filled in. */
export interface Config {
  /** The file that it was read from; null when there was none. */
  readonly path: string | null;
  readonly store: StoreOptions;
  /** Whether the file names the store; false: it is the default. */
  readonly hasStore: boolean;
  readonly windowMs: number;
  readonly pools: Readonly<Record<string, PoolConfig>>;
  readonly poolDefaults: PoolConfig;
  readonly poolOptions: (pool: string) => PoolOptions;
  readonly retention: Retention;
  readonly intake: IntakeLimits & { readonly traces: TraceFormats };
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly tokens: readonly { readonly token: string; readonly scope: 'operator' | 'ingest' }[];
  };
  /** null: no Kafka. */
  readonly kafka: KafkaConfig | null;
  readonly alerts: {
    readonly rules: readonly AlertRule[];
    /** Notifications are also printed, a line of JSON each. */
    readonly stdout: boolean;
    readonly webhook: WebhookOptions | null;
  };
  /** Scheduled reports; null: none. */
  readonly reports: {
    readonly folder: string;
    readonly timeZone: string;
    readonly formats: readonly ReportFormat[];
  } | null;
  /** Where people reach the pages, for links; null: where the process itself listens. */
  readonly pageUrl: string | null;
  readonly logLevel: string;
}

export const DEFAULT_CONFIG_PATH = 'evenshare.yaml';
export const DEFAULT_DATA_DIR = 'evenshare-data';

/**
 * Reads the configuration: the named file, else `evenshare.yaml` where it exists, else the defaults.
 *
 * @throws EVS_CONFIG with every mistake, one a line: where, what is allowed.
 */
export async function loadConfig(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  const name = path ?? DEFAULT_CONFIG_PATH;
  const text = await readFile(name, 'utf8').catch((cause: unknown) => {
    if (path === undefined) return null;
    throw new EvenshareError('EVS_CONFIG', `cannot read the configuration "${name}": check --config`, { cause });
  });
  if (text === null) return toConfig({}, null);
  return toConfig(parseConfig(text, name, env), name);
}

/** Checks a configuration's text and fills in what the environment holds. */
export function parseConfig(text: string, name: string, env: Readonly<Record<string, string | undefined>>): ConfigFile {
  const document = parseDocument(text);
  const mistakes = document.errors.map((error) => error.message.split('\n')[0] ?? error.message);
  if (mistakes.length > 0) throw configError(name, mistakes);
  const value: unknown = document.toJS() ?? {};
  mistakes.push(...literalSecrets(value));
  const filled = fillFromEnvironment(value, '', env, mistakes);
  if (mistakes.length > 0) throw configError(name, mistakes);
  nameStoreKind(filled);
  if (!validate(filled)) throw configError(name, describeErrors(ofNamedStoreKind(validate.errors ?? [], filled)));
  return filled;
}

/** A store without a kind is the embedded one, as it is without a word of it. */
function nameStoreKind(config: unknown): void {
  if (typeof config !== 'object' || config === null || !('store' in config)) return;
  const { store } = config;
  if (typeof store !== 'object' || store === null || 'kind' in store || 'url' in store) return;
  Object.assign(store, { kind: 'embedded' });
}

const ajv = new Ajv({ allErrors: true, strict: false });
const validate = ajv.compile<ConfigFile>(ConfigSchema);

function configError(name: string, mistakes: readonly string[]): EvenshareError {
  const list = mistakes.length === 1 ? mistakes[0] : mistakes.map((mistake) => `\n  ${mistake}`).join('');
  return new EvenshareError('EVS_CONFIG', `configuration "${name}": ${list}`);
}

/** `${NAME}` in a text value stands for a variable of the environment; a missing one is a mistake. */
function fillFromEnvironment(
  value: unknown,
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  mistakes: string[],
): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, variable: string) => {
      const found = env[variable];
      if (found === undefined) mistakes.push(`${path}: the environment variable ${variable} is not set`);
      return found ?? '';
    });
  }
  if (Array.isArray(value))
    return value.map((item, index) => fillFromEnvironment(item, `${path}[${index}]`, env, mistakes));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      fillFromEnvironment(item, path === '' ? key : `${path}.${key}`, env, mistakes),
    ]),
  );
}

/** The schema holds a store against every kind in turn: of those errors, the ones that belong to the kind it names. */
function ofNamedStoreKind(errors: readonly ErrorObject[], file: unknown): ErrorObject[] {
  const kind = valueAt(valueAt(file, 'store'), 'kind');
  const named = kind === 'embedded' ? '0' : kind === 'server' ? '1' : null;
  return errors.filter((error) => {
    const match = /^#\/properties\/store\/anyOf(?:\/(\d))?/.exec(error.schemaPath);
    if (match === null) return true;
    return named === null ? error.keyword === 'anyOf' : match[1] === named;
  });
}

function describeErrors(errors: readonly ErrorObject[]): string[] {
  const lines = errors.flatMap((error) => {
    const path = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
    const at = path === '' ? '' : `${path}: `;
    if (error.keyword === 'additionalProperties') {
      const known = knownKeys(error);
      const hint = known.length === 0 ? '' : `; known here: ${known.join(', ')}`;
      return [`${at}unknown key "${String(error.params.additionalProperty)}"${hint}`];
    }
    if (error.keyword === 'enum') {
      return [`${at}must be one of ${JSON.stringify(error.params.allowedValues)}`];
    }
    if (error.keyword === 'pattern' && String(error.params.pattern).includes('ms|s|m|h|d')) {
      return [`${at}must be a duration such as 250ms, 60s, 5m, 1h or 1d`];
    }
    if (error.keyword === 'pattern' && path === 'store.cluster') {
      return [`${at}must be the name of a cluster: letters, digits, "_" and "-", at most 63, no digit first`];
    }
    if (error.keyword === 'anyOf' && path === 'store') {
      return ['store.kind: must be "embedded" or "server", with the keys of that kind'];
    }
    return [`${at}${error.message ?? error.keyword}`];
  });
  return [...new Set(lines)];
}

function knownKeys(error: ErrorObject): string[] {
  const parent: unknown = error.schemaPath
    .split('/')
    .slice(1, -1)
    .reduce<unknown>((schema, part) => valueAt(schema, decodeURIComponent(part)), ConfigSchema);
  if (typeof parent !== 'object' || parent === null || !('properties' in parent)) return [];
  const { properties } = parent;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function valueAt(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function toConfig(file: ConfigFile, path: string | null): Config {
  const poolDefaults = file.pool_defaults ?? {};
  const pools = file.pools ?? {};
  checkPinned(poolDefaults, pools);
  return {
    path,
    store: toStore(file.store),
    hasStore: file.store !== undefined,
    windowMs: file.window === undefined ? DEFAULT_WINDOW_MS : windowOf(file.window),
    pools,
    poolDefaults,
    poolOptions: (pool) => poolOptionsOf(poolDefaults, Object.hasOwn(pools, pool) ? pools[pool] : undefined, checkedMs),
    retention: {
      requestsDays: file.retention?.requests_days ?? DEFAULT_RETENTION.requestsDays,
      windowsDays: file.retention?.windows_days ?? DEFAULT_RETENTION.windowsDays,
      deadLettersDays: file.retention?.dead_letters_days ?? DEFAULT_RETENTION.deadLettersDays,
    },
    intake: {
      maxBodyBytes: file.intake?.max_body_bytes ?? DEFAULT_INTAKE_LIMITS.maxBodyBytes,
      maxFutureMs: optionalMs(file.intake?.max_future) ?? DEFAULT_INTAKE_LIMITS.maxFutureMs,
      latenessMs: optionalMs(file.intake?.lateness) ?? DEFAULT_INTAKE_LIMITS.latenessMs,
      traces: traceFormatsOf(file.intake?.traces),
    },
    http: {
      host: file.http?.host ?? DEFAULT_HOST,
      port: file.http?.port ?? DEFAULT_PORT,
      tokens: file.http?.tokens ?? [],
    },
    kafka: toKafka(file.kafka, checkedMs),
    reports: toReports(file.reports),
    pageUrl: file.http?.public_url ?? null,
    alerts: toAlerts(file.alerts),
    logLevel: file.log?.level ?? 'info',
  };
}

/** A pinned tenant without a place would be missing without a word. */
function checkPinned(defaults: PoolConfig, pools: Readonly<Record<string, PoolConfig>>): void {
  const named = Object.entries(pools).map(([pool, config]) => [`pools.${pool}`, config] as const);
  for (const [path, config] of [['pool_defaults', undefined] as const, ...named]) {
    const { pinnedTenants, topTenants } = poolOptionsOf(defaults, config, checkedMs);
    if (new Set(pinnedTenants).size <= topTenants) continue;
    throw new EvenshareError(
      'EVS_CONFIG',
      `${path}.pinned_tenants: ${pinnedTenants.length} tenants are pinned where top_tenants is ${topTenants}: pin fewer, or raise top_tenants`,
    );
  }
}

function toStore(store: ConfigFile['store']): StoreOptions {
  if (store === undefined || store.kind === 'embedded') {
    return { kind: 'embedded', path: store?.path ?? DEFAULT_DATA_DIR };
  }
  return {
    kind: 'server',
    url: store.url,
    username: store.username ?? 'default',
    password: store.password ?? '',
    database: store.database ?? 'default',
    ...(store.cluster === undefined ? {} : { cluster: store.cluster }),
  };
}

function toReports(reports: ConfigFile['reports']): Config['reports'] {
  if (reports === undefined) return null;
  const zone = reports.time_zone ?? DEFAULT_REPORT_TIME_ZONE;
  const timeZone = canonicalTimeZone(zone);
  if (timeZone === null) {
    throw new EvenshareError('EVS_CONFIG', `reports.time_zone: "${zone}" is no IANA time zone, such as Europe/Berlin`);
  }
  return { folder: reports.folder, timeZone, formats: reports.formats ?? ['html', 'csv', 'json'] };
}

function toAlerts(alerts: ConfigFile['alerts']): Config['alerts'] {
  const rules = (alerts?.rules ?? []).map(
    ({ name, pools, in_share_p99: rule }): AlertRule => ({
      name,
      pools: pools ?? null,
      thresholdMs: checkedMs(rule.threshold),
      forWindows: rule.for_windows ?? DEFAULT_FOR_WINDOWS,
      minSamples: rule.min_samples ?? DEFAULT_MIN_SAMPLES,
    }),
  );
  const twice = rules.find((rule, index) => rules.findIndex((other) => other.name === rule.name) !== index);
  if (twice !== undefined) throw new EvenshareError('EVS_CONFIG', `alerts.rules: two rules are named "${twice.name}"`);
  const webhook = alerts?.webhook;
  return {
    rules,
    stdout: alerts?.stdout ?? rules.length > 0,
    webhook:
      webhook === undefined
        ? null
        : { url: webhook.url, timeoutMs: optionalMs(webhook.timeout) ?? DEFAULT_WEBHOOK_TIMEOUT_MS },
  };
}

/** A duration that the schema has checked already. */
function checkedMs(duration: string): number {
  const ms = parseDurationMs(duration);
  if (ms === null || ms <= 0)
    throw new EvenshareError('EVS_CONFIG', `"${duration}" is no duration: write 250ms, 60s, 5m, 1h or 1d`);
  return ms;
}

/** A second at least: a shorter window would have more overhead than requests. */
function windowOf(duration: string): number {
  const ms = checkedMs(duration);
  if (ms >= 1_000 && Number.isInteger(ms)) return ms;
  throw new EvenshareError('EVS_CONFIG', `window: "${duration}" is too short: a second or longer`);
}

function optionalMs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : checkedMs(duration);
}
