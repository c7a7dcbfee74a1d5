// Brings a Kafka broker's jars into a cache with Maven, once per version.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The broker that tests and trials run against; another one by EVENSHARE_KAFKA_VERSION or an option. */
export const DEFAULT_KAFKA_VERSION = '4.4.0';
export const SUPPORTED_VERSIONS = '3.9.x or 4.x';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/evenshare-kafka/', import.meta.url));
const POM = fileURLToPath(new URL('pom.xml', import.meta.url));

/** What is wrong, for a person to mend; printed without a stack. */
export class KafkaScriptError extends Error {}

/** Path of a program on the PATH (or in `home`/bin), or null. */
export function findProgram(name, home) {
  const folders = [...(home ? [join(home, 'bin')] : []), ...(process.env.PATH ?? '').split(delimiter)];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The next folder.
    }
  }
  return null;
}

export function findJava() {
  return findProgram('java', process.env.JAVA_HOME);
}

export function findMaven() {
  return findProgram('mvn', process.env.MAVEN_HOME);
}

/** The folder of a version's jars when it is in the cache already, else null. */
export function cachedJars(version) {
  const folder = join(CACHE, checkVersion(version));
  return existsSync(folder) ? folder : null;
}

/**
 * The folder that holds a broker's jars, fetched first where need be.
 *
 * @throws KafkaScriptError when the version is not one, Maven is missing, or it finds no such release.
 */
export async function fetchJars(version) {
  const cached = cachedJars(version);
  if (cached !== null) return cached;
  const maven = findMaven();
  if (maven === null) {
    throw new KafkaScriptError(`Kafka ${version} is not in the cache and Maven is not on the PATH: install maven`);
  }
  await mkdir(CACHE, { recursive: true });
  // Made beside and moved: what carries the version's name is whole, whoever else fetches it now.
  const making = await mkdtemp(join(CACHE, `${version}-`));
  try {
    await runMaven(maven, version, making);
    await rename(making, join(CACHE, version)).catch((error) => {
      if (cachedJars(version) === null) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return join(CACHE, version);
}

function checkVersion(version) {
  if (/^(3\.9|4\.\d+)\.\d+$/.test(version)) return version;
  throw new KafkaScriptError(`"${version}" is no version of Kafka that runs here: use ${SUPPORTED_VERSIONS}`);
}

async function runMaven(maven, version, folder) {
  const quiet = ['--quiet', '--batch-mode', '-Dstyle.color=never'];
  const args = [...quiet, '--file', POM, `-Dkafka.version=${version}`, '-DincludeScope=runtime'];
  const child = spawn(maven, [...args, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      words = `${words}${chunk}`.slice(-8_192);
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  const why = words.split('\n').find((line) => line.includes('ERROR')) ?? `exit code ${code}`;
  throw new KafkaScriptError(
    `Maven could not fetch Kafka ${version}: ${why.replace(/^\W*ERROR\W*/, '').slice(0, 400)}`,
  );
}
