import { readdir, readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { EvenshareError, parseScenario, type Scenario } from '../scheduler-core/index.ts';

/** Where the scenarios of this package lie: beside the compiled program. */
const FOLDER = new URL('../scenarios/', import.meta.url);
const ENDING = '.yaml';

/** Names of the scenarios that come with the package, in code-unit order. */
export async function scenarioNames(): Promise<string[]> {
  const files = await readdir(FOLDER);
  return files.flatMap((file) => (file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : [])).sort();
}

/**
 * A scenario of the package by its name, or of a file by its path (with a slash, or ending in .yaml, .yml or .json).
 *
 * @throws EVS_USAGE for a name that is none, a file that cannot be read or is no YAML, and every mistake in a scenario.
 */
export async function openScenario(nameOrPath: string): Promise<Scenario> {
  const names = await scenarioNames();
  const isName = names.includes(nameOrPath);
  if (!isName && !/[/\\]|\.(ya?ml|json)$/.test(nameOrPath)) {
    throw new EvenshareError(
      'EVS_USAGE',
      `no scenario is called "${nameOrPath}": there are ${names.join(', ')}; or name a file ending in .yaml`,
    );
  }
  const path = isName ? new URL(`${nameOrPath}${ENDING}`, FOLDER) : nameOrPath;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new EvenshareError('EVS_USAGE', `cannot read the scenario "${nameOrPath}": check the path`, { cause });
  });
  const document = parseDocument(text);
  const mistake = document.errors[0];
  if (mistake !== undefined) {
    throw new EvenshareError('EVS_USAGE', `scenario "${nameOrPath}" is no YAML: ${mistake.message.split('\n')[0]}`);
  }
  const content: unknown = document.toJS();
  return parseScenario(content, nameOrPath);
}
