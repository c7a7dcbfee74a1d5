import { GroupedFilling, type Groups } from './grouped-max-min.ts';
import { type FillingColumns, WaterFilling } from './water-filling.ts';

/** Relative slack of comparisons, as in `fairStep`. */
const SLACK = 1e-9;

/** Shares out the capacity of a step among those present in it, by what each tenant is entitled to. */
export class StepFilling {
  readonly #tenants: number;
  /** By place, of the step at hand. */
  readonly #tenantAt: Int32Array;
  readonly #weightAt: Float64Array;
  readonly #groupAt: Int32Array;
  readonly #weightOf: Float64Array;
  readonly #filling = new WaterFilling();
  #groups: Groups | null = null;
  #groupedFilling: GroupedFilling | null = null;
  #size = 0;
  #capacity = 0;
  // What the places' weights and groups are is looked up once a step, where there is not enough for all.
  #isPlaced = false;
  #hasGroups = false;

  /** @param tenantAt by place the tenant, of the step at hand: it is read in each. */
  constructor(tenants: number, tenantAt: Int32Array) {
    this.#tenants = tenants;
    this.#tenantAt = tenantAt;
    this.#weightAt = new Float64Array(tenants);
    this.#groupAt = new Int32Array(tenants);
    this.#weightOf = new Float64Array(tenants);
  }

  /** Columns that it can fill: whoever has them writes the demands. */
  columns(): FillingColumns {
    return {
      demands: new Float64Array(this.#tenants),
      weights: this.#weightAt,
      shares: new Float64Array(this.#tenants),
    };
  }

  /** From now on these hold: by tenant. */
  entitle(weights: ArrayLike<number>, groups: Groups | null): void {
    for (let tenant = 0; tenant < this.#tenants; tenant++) this.#weightOf[tenant] = weights[tenant] ?? 1;
    this.#groups = groups;
  }

  begin(size: number, capacity: number): void {
    this.#size = size;
    this.#capacity = capacity;
    this.#isPlaced = false;
  }

  isContended(demand: number): boolean {
    return demand > this.#capacity * (1 + SLACK);
  }

  /** The shares of the step, by place, given the sum of the demands; valid until the columns are written again. */
  share(columns: FillingColumns, demand: number): Float64Array {
    if (!this.isContended(demand)) return columns.demands;
    if (!this.#isPlaced) this.#place();
    const groups = this.#groups;
    if (groups === null || !this.#hasGroups) {
      this.#filling.fill(columns, this.#size, this.#capacity);
    } else {
      this.#groupedFilling ??= new GroupedFilling(this.#groupAt);
      this.#groupedFilling.fill(columns, this.#size, { capacity: this.#capacity, groupWeights: groups.weights });
    }
    return columns.shares;
  }

  #place(): void {
    for (let place = 0; place < this.#size; place++) {
      this.#weightAt[place] = this.#weightOf[this.#tenantAt[place] ?? 0] ?? 1;
    }
    this.#isPlaced = true;
    this.#hasGroups = false;
    if (this.#groups === null) return;
    const { of } = this.#groups;
    for (let place = 0; place < this.#size; place++) {
      const group = of[this.#tenantAt[place] ?? 0] ?? -1;
      this.#groupAt[place] = group;
      this.#hasGroups ||= group >= 0;
    }
  }
}
