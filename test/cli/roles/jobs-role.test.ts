import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../analytics/storage/index.ts';
import { systemClock } from '../../../cli/clock.ts';
import type { CliContext } from '../../../cli/context.ts';
import { type Config, loadConfig } from '../../../cli/load-config.ts';
import { type JobLeader, watchLeader } from '../../../cli/roles/job-leader.ts';
import { type JobsRole, startJobs } from '../../../cli/roles/jobs-role.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';

// On made time, with an empty store that counts what it is asked.

const START_MS = Date.UTC(2026, 10, 30, 14, 5, 1);
const TICK_MS = 2_000;

let config: Config;
let registry: Registry;
let lines: string[];
let asked: number;
/** What the store answers its next question with; null: no rows. */
let refusal: EvenshareError | null;
/** The same of the question for backfills alone. */
let backfillsRefusal: EvenshareError | null;
let leads: boolean;
let stopAsked: AbortController;
let leader: JobLeader | null;
let jobs: JobsRole | null;

const store: Store = {
  kind: 'server',
  query: async (_lane, query) => {
    asked++;
    if (refusal !== null) throw refusal;
    if (query.name === 'backfills' && backfillsRefusal !== null) throw backfillsRefusal;
    return [];
  },
  queryBinary: async () => Promise.reject(new Error('nothing is read in binary of an empty store')),
  command: async () => undefined,
  insert: async () => undefined,
  close: async () => undefined,
};

beforeEach(async () => {
  config = await loadConfig(undefined, {});
  vi.useFakeTimers({ now: START_MS });
  registry = new Registry();
  lines = [];
  asked = 0;
  refusal = null;
  backfillsRefusal = null;
  leads = true;
  stopAsked = new AbortController();
  leader = null;
  jobs = null;
});
afterEach(async () => {
  const stopped = jobs?.stop().then(() => leader?.stop());
  await vi.advanceTimersByTimeAsync(60_000);
  await stopped;
  vi.useRealTimers();
});

function begin(how: 'alone' | 'one of several'): JobsRole {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const context: CliContext = {
    stdout: { write: () => undefined },
    stderr: { write: () => undefined, isTTY: false },
    stdin: (async function* () {})(),
    env: {},
    clock: systemClock,
    signal: stopAsked.signal,
  };
  if (how === 'one of several') {
    const leadership = { isLeader: () => leads, notReady: () => [], stop: async () => undefined };
    leader = watchLeader(leadership, { clock: systemClock, signal: stopAsked.signal, log, registry, by: 'a test' });
  }
  jobs = startJobs(context, config, { store, log, registry, pageUrl: '', ...(leader === null ? {} : { leader }) });
  return jobs;
}

/** The samples of a metric of the jobs as they are shown. */
async function shown(name: string): Promise<string[]> {
  const text = await registry.getSingleMetricAsString(`evenshare_job_${name}`);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const readiness = (role: JobsRole): string[] => role.notReady(Date.now());

describe('the jobs of a process that leads', () => {
  it('run, and show it', async () => {
    const role = begin('one of several');
    await vi.advanceTimersByTimeAsync(3 * TICK_MS);
    expect(readiness(role)).toEqual([]);
    expect(asked).toBeGreaterThan(0);
    expect(await shown('leader')).toEqual(['evenshare_job_leader 1']);
    expect(await shown('runs_total')).toEqual(['evenshare_job_runs_total 3']);
    expect(await shown('failures_total')).toEqual([]);
    expect(await shown('last_success_seconds')).toEqual([
      `evenshare_job_last_success_seconds ${(START_MS + 5_000) / 1_000}`,
    ]);
    expect(lines).toEqual(['this process stands ready to run the jobs', 'this process runs the jobs from now on']);
  });

  it('are the same without anybody to share them with', async () => {
    const role = begin('alone');
    await vi.advanceTimersByTimeAsync(3 * TICK_MS);
    expect(readiness(role)).toEqual([]);
    expect(await shown('leader')).toEqual(['evenshare_job_leader 1']);
    expect(await shown('runs_total')).toEqual(['evenshare_job_runs_total 3']);
    expect(lines).toEqual([]);
  });

  it('are not ready from the first failure on when they never succeeded, and are counted by what failed', async () => {
    refusal = new EvenshareError('EVS_STORE_UNREACHABLE', 'the store is away', { retryable: true });
    const role = begin('alone');
    expect(readiness(role)).toEqual([]);
    await vi.advanceTimersByTimeAsync(TICK_MS);
    expect(readiness(role)).toEqual(['the minute job has not succeeded yet: the store is away']);
    expect(await shown('failures_total')).toEqual(['evenshare_job_failures_total{code="EVS_STORE_UNREACHABLE"} 1']);
    refusal = null;
    await vi.advanceTimersByTimeAsync(TICK_MS);
    expect(readiness(role)).toEqual([]);
  });

  it('go on whatever ails the backfills, of which one line tells', async () => {
    backfillsRefusal = new EvenshareError('EVS_STORE_FAILED', 'the table is broken');
    const role = begin('alone');
    await vi.advanceTimersByTimeAsync(5 * TICK_MS);
    expect(readiness(role)).toEqual([]);
    expect(await shown('runs_total')).toEqual(['evenshare_job_runs_total 5']);
    expect(lines).toEqual(['the backfills cannot go on and will try again: the table is broken']);
  });

  it('may fail for two minutes once they have succeeded', async () => {
    const role = begin('alone');
    await vi.advanceTimersByTimeAsync(TICK_MS);
    refusal = new EvenshareError('EVS_STORE_UNREACHABLE', 'the store is away', { retryable: true });
    await vi.advanceTimersByTimeAsync(110_000);
    expect(readiness(role)).toEqual([]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(readiness(role).join()).toMatch(/^the minute job has not succeeded for 1\d\d s: the store is away$/);
  });
});

describe('the jobs of a process that stands by', () => {
  it('do not run and are ready, whatever ails the store; they show no figures', async () => {
    leads = false;
    refusal = new EvenshareError('EVS_STORE_UNREACHABLE', 'the store is away', { retryable: true });
    const role = begin('one of several');
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(asked).toBe(0);
    expect(readiness(role)).toEqual([]);
    expect(await shown('leader')).toEqual(['evenshare_job_leader 0']);
    for (const name of ['watermark_seconds', 'duration_seconds', 'last_success_seconds'])
      expect(await shown(name), name).toEqual([]);
  });

  it('begin at the next moment after it has become the leader, and end with its term', async () => {
    leads = false;
    const role = begin('one of several');
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    leads = true;
    expect(readiness(role)).toEqual([]);
    await vi.advanceTimersByTimeAsync(TICK_MS);
    expect(await shown('runs_total')).toEqual(['evenshare_job_runs_total 1']);
    leads = false;
    await vi.advanceTimersByTimeAsync(10 * TICK_MS);
    expect(await shown('runs_total')).toEqual(['evenshare_job_runs_total 1']);
    expect(await shown('last_success_seconds')).toEqual([]);
    expect(lines).toEqual([
      'this process stands ready to run the jobs',
      'this process runs the jobs from now on',
      'this process runs the jobs no longer',
    ]);
  });

  it('are cut off when the term ends under them: that is no failure', async () => {
    let answer = (): void => {};
    const slow: Store = { ...store, query: () => new Promise((resolve) => (answer = () => resolve([]))) };
    const query = vi.spyOn(store, 'query').mockImplementation(slow.query);
    begin('one of several');
    await vi.advanceTimersByTimeAsync(TICK_MS);
    expect(query).toHaveBeenCalledTimes(1);
    leads = false;
    await vi.advanceTimersByTimeAsync(TICK_MS);
    query.mockRestore();
    answer();
    await vi.advanceTimersByTimeAsync(10 * TICK_MS);
    expect(await shown('failures_total')).toEqual([]);
    expect(await shown('runs_total')).toEqual(['evenshare_job_runs_total 0']);
  });
});

describe('the term of a leader', () => {
  it('ends within a second of its leadership, also while nobody asks, and with the process', async () => {
    begin('one of several');
    const first = leader?.term();
    expect(first?.aborted).toBe(false);
    leads = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(first?.aborted).toBe(true);
    expect(leader?.term()).toBeNull();
    leads = true;
    const second = leader?.term();
    expect(second?.aborted).toBe(false);
    stopAsked.abort();
    expect(second?.aborted).toBe(true);
  });
});
