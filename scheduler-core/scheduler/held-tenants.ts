import { FlowHeap, type Tagged } from '../queue/flow-heap.ts';

/** Of a tenant: its name, and until when it is held. */
export interface Holdable {
  readonly tenant: string;
  heldUntilMs: number | null;
}

interface Hold<T> extends Tagged {
  readonly tenant: T;
}

/** Tenants whose quotas hold their waiting requests back, by the time at which each may go on. */
export class HeldTenants<T extends Holdable> {
  readonly #byTime = new FlowHeap<Hold<T>>();
  readonly #holds = new Map<string, Hold<T>>();
  #holdings = 0;

  /** `untilMs` null: the tenant is not held. */
  hold(tenant: T, untilMs: number | null): void {
    const hold = this.#holds.get(tenant.tenant);
    tenant.heldUntilMs = untilMs;
    if (untilMs === null) {
      if (hold === undefined) return;
      this.#byTime.remove(hold);
      this.#holds.delete(tenant.tenant);
    } else if (hold === undefined) {
      const added: Hold<T> = { tenant, tag: untilMs, tie: this.#holdings++, heapIndex: -1 };
      this.#holds.set(tenant.tenant, added);
      this.#byTime.push(added);
    } else {
      hold.tag = untilMs;
      this.#byTime.update(hold);
    }
  }

  /** Those who may go on now, in order; each is no longer held. */
  due(nowMs: number): T[] {
    const due: T[] = [];
    for (let hold = this.#byTime.peek(); hold !== undefined && hold.tag <= nowMs; hold = this.#byTime.peek()) {
      this.hold(hold.tenant, null);
      due.push(hold.tenant);
    }
    return due;
  }

  /** When the next may go on; Infinity: nobody is held. */
  nextMs(): number {
    return this.#byTime.peek()?.tag ?? Number.POSITIVE_INFINITY;
  }
}
