import { parseDocument } from 'yaml';
import { EvenshareError } from '../scheduler-core/kernel/index.ts';

/** A mapping fits on a few screens; what is longer is another file. */
const MAX_MAPPING_LENGTH = 262_144;

/**
 * The value of a mapping's YAML; what it may hold the format checks.
 *
 * @throws EVS_USAGE naming every mistake of the text, with its line.
 */
export function parseMapping(text: string, name: string): unknown {
  const fail = (mistakes: readonly string[], cause?: unknown): never => {
    throw new EvenshareError('EVS_USAGE', `mapping "${name}": ${mistakes.join('; ')}`, { cause });
  };
  if (text.length > MAX_MAPPING_LENGTH) return fail([`is longer than ${MAX_MAPPING_LENGTH} characters`]);
  const document = parseDocument(text, { logLevel: 'silent', stringKeys: true });
  if (document.errors.length > 0) return fail(document.errors.map(({ message }) => message.split('\n')[0] ?? message));
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return value;
  } catch (cause) {
    return fail([cause instanceof Error ? cause.message : 'cannot be read'], cause);
  }
}
