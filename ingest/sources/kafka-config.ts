import { type Static, Type } from 'typebox';
import { DURATION_PATTERN, EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { MAX_POOL, MAX_TENANT } from '../event/event-fields.ts';
import type { KafkaSasl, KafkaTls } from './kafka-security.ts';
import { isBearer } from './oauth-bearer.ts';

const file = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const text = Type.Optional(Type.String({ minLength: 1 }));

const TlsSchema = Type.Object(
  {
    ca: file('PEM file of the authority to trust instead of the system’s'),
    cert: file('PEM file of the client’s certificate'),
    key: file('PEM file of its key'),
    key_password: text,
  },
  { additionalProperties: false },
);

const SaslSchema = Type.Object(
  {
    mechanism: Type.Enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']),
    username: text,
    password: text,
    token: text,
    token_endpoint: Type.Optional(Type.String({ pattern: '^https?://' })),
    client_id: text,
    client_secret: text,
    scope: text,
  },
  { additionalProperties: false },
);

/** The section `kafka` of the configuration. */
export const KafkaConfigSchema = Type.Object(
  {
    brokers: Type.Array(Type.String({ pattern: '^[^\\s,]+:[0-9]{1,5}$' }), { minItems: 1 }),
    topic: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,249}$' })),
    dead_letters_topic: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9._-]{0,249}$', description: 'empty: dead letters go to their table alone' }),
    ),
    group_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    format: Type.Optional(Type.String({ minLength: 1, description: '"evenshare formats" lists them' })),
    mapping: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'as in a file for "evenshare load --map"' }),
    ),
    options: Type.Optional(Type.Record(Type.String(), Type.String())),
    pool: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_POOL })),
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TENANT })),
    from_beginning: Type.Optional(Type.Boolean({ description: 'where a group begins that has committed nothing' })),
    start_at: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d)$',
        description: 'where a group begins that has committed nothing: at the first message written then or later',
      }),
    ),
    session_timeout: Type.Optional(
      Type.String({ pattern: DURATION_PATTERN, description: 'how long the group waits for a silent member' }),
    ),
    ssl: Type.Optional(Type.Union([Type.Boolean(), TlsSchema])),
    sasl: Type.Optional(SaslSchema),
  },
  { additionalProperties: false },
);
type KafkaFile = Static<typeof KafkaConfigSchema>;

/** Keys of the section that hold a secret: their values come from the environment, as `${NAME}`. */
export const KAFKA_SECRETS: readonly (readonly string[])[] = [
  ['sasl', 'password'],
  ['sasl', 'token'],
  ['sasl', 'client_secret'],
  ['ssl', 'key_password'],
];

/** @throws EVS_CONFIG when only one of certificate and key is named. */
export function tlsOf(ssl: KafkaFile['ssl']): boolean | KafkaTls | undefined {
  if (ssl === undefined || typeof ssl === 'boolean') return ssl;
  if ((ssl.cert === undefined) !== (ssl.key === undefined)) {
    throw new EvenshareError('EVS_CONFIG', 'kafka.ssl: cert and key are named together or not at all');
  }
  return {
    ...(ssl.ca === undefined ? {} : { caFile: ssl.ca }),
    ...(ssl.cert === undefined ? {} : { certFile: ssl.cert }),
    ...(ssl.key === undefined ? {} : { keyFile: ssl.key }),
    ...(ssl.key_password === undefined ? {} : { keyPassword: ssl.key_password }),
  };
}

type SaslFile = NonNullable<KafkaFile['sasl']>;
type SaslKey = Exclude<keyof SaslFile, 'mechanism'>;

/** @throws EVS_CONFIG for keys that the mechanism lacks or does not take. */
export function saslOf(sasl: KafkaFile['sasl']): KafkaSasl | undefined {
  if (sasl === undefined) return undefined;
  const { mechanism } = sasl;
  if (mechanism !== 'oauthbearer') {
    const { username, password } = required(sasl, ['username', 'password'], []);
    return { mechanism, username, password };
  }
  if (sasl.token !== undefined) {
    const { token } = required(sasl, ['token'], []);
    if (!isBearer(token)) throw new EvenshareError('EVS_CONFIG', 'kafka.sasl.token is no bearer token');
    return { mechanism, token };
  }
  const found = required(sasl, ['token_endpoint', 'client_id', 'client_secret'], ['scope']);
  if (!isPrivate(found.token_endpoint)) {
    throw new EvenshareError('EVS_CONFIG', 'kafka.sasl.token_endpoint takes a secret: it must be https://');
  }
  return {
    mechanism,
    credentials: {
      tokenEndpoint: found.token_endpoint,
      clientId: found.client_id,
      clientSecret: found.client_secret,
      scope: sasl.scope ?? null,
    },
  };
}

function required<Key extends SaslKey>(
  sasl: SaslFile,
  keys: readonly Key[],
  optional: readonly SaslKey[],
): Readonly<Record<Key, string>> {
  const known: readonly string[] = ['mechanism', ...keys, ...optional];
  const found: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const value = sasl[key];
    if (value !== undefined) found[key] = value;
  }
  const extra = Object.keys(sasl).find((key) => !known.includes(key));
  if (!isWhole(found, keys) || extra !== undefined) {
    const what = extra === undefined ? '' : ` and not ${extra}`;
    const or = sasl.mechanism === 'oauthbearer' ? ' (or token alone)' : '';
    throw new EvenshareError('EVS_CONFIG', `kafka.sasl: ${sasl.mechanism} takes ${keys.join(', ')}${what}${or}`);
  }
  return found;
}

function isWhole<Key extends string>(
  found: Partial<Record<Key, string>>,
  keys: readonly Key[],
): found is Record<Key, string> {
  return keys.every((key) => found[key] !== undefined);
}

/** Nobody else reads it on its way: encrypted, or on this machine. */
function isPrivate(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
