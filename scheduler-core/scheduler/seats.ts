import type { Policy } from '../policy/policy.ts';
import type { Seat } from '../queue/index.ts';
import { ShuffleSharding } from '../queue/shuffle-sharding.ts';
import type { TenantState } from './tenant-states.ts';

/** Seats of classes that nobody waits in are looked through when there are so many: requests may name any class. */
const MOST_CLASS_SEATS = 1024;

/** By whom the discipline queues: by tenant; all together (fifo), by class (priority), or by the shard a tenant is dealt. */
export class Seats {
  readonly #kind: 'one' | 'tenant' | 'class' | 'shard';
  readonly #one: Seat = { key: '', flow: null };
  readonly #classes = new Map<string, Seat>();
  readonly #sharding: ShuffleSharding | null;
  readonly #shards: readonly ShardSeat[];

  constructor({ discipline, shuffleSharding }: Policy) {
    this.#sharding = shuffleSharding === null ? null : new ShuffleSharding(shuffleSharding);
    this.#shards = Array.from({ length: shuffleSharding?.queues ?? 0 }, (_, shard) => ({
      key: String(shard),
      shard,
      flow: null,
    }));
    if (discipline.kind === 'fifo') this.#kind = 'one';
    else if (discipline.kind === 'priority') this.#kind = 'class';
    else this.#kind = shuffleSharding === null ? 'tenant' : 'shard';
  }

  /** Where a request of the tenant and class queues up now. */
  of(tenant: TenantState, className: string | null): Seat {
    if (this.#kind === 'tenant') return tenant.seat;
    if (this.#kind === 'one') return this.#one;
    if (this.#kind === 'class') return this.#ofClass(className ?? '');
    return this.#shards[this.#sharding?.shortestOf(tenant.tenant) ?? 0] ?? this.#one;
  }

  joined(seat: Seat): void {
    if (this.#sharding !== null && 'shard' in seat) this.#sharding.joined(Number(seat.key));
  }

  left(seat: Seat): void {
    if (this.#sharding !== null && 'shard' in seat) this.#sharding.left(Number(seat.key));
  }

  #ofClass(name: string): Seat {
    const known = this.#classes.get(name);
    if (known !== undefined) return known;
    if (this.#classes.size >= MOST_CLASS_SEATS) {
      for (const [other, { flow }] of this.#classes) if (flow === null) this.#classes.delete(other);
    }
    const seat: Seat = { key: name, flow: null };
    this.#classes.set(name, seat);
    return seat;
  }
}

interface ShardSeat extends Seat {
  readonly shard: number;
}
