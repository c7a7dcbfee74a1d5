import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { systemClock } from '../../cli/clock.ts';
import { assertNever, seededRandom } from '../../scheduler-core/kernel/index.ts';
import type { Broker } from '../../scripts/kafka/broker.js';
import { createTopics } from '../../scripts/kafka/create-topics.js';
import type { Switch } from '../support/clickhouse-http/switches.ts';
import { EventFeeder } from './event-feeder.ts';
import { type Fault, type PlanOptions, planFaults, type Step } from './fault-plan.ts';
import { IngestFleet } from './ingest-fleet.ts';
import { reconcile, type Tally } from './reconcile.ts';
import { StoreProcess } from './store-process.ts';
import { StoreProxy } from './store-proxy.ts';

export interface FaultsOptions extends Omit<PlanOptions, 'sessionMs'> {
  readonly seed: number;
  readonly requestsPerS: number;
  /** Processes that ingest. */
  readonly processes: number;
  /** A running broker. */
  readonly broker: Pick<Broker, 'bootstrap' | 'halt' | 'start'>;
  /** The built command line, and the test server as a script (test/support/clickhouse-http/program.ts). */
  readonly program: string;
  readonly storeProgram: string;
  readonly clockPreload: string;
  /** An empty folder. */
  readonly folder: string;
  readonly print: (line: string) => void;
  /** Ends it early, with an error. */
  readonly signal?: AbortSignal;
}

export interface FaultsResult extends Tally {
  readonly kills: number;
  readonly faults: ReadonlyMap<string, number>;
  /** How the disk was filled, and the clock moved. */
  readonly means: readonly string[];
  /** What processes said that ended by themselves. */
  readonly ownEnds: readonly string[];
}

const TOPIC = 'evenshare.decisions';
const PARTITIONS = 4;
const GROUP = 'evenshare';
const SESSION_MS = 3_000;
const SETTLE_LIMIT_MS = 120_000;

/** Sends events through broker and processes into a store, does harm to all of them, and counts what arrived. */
export async function runFaults(options: FaultsOptions): Promise<FaultsResult> {
  const run = new FaultsRun(options);
  try {
    return await Promise.race([allOf(run), refusedBy(options.signal)]);
  } finally {
    await run.remove();
  }
}

async function allOf(run: FaultsRun): Promise<FaultsResult> {
  await run.start();
  for (const [index, step] of run.steps.entries()) await run.take(step, index);
  return run.finish();
}

function refusedBy(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
  });
}

class FaultsRun {
  readonly steps: readonly Step[];
  readonly #options: FaultsOptions;
  readonly #random;
  readonly #store: StoreProcess;
  readonly #proxy: StoreProxy;
  readonly #fleet: IngestFleet;
  readonly #feeder: EventFeeder;
  readonly #done = new Map<string, number>();
  #partitions = PARTITIONS;

  constructor(options: FaultsOptions) {
    const { seed, folder, program, processes, broker, requestsPerS, storeProgram } = options;
    this.#options = options;
    this.#random = seededRandom(seed);
    this.steps = planFaults(this.#random.fork('plan'), { ...options, sessionMs: SESSION_MS });
    this.#store = new StoreProcess(storeProgram, join(folder, 'disk'));
    const chance = this.#random.fork('cuts');
    this.#proxy = new StoreProxy(
      () => this.#store.port,
      () => chance.next(),
    );
    const config = join(folder, 'evenshare.yaml');
    this.#fleet = new IngestFleet({ program, config, folder, size: processes, preload: options.clockPreload });
    const random = this.#random.fork('feeder');
    this.#feeder = new EventFeeder({ brokers: [broker.bootstrap], topic: TOPIC, random, requestsPerS });
  }

  async start(): Promise<void> {
    const { folder, broker } = this.#options;
    await mkdir(folder, { recursive: true });
    await this.#store.start();
    await this.#proxy.start();
    await createTopics(broker.bootstrap, [TOPIC], PARTITIONS);
    await writeFile(
      join(folder, 'evenshare.yaml'),
      `store: { kind: server, url: "${this.#proxy.url}", username: default, password: "", database: evenshare }
kafka: { brokers: ["${broker.bootstrap}"], topic: ${TOPIC}, group_id: ${GROUP}, session_timeout: ${SESSION_MS}ms }
log: { level: warn }
`,
    );
    this.#fleet.start();
    await this.#fleet.allReady();
    await this.#store.ask("ALTER TABLE requests ADD CONSTRAINT no_poison CHECK NOT startsWith(request_id, 'poison')");
    await this.#feeder.start();
  }

  async take({ afterMs, fault }: Step, index: number): Promise<void> {
    await systemClock.sleep(afterMs);
    const { kind, ...how } = fault;
    const details = Object.entries(how).map(([name, value]) => `${name}=${value}`);
    const left = `${index + 1}/${this.steps.length}`;
    this.#options.print(
      `${left.padStart(7)}  ${String(this.#feeder.requests).padStart(8)} sent  ${[kind, ...details].join(' ')}`,
    );
    await this.#harm(fault);
    this.#done.set(kind, (this.#done.get(kind) ?? 0) + 1);
  }

  async finish(): Promise<FaultsResult> {
    await this.#proxy.set('pass');
    this.#store.set();
    await this.#feeder.stop();
    this.#options.print('all is well again: waiting until everything is stored');
    await this.#caughtUp();
    const tally = await reconcile(this.#store, this.#feeder.requests, this.#feeder.messages);
    return {
      ...tally,
      kills: this.#fleet.kills,
      faults: this.#done,
      means: [
        this.#store.isDisk ? 'disk full: a tmpfs, filled' : 'disk full: the store answers NOT_ENOUGH_SPACE',
        "clock: the process's own Date, moved by a preload; its timers count on",
      ],
      ownEnds: this.#fleet.ownEnds,
    };
  }

  async remove(): Promise<void> {
    await this.#feeder.stop().catch(() => undefined);
    await this.#fleet.stop();
    await this.#proxy.close();
    await this.#store.remove();
  }

  async #harm(fault: Fault): Promise<void> {
    const { broker, processes } = this.#options;
    const one = Math.floor(this.#random.next() * processes);
    switch (fault.kind) {
      case 'kill':
        await this.#fleet.isReady(one);
        return this.#fleet.kill(one);
      case 'kill_all':
        await this.#fleet.isReady(one);
        for (let index = 0; index < processes; index++) this.#fleet.kill(index);
        return;
      case 'freeze':
        await this.#fleet.isReady(one);
        this.#fleet.signal(one, 'SIGSTOP');
        await systemClock.sleep(fault.durationMs);
        return this.#fleet.signal(one, 'SIGCONT');
      case 'join_and_leave': {
        const more = this.#fleet.add();
        await this.#fleet.isReady(more);
        await systemClock.sleep(fault.durationMs);
        return this.#fleet.leave(more);
      }
      case 'clock':
        await this.#fleet.isReady(one);
        await this.#fleet.shiftClock(one, fault.shiftMs);
        await systemClock.sleep(fault.durationMs);
        return this.#fleet.shiftClock(one, 0);
      case 'broker_restart':
        await broker.halt(fault.signal);
        await systemClock.sleep(fault.durationMs);
        return broker.start();
      case 'partitions_added':
        return this.#addPartitions();
      default:
        return this.#harmStore(fault);
    }
  }

  async #harmStore(fault: Extract<Fault, { readonly kind: `store_${string}` }>): Promise<void> {
    const pass = async (): Promise<void> => systemClock.sleep(fault.durationMs);
    const during = async (mode: 'refuse' | 'hang' | 'cut' | 'page'): Promise<void> => {
      await this.#proxy.set(mode);
      await pass();
      await this.#proxy.set('pass');
    };
    const misbehaving = async (how: Switch): Promise<void> => {
      this.#store.set(how);
      await pass();
      this.#store.set();
    };
    switch (fault.kind) {
      case 'store_refuses':
        return during('refuse');
      case 'store_hangs':
        return during('hang');
      case 'store_cuts':
        return during('cut');
      case 'store_page':
        return during('page');
      case 'store_overload':
        return misbehaving({ does: { kind: 'exception', code: fault.code } });
      case 'store_slow':
        return misbehaving({ does: { kind: 'slow', durationMs: fault.delayMs } });
      case 'store_mute':
        return misbehaving({ match: 'insert', does: { kind: 'cut', when: 'after' } });
      case 'store_full':
        return this.#store.withFullDisk(pass);
      case 'store_killed':
        await this.#store.kill();
        await pass();
        return this.#store.restart();
      default:
        return assertNever(fault);
    }
  }

  async #addPartitions(): Promise<void> {
    this.#partitions += 2;
    await this.#withAdmin((admin) =>
      admin.createPartitions({ topicPartitions: [{ topic: TOPIC, count: this.#partitions }] }),
    );
  }

  /** Until the group has committed everything that the topic holds. */
  async #caughtUp(): Promise<void> {
    const giveUp = AbortSignal.timeout(SETTLE_LIMIT_MS);
    for (let turn = 0; !giveUp.aborted; turn++) {
      const behind = await this.#withAdmin(async (admin) => {
        const ends = new Map((await admin.fetchTopicOffsets(TOPIC)).map((one) => [one.partition, Number(one.offset)]));
        const [group] = await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] });
        const committed = new Map(group?.partitions.map((one) => [one.partition, Number(one.offset)]));
        return [...ends].reduce((sum, [partition, end]) => sum + end - Math.max(0, committed.get(partition) ?? 0), 0);
      }).catch(() => null);
      if (behind === 0) return;
      if (turn % 10 === 9) this.#options.print(`${behind ?? 'nobody knows how many'} messages are not committed yet`);
      await systemClock.sleep(500);
    }
    this.#options.print(`${SETTLE_LIMIT_MS / 1_000} s were not enough: what is missing counts as lost`);
  }

  async #withAdmin<Result>(work: (admin: ReturnType<Kafka['admin']>) => Promise<Result>): Promise<Result> {
    const admin = new Kafka({ brokers: [this.#options.broker.bootstrap], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}
