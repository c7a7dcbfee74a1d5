export const DEFAULT_KAFKA_VERSION: string;
/** What is wrong, in one line for a person to mend. */
export class KafkaScriptError extends Error {}
export function findJava(): string | null;
export function findMaven(): string | null;
/** The folder of a version's jars when it is in the cache already, else null. */
export function cachedJars(version: string): string | null;
/** The folder of a version's jars, fetched with Maven first where need be. Rejects with a `KafkaScriptError`. */
export function fetchJars(version: string): Promise<string>;
