#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { Command, CommanderError } from 'commander';
import { type ErrorCode, EvenshareError } from '../scheduler-core/kernel/index.ts';
import { systemClock } from './clock.ts';
import { addAlerts } from './commands/alerts.ts';
import { addAnalyze } from './commands/analyze.ts';
import { addAudit } from './commands/audit.ts';
import { addConfig } from './commands/config.ts';
import { addDlq } from './commands/dlq.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addFairness } from './commands/fairness.ts';
import { addFormats } from './commands/formats.ts';
import { addLoad } from './commands/load.ts';
import { addMigrate } from './commands/migrate.ts';
import { addPolicy } from './commands/policy.ts';
import { addReplay } from './commands/replay.ts';
import { addReport } from './commands/report.ts';
import { addRoles } from './commands/roles.ts';
import { addSimulate } from './commands/simulate.ts';
import { addTopics } from './commands/topics.ts';
import { addUp } from './commands/up.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { takeStandardInput } from './standard-input.ts';

/** The caller's words are wrong: nothing was done. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  'EVS_USAGE',
  'EVS_CONFIG',
  'EVS_POLICY',
  'EVS_INPUT_MISSING',
  'EVS_INPUT_DIRECTORY',
  'EVS_INPUT_EMPTY',
  'EVS_INPUT_BINARY',
  'EVS_INPUT_FORMAT',
]);

async function createProgram(context: CliContext): Promise<Command> {
  const { version }: { version: string } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const program = new Command('evenshare')
    .description('tells whether each tenant of a gateway got its fair share')
    .version(version)
    .option('--config <file>', 'configuration file; default evenshare.yaml where it exists')
    .option('--debug', 'show the causes of errors')
    .addHelpText(
      'after',
      '\nExamples:\n  evenshare audit gateway.ndjson --slots 8\n  evenshare simulate noisy-neighbour\n  evenshare up --demo\n',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text, write) => write(usageLine(text, 'evenshare')),
    });
  for (const add of [
    addUp,
    addRoles,
    addLoad,
    addFormats,
    addAudit,
    addAnalyze,
    addFairness,
    addExplain,
    addSimulate,
    addReplay,
    addReport,
    addAlerts,
    addDlq,
    addPolicy,
    addTopics,
    addMigrate,
    addConfig,
    addDoctor,
  ]) {
    add(program, context);
  }
  allowGlobalOptions(program);
  return program;
}

/** `--config` and `--debug` may stand after the command too. */
function allowGlobalOptions(program: Command): void {
  const visit = (command: Command, path: string): void => {
    command.exitOverride().configureOutput({
      ...program.configureOutput(),
      outputError: (text, write) => write(usageLine(text, path)),
    });
    command.option('--config <file>', 'configuration file').option('--debug', 'show the causes of errors');
    command.hook('preAction', (_, action) => {
      const { config, debug } = action.opts<GlobalOptions>();
      if (config !== undefined) program.setOptionValue('config', config);
      if (debug !== undefined) program.setOptionValue('debug', debug);
    });
    for (const child of command.commands) visit(child, `${path} ${child.name()}`);
  };
  for (const command of program.commands) visit(command, `${program.name()} ${command.name()}`);
}

/** What is wrong with the words of a command, with the parser's own guess at what was meant, in one line. */
function usageLine(text: string, path: string): string {
  const words = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  return `evenshare: ${words}; see "${path} --help"\n`;
}

/** Runs one command; returns the exit code: 0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted. */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  const program = await createProgram(context);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (context.signal.aborted) {
      const told = error instanceof EvenshareError && error.code === 'EVS_INTERRUPTED';
      context.stderr.write(`evenshare: ${told ? error.message : 'interrupted'}\n`);
      return 130;
    }
    const known = error instanceof EvenshareError;
    const message = error instanceof Error ? error.message : String(error);
    context.stderr.write(
      known
        ? `evenshare: ${message} [${error.code}]\n`
        : `evenshare: unexpected failure: ${message.split('\n')[0]}; run with --debug for more\n`,
    );
    if (program.opts<GlobalOptions>().debug === true) context.stderr.write(`${describeCauses(error)}\n`);
    return known && USAGE_CODES.has(error.code) ? 2 : 1;
  }
}

function describeCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${describeCauses(error.cause)}`;
}

async function main(): Promise<void> {
  // Nothing is shown in local time, and the engine knows fewer zones than the system.
  process.env.TZ = 'UTC';
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // A reader that has seen enough (head, less) closes the pipe: nothing is wrong then.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  const argv = process.argv.slice(2);
  const stdin = takeStandardInput(argv.includes('-'), stop.signal);
  const context: CliContext = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: stdin.chunks,
    env: process.env,
    clock: systemClock,
    signal: stop.signal,
  };
  process.exitCode = await run(argv, context);
  stdin.close();
}

await main();
