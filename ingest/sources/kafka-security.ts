import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { Mechanism, SASLOptions } from 'kafkajs';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { type ClientCredentials, fetchToken, oauthBearer } from './oauth-bearer.ts';

/** Files in PEM, read whenever a client is made, so that renewed certificates need no restart. */
export interface KafkaTls {
  /** The authority to trust instead of the system's. */
  readonly caFile?: string;
  /** The client's own certificate with what leads to its authority, and its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly keyPassword?: string;
}

/** How a client says who it is. */
export type KafkaSasl =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | { readonly mechanism: 'oauthbearer'; readonly token: string }
  | { readonly mechanism: 'oauthbearer'; readonly credentials: ClientCredentials };

/**
 * What Node's TLS takes.
 *
 * @throws EVS_CONFIG naming the file that cannot be read or used.
 */
export function tlsOptions(tls: KafkaTls): ConnectionOptions {
  const ca = readPem('ca', tls.caFile);
  const cert = readPem('cert', tls.certFile);
  const key = readPem('key', tls.keyFile);
  const options = {
    ...(ca === undefined ? {} : { ca: [ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(tls.keyPassword === undefined ? {} : { passphrase: tls.keyPassword }),
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no PEM';
    throw new EvenshareError(
      'EVS_CONFIG',
      `kafka.ssl: the certificate and its key cannot be used (${code}): both must be PEM, belong together, and the key's password be right`,
      { cause },
    );
  }
  return options;
}

function readPem(name: 'ca' | 'cert' | 'key', path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const text = readText(name, path);
  const label = name === 'key' ? 'PRIVATE KEY-----' : '-----BEGIN CERTIFICATE-----';
  if (text.includes(label)) return text;
  throw new EvenshareError('EVS_CONFIG', `kafka.ssl.${name}: the file "${path}" holds no ${what(name)} in PEM`);
}

const what = (name: 'ca' | 'cert' | 'key'): string => (name === 'key' ? 'private key' : 'certificate');

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new EvenshareError('EVS_CONFIG', `kafka.ssl.${name}: cannot read the file "${path}"${code}`, { cause });
  }
}

/** What kafkajs takes. */
export function saslOptions(sasl: KafkaSasl): SASLOptions | Mechanism {
  switch (sasl.mechanism) {
    case 'plain':
      return { mechanism: 'plain', username: sasl.username, password: sasl.password };
    case 'scram-sha-256':
      return { mechanism: 'scram-sha-256', username: sasl.username, password: sasl.password };
    case 'scram-sha-512':
      return { mechanism: 'scram-sha-512', username: sasl.username, password: sasl.password };
    case 'oauthbearer':
      return oauthBearer('token' in sasl ? async () => sasl.token : () => fetchToken(sasl.credentials));
  }
}
