/** One instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The stages of a Dockerfile, each from its FROM on; comments and line ends that are escaped are gone. */
export function dockerfileStages(text: string): Instruction[][] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no instruction: ${line}`);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}
