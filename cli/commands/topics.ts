import type { Command } from 'commander';
import { createMissingTopics, type TopicPlan, type TopicReport } from '../../ingest/index.ts';
import { DAY_MS, EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import type { KafkaConfig } from '../kafka-config.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';
import { durationOption } from './option-values.ts';

interface CreateOptions {
  readonly partitions: string;
  readonly replication?: string;
  readonly retention: string;
  readonly deadLettersRetention: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const MOST_PARTITIONS = 10_000;
const MOST_REPLICAS = 100;
/** Refused records are few, and nobody reads them in parallel. */
const DEAD_LETTER_PARTITIONS = 1;

export function addTopics(program: Command, context: CliContext): void {
  const topics = program
    .command('topics')
    .description('topics of Kafka')
    .addHelpText('after', '\nExample:\n  evenshare topics create --partitions 12\n');
  topics
    .command('create')
    .description('create the topics of the configuration that are not there; those that are stay as they are')
    .option('--partitions <n>', 'of the topic of events: as many ingest processes may share it', '6')
    .option('--replication <n>', 'replicas of each; default: the brokers’ own')
    .option('--retention <duration>', 'how long events are kept: as long as the store may be away', '7d')
    .option('--dead-letters-retention <duration>', 'how long dead letters are kept', '30d')
    .option('--dry-run', 'say what would be created')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  evenshare topics create --partitions 12 --replication 3 --retention 7d\n')
    .action(async (options: CreateOptions) => {
      const { kafka } = await loadConfig(program.opts<GlobalOptions>().config, context.env);
      if (kafka === null) throw new EvenshareError('EVS_CONFIG', 'no Kafka is configured: set kafka.brokers');
      const plans = plansOf(kafka, options);
      const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const reports = await createMissingTopics(kafka.connection, plans, { isDryRun: options.dryRun === true, log });
      if (options.json === true) printJson(context, { topics: reports.map(toJson) });
      else context.stdout.write(reports.map((report) => describe(report, plans)).join(''));
    });
}

const quiet = (): void => undefined;

function plansOf(kafka: KafkaConfig, options: CreateOptions): TopicPlan[] {
  const { topic, deadLettersTopic } = kafka;
  const partitions = wholeOption('--partitions', options.partitions, MOST_PARTITIONS);
  const { replication: replicas } = options;
  const replication = replicas === undefined ? null : wholeOption('--replication', replicas, MOST_REPLICAS);
  const retentionMs = durationOption('--retention', options.retention);
  const lettersMs = durationOption('--dead-letters-retention', options.deadLettersRetention);
  return [
    { name: topic, partitions, replication, retentionMs },
    ...(deadLettersTopic === null
      ? []
      : [{ name: deadLettersTopic, partitions: DEAD_LETTER_PARTITIONS, replication, retentionMs: lettersMs }]),
  ];
}

function wholeOption(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw new EvenshareError('EVS_USAGE', `${name} "${text}" must be a whole number from 1 to ${most}`);
}

function describe(report: TopicReport, plans: readonly TopicPlan[]): string {
  const plan = plans.find(({ name }) => name === report.name);
  const { outcome, is, differs } = report;
  if (plan === undefined) return '';
  if (outcome !== 'exists')
    return `${report.name}: ${outcome === 'created' ? 'created' : 'would be created'}, ${shape(plan)}\n`;
  if (is === null) return `${report.name}: exists\n`;
  if (differs.length === 0) return `${report.name}: exists, ${shape(is)}\n`;
  const parts = differs.map((key) => `${WORDS[key]} ${valueText(key, is[key])} (asked: ${valueText(key, plan[key])})`);
  return `${report.name}: exists and differs, left as it is: ${parts.join(', ')}\n`;
}

type Shape = Pick<TopicPlan, 'partitions'> & {
  readonly replication: number | null;
  readonly retentionMs: number | null;
};
const WORDS = { partitions: 'partitions', replication: 'replication', retentionMs: 'retention' } as const;

function shape(of: Shape): string {
  const keys = (['partitions', 'replication', 'retentionMs'] as const).filter((key) => of[key] !== null);
  return keys.map((key) => `${WORDS[key]} ${valueText(key, of[key])}`).join(', ');
}

function valueText(key: keyof Shape, value: number | null): string {
  if (value === null) return 'the brokers’ default';
  if (key !== 'retentionMs') return String(value);
  if (value < 0) return 'for ever';
  return value % DAY_MS === 0 ? `${value / DAY_MS}d` : `${value}ms`;
}

function toJson({ name, outcome, is, differs }: TopicReport) {
  return {
    topic: name,
    outcome,
    partitions: is?.partitions ?? null,
    replication: is?.replication ?? null,
    retention_ms: is?.retentionMs ?? null,
    differs: differs.map((key) => (key === 'retentionMs' ? 'retention_ms' : key)),
  };
}
