// One Kafka node, broker and controller in one, on loopback ports; no container, no root.
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchJars, findJava, KafkaScriptError } from './fetch-jars.js';

const LOG_CONFIG = fileURLToPath(new URL('log4j2.xml', import.meta.url));
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;
const OLDEST_JAVA = 17;
/** Any 16 bytes in URL-safe base64. */
const CLUSTER_ID = 'ZXZlbnNoYXJlLWxvY2FsQQ';

/**
 * Starts a broker; resolves once it serves.
 *
 * Options: `version`; `port` (0: a free one); `dataDir` (null: a temporary one, removed by `stop` and `kill`);
 * `users` (null, or passwords by name for a second listener that asks for SASL: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512);
 * `tls` (null, or PEM files for two more: SASL over TLS with OAUTHBEARER too, and TLS that asks for a certificate);
 * `quick` (starts faster, runs slower). See broker.d.ts for what it returns.
 *
 * @throws KafkaScriptError in words for a person.
 */
export async function startBroker({ version, port = 0, dataDir = null, users = null, tls = null, quick = false }) {
  const java = await checkJava();
  const jars = await fetchJars(version);
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'evenshare-kafka-')));
  const removeData = () => (dataDir === null ? rm(folder, { recursive: true, force: true }) : Promise.resolve());
  try {
    await mkdir(folder, { recursive: true });
    const ports = await choosePorts(port);
    const command = javaCommand(java, jars, quick);
    const properties = join(folder, 'server.properties');
    await writeFile(properties, serverProperties(folder, ports, { users, tls }));
    await format(command, folder, properties, users);
    return await serve({
      command,
      properties,
      ports,
      folder,
      removeData,
      hasUsers: users !== null,
      hasTls: tls !== null,
    });
  } catch (error) {
    await removeData();
    throw error;
  }
}

async function serve({ command, properties, ports, folder, removeData, hasUsers, hasTls }) {
  let node = await launch(command, properties);
  const end = async (signal) => {
    await endNode(node, signal);
    await removeData();
  };
  return {
    bootstrap: `127.0.0.1:${ports.clients}`,
    saslBootstrap: hasUsers ? `127.0.0.1:${ports.sasl}` : null,
    saslTlsBootstrap: hasTls ? `127.0.0.1:${ports.saslTls}` : null,
    tlsBootstrap: hasTls ? `127.0.0.1:${ports.tls}` : null,
    dataDir: folder,
    pid: () => node.child.pid,
    exited: () => node.exited,
    halt: (signal = 'SIGTERM') => endNode(node, signal),
    start: async () => {
      node = await launch(command, properties);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function checkJava() {
  const java = findJava();
  if (java === null) throw new KafkaScriptError(`Java is not on the PATH: install a JRE, ${OLDEST_JAVA} or newer`);
  const { stderr } = await promisify(execFile)(java, ['-version']);
  const version = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  if (version < OLDEST_JAVA) {
    throw new KafkaScriptError(`Java ${version} is too old for a broker: install a JRE, ${OLDEST_JAVA} or newer`);
  }
  return java;
}

function javaCommand(java, jars, quick) {
  return {
    java,
    args: [
      '-Xmx512m',
      '-XX:+UseSerialGC',
      ...(quick ? ['-XX:TieredStopAtLevel=1'] : []),
      `-Dlog4j2.configurationFile=${LOG_CONFIG}`,
      '-cp',
      join(jars, '*'),
    ],
  };
}

/**
 * Ports below the ephemeral range: a client that keeps trying a stopped broker's port could otherwise be given that very
 * port as its own and connect to itself.
 */
async function choosePorts(wanted) {
  const taken = new Set();
  const choose = async (port) => {
    for (let attempt = 0; attempt < 100; attempt++) {
      const candidate = port === 0 ? 20_000 + Math.floor(Math.random() * 12_000) : port;
      if (!taken.has(candidate) && (await isFree(candidate))) {
        taken.add(candidate);
        return candidate;
      }
      if (port !== 0) throw new KafkaScriptError(`port ${port} is in use: choose another with --port`);
    }
    throw new KafkaScriptError('no free port was found on 127.0.0.1');
  };
  return {
    clients: await choose(wanted),
    controller: await choose(0),
    sasl: await choose(0),
    saslTls: await choose(0),
    tls: await choose(0),
  };
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function serverProperties(folder, ports, { users, tls }) {
  const forClients = [
    `PLAINTEXT://127.0.0.1:${ports.clients}`,
    ...(users === null ? [] : [`SASL_PLAINTEXT://127.0.0.1:${ports.sasl}`]),
    ...(tls === null ? [] : [`SASL_SSL://127.0.0.1:${ports.saslTls}`, `SSL://127.0.0.1:${ports.tls}`]),
  ];
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${ports.controller}`,
    listeners: [...forClients, `CONTROLLER://127.0.0.1:${ports.controller}`],
    'advertised.listeners': forClients,
    'listener.security.protocol.map':
      'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': join(folder, 'log'),
    'auto.create.topics.enable': false,
    'num.partitions': 6,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    // The first member of a group would wait for others, 3 s.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1_000,
    // A node that was killed and comes back waits until it has been given up, 9 s.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
    ...(users === null ? {} : userSettings(users)),
    ...(tls === null ? {} : tlsSettings(tls, users ?? {})),
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

const SECURITY = 'org.apache.kafka.common.security';

/** Users, and rights for them where a topic or group has any: whoever needs no password may do everything. */
function userSettings(users) {
  return {
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    ...passwordSettings('sasl_plaintext', users),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
    'allow.everyone.if.no.acl.found': true,
  };
}

function passwordSettings(listener, users) {
  const prefix = `listener.name.${listener}`;
  const plain = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`);
  const scram = `${SECURITY}.scram.ScramLoginModule required;`;
  return {
    [`${prefix}.plain.sasl.jaas.config`]: `${SECURITY}.plain.PlainLoginModule required ${plain.join(' ')};`,
    [`${prefix}.scram-sha-256.sasl.jaas.config`]: scram,
    [`${prefix}.scram-sha-512.sasl.jaas.config`]: scram,
  };
}

/** `keystore`: key and certificate of the broker; `truststore`: whose certificates it takes from clients. */
function tlsSettings({ keystore, truststore }, users) {
  const module = `${SECURITY}.oauthbearer.OAuthBearerLoginModule required`;
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': truststore,
    'listener.name.ssl.ssl.client.auth': 'required',
    'listener.name.sasl_ssl.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    ...passwordSettings('sasl_ssl', users),
    // Takes tokens that nobody has signed: for trials.
    'listener.name.sasl_ssl.oauthbearer.sasl.jaas.config': `${module} unsecuredLoginStringClaim_sub="broker";`,
  };
}

/** Writes the cluster's id and first users into the log folder, unless it was formatted before. */
async function format({ java, args }, folder, properties, users) {
  const known = await readFile(join(folder, 'log', 'meta.properties'), 'utf8').catch(() => null);
  if (known !== null) return;
  const scram = Object.entries(users ?? {}).flatMap(([name, password]) =>
    [256, 512].flatMap((bits) => ['--add-scram', `SCRAM-SHA-${bits}=[name=${name},password=${password}]`]),
  );
  const tool = [...args, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', properties, ...scram];
  await promisify(execFile)(java, tool).catch((error) => {
    const why = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().split('\n')[0];
    throw new KafkaScriptError(`the folder "${folder}" cannot be formatted for Kafka: ${why}`);
  });
}

async function launch({ java, args }, properties) {
  // A process group of its own: Ctrl-C reaches whoever started the broker, who then stops it in order.
  const child = spawn(java, [...args, 'kafka.Kafka', properties], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const endWithParent = () => child.kill('SIGKILL');
  process.once('exit', endWithParent);
  exited.then(() => process.off('exit', endWithParent));
  const node = { child, exited };
  const words = [];
  const serving = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (line.includes('Kafka Server started')) resolve(true);
        else if (words.length < 20) words.push(line);
      });
    }
  });
  const limit = withLimit(START_LIMIT_MS);
  const started = await Promise.race([serving, exited.then(() => false), limit.reached.then(() => false)]);
  limit.clear();
  if (started) return node;
  await endNode(node, 'SIGKILL');
  throw new KafkaScriptError(`the broker did not start: ${words.slice(0, 3).join(' ') || 'it said nothing'}`);
}

async function endNode({ child, exited }, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  const limit = withLimit(STOP_LIMIT_MS);
  await Promise.race([exited, limit.reached.then(() => child.kill('SIGKILL'))]);
  limit.clear();
  await exited;
}

function withLimit(durationMs) {
  let timer;
  const reached = new Promise((resolve) => {
    timer = setTimeout(resolve, durationMs);
  });
  return { reached, clear: () => clearTimeout(timer) };
}
