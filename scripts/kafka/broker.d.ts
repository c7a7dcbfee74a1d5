/** A Kafka node of this machine, started by `startBroker`. */
export interface Broker {
  /** `127.0.0.1:PORT` of the listener that asks for nothing. */
  readonly bootstrap: string;
  /** The listener that asks for SASL without TLS; null without `users`. */
  readonly saslBootstrap: string | null;
  /** The listeners with TLS: one that asks for SASL, one for the client's certificate; null without `tls`. */
  readonly saslTlsBootstrap: string | null;
  readonly tlsBootstrap: string | null;
  readonly dataDir: string;
  pid(): number | undefined;
  /** Resolves when the process has ended, whoever ended it. */
  exited(): Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Ends the process and keeps its data and ports; in order, or as a power cut would. Waits for the end. */
  halt(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Brings a halted node back, on the same ports with the same data. */
  start(): Promise<void>;
  /** Ends it in order, by force after a limit, and removes its data unless `dataDir` was given. */
  stop(): Promise<void>;
  /** As `stop`, by force at once. */
  kill(): Promise<void>;
}

export interface BrokerOptions {
  readonly version: string;
  /** 0, the default: a free one. */
  readonly port?: number;
  /** Absent or null: a temporary folder. */
  readonly dataDir?: string | null;
  /** Passwords by name, for a second listener with SASL PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512. */
  readonly users?: Readonly<Record<string, string>> | null;
  /**
   * Files in PEM: the broker's key with its certificate, and the authority of clients' certificates. For a listener with
   * TLS and SASL, OAUTHBEARER with tokens that nobody signed among it, and one with TLS that asks for a certificate.
   */
  readonly tls?: { readonly keystore: string; readonly truststore: string } | null;
  /** Start faster and run slower. */
  readonly quick?: boolean;
}

/** Starts a broker; resolves once it serves. Rejects with a `KafkaScriptError`. */
export function startBroker(options: BrokerOptions): Promise<Broker>;
