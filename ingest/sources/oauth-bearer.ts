import type { Mechanism } from 'kafkajs';
import { EvenshareError, SECOND_MS } from '../../scheduler-core/kernel/index.ts';

/** A client that fetches its tokens itself (RFC 6749, 4.4). */
export interface ClientCredentials {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Null: the endpoint's default. */
  readonly scope: string | null;
}

const FETCH_LIMIT_MS = 5 * SECOND_MS;
const MAX_ANSWER_BYTES = 65_536;

/**
 * Fetches a token. One for every connection that is made or renewed: there are few, and a token that is kept could
 * expire on its way.
 *
 * @throws EVS_KAFKA_AUTH when the endpoint refuses or answers with something else; EVS_KAFKA_UNREACHABLE (retryable).
 */
export async function fetchToken(credentials: ClientCredentials): Promise<string> {
  const { tokenEndpoint, clientId, clientSecret, scope } = credentials;
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === null ? {} : { scope }) });
  // RFC 6749, 2.3.1: both are encoded as in a form before they are joined.
  const basic = Buffer.from(`${formText(clientId)}:${formText(clientSecret)}`).toString('base64');
  let response: Response;
  let text: string;
  try {
    response = await fetch(tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, accept: 'application/json' },
      body,
      // A secret is sent to nobody else.
      redirect: 'error',
      signal: AbortSignal.timeout(FETCH_LIMIT_MS),
    });
    text = await readBounded(response);
  } catch (cause) {
    throw new EvenshareError(
      'EVS_KAFKA_UNREACHABLE',
      'the token endpoint does not answer: check kafka.sasl.token_endpoint and that it is up',
      { cause, retryable: true },
    );
  }
  if (response.status >= 500 || response.status === 429) {
    throw new EvenshareError('EVS_KAFKA_UNREACHABLE', `the token endpoint answers ${response.status}: try again`, {
      retryable: true,
    });
  }
  const token = response.ok ? tokenOf(text) : null;
  if (token !== null) return token;
  throw new EvenshareError(
    'EVS_KAFKA_AUTH',
    response.ok
      ? 'the token endpoint answers without an access_token: check kafka.sasl.token_endpoint'
      : `the token endpoint refuses the client (${response.status}): check kafka.sasl.client_id, client_secret and scope`,
  );
}

function formText(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice('v='.length);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tokenOf(text: string): string | null {
  try {
    const answer: unknown = JSON.parse(text);
    const token =
      typeof answer === 'object' && answer !== null && 'access_token' in answer ? answer.access_token : null;
    return typeof token === 'string' && isBearer(token) ? token : null;
  } catch {
    return null;
  }
}

/** RFC 6750, 2.1: anything else could end the message that carries it. */
export function isBearer(token: string): boolean {
  return /^[A-Za-z0-9._~+/-]+=*$/.test(token);
}

const SEPARATOR = '\u0001';

/**
 * SASL OAUTHBEARER (RFC 7628). kafkajs has its own, which takes a refusal for success: a broker that refuses a token
 * says so in a challenge, without an error, and expects an empty answer to it before it fails.
 */
export function oauthBearer(token: () => Promise<string>): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const first = `n,,${SEPARATOR}auth=Bearer ${await token()}${SEPARATOR}${SEPARATOR}`;
        const challenge = await saslAuthenticate({ request: message(first), response: CHALLENGE });
        if (challenge === undefined || challenge.length === 0) return;
        await saslAuthenticate({ request: message(SEPARATOR) });
        throw new EvenshareError('EVS_KAFKA_AUTH', 'the Kafka brokers refuse the token: check kafka.sasl');
      },
    }),
  };
}

/** A message of SASL as kafkajs wants it: its length before it. */
function message(text: string) {
  return {
    encode: () => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeInt32BE(bytes.length);
      return Buffer.concat([length, bytes]);
    },
  };
}

const CHALLENGE = {
  decode: (raw: Buffer): Buffer => raw.subarray(4),
  parse: (challenge: Buffer): Buffer => challenge,
};
