/** What the fluid model says of some steps in a row, by tenant. Valid during the call only: the arrays are used again. */
export interface FluidSpan {
  readonly span: number;
  /** `Σ f_i` over its steps: ideal service. */
  readonly ideal: Float64Array;
  /** The largest lag at an end of its steps. */
  readonly maxLag: Float64Array;
  /** Sum of the lags at the ends of its steps. */
  readonly lagSum: Float64Array;
  /** `q_i` at its end. */
  readonly backlog: Float64Array;
  /** What it was really served, of all attempts. */
  readonly served: Float64Array;
  /** By processor sharing that never looks at the real system (backlog `q̂_i`): what verdicts go by. */
  readonly gps: GpsSpan;
  /** Tenants with any of these, ascending. */
  readonly touched: Int32Array;
  /** Whether demand exceeded the capacity in some step. */
  readonly contended: boolean;
}

/** Figures of a span by uncut processor sharing, by tenant. */
export interface GpsSpan {
  /** `Σ f̂_i` over its steps. */
  readonly served: Float64Array;
  /** The part of it that requests were due which the real system refused. */
  readonly refused: Float64Array;
  /** The lag at its start: late work beyond both backlogs. */
  readonly lagBefore: Float64Array;
  /** The largest lag at an end of its steps, less what was due in the last second: a burst at its end is no grievance yet. */
  readonly maxLag: Float64Array;
  /**
   * The most by which it got ahead of what it was due within the span: the largest rise, over the ends of its steps, of what
   * it was served less what it was due, where that is above 0. Catching up is none, giving back later takes nothing away.
   */
  readonly excess: Float64Array;
  /** What of its ideal work the real system had done already at its start: `q̂_i` beyond its late work. */
  readonly aheadBefore: Float64Array;
  /** `q̂_i` at its end. */
  readonly backlog: Float64Array;
}

/** A step of the recursion once it is settled, by place. */
export interface SettledStep {
  readonly size: number;
  readonly tenants: Int32Array;
  /** What it was really served, of all attempts. */
  readonly served: Float64Array;
  /** `v_i` at its end. */
  readonly lateAfter: Float64Array;
  readonly shares: Float64Array;
  readonly gpsShares: Float64Array;
  /** What admitted requests were due: `oA_i + q̂_i`. */
  readonly gpsDue: Float64Array;
}

export interface SpanInput {
  readonly tenants: number;
  /** By tenant, at the end of the step at hand; they are read, and handed on. */
  readonly backlog: Float64Array;
  readonly gpsBacklog: Float64Array;
  /** See `FluidInput`. */
  readonly graceRatio: number;
}

/** Adds up the figures of a span, step by step, and of the next one. */
export class SpanFigures {
  readonly #ideal: Float64Array;
  readonly #maxLag: Float64Array;
  readonly #lagSum: Float64Array;
  readonly #backlog: Float64Array;
  readonly #served: Float64Array;
  readonly #gps: GpsSpan;
  readonly #graceRatio: number;
  /** What it was served less what it was due by uncut processor sharing, and the least of it in the span, or 0. */
  readonly #ahead: Float64Array;
  readonly #leastAhead: Float64Array;
  readonly #isTouched: Uint8Array;
  readonly #touched: Int32Array;

  constructor({ tenants, backlog, gpsBacklog, graceRatio }: SpanInput) {
    this.#ideal = new Float64Array(tenants);
    this.#maxLag = new Float64Array(tenants);
    this.#lagSum = new Float64Array(tenants);
    this.#backlog = backlog;
    this.#served = new Float64Array(tenants);
    this.#gps = {
      served: new Float64Array(tenants),
      refused: new Float64Array(tenants),
      lagBefore: new Float64Array(tenants),
      maxLag: new Float64Array(tenants),
      excess: new Float64Array(tenants),
      aheadBefore: new Float64Array(tenants),
      backlog: gpsBacklog,
    };
    this.#graceRatio = graceRatio;
    this.#ahead = new Float64Array(tenants);
    this.#leastAhead = new Float64Array(tenants);
    this.#isTouched = new Uint8Array(tenants);
    this.#touched = new Int32Array(tenants);
  }

  /** Before a step is settled; the first time in a span, its late work and backlogs are those at the span's start. */
  touch(tenant: number, late: number): void {
    if (this.#isTouched[tenant] === 1) return;
    this.#isTouched[tenant] = 1;
    const backlog = this.#backlog[tenant] ?? 0;
    const gpsBacklog = this.#gps.backlog[tenant] ?? 0;
    const lag = Math.max(0, late - Math.max(backlog, gpsBacklog));
    const ahead = gpsBacklog > late ? gpsBacklog - late : -lag;
    this.#gps.lagBefore[tenant] = lag;
    this.#ahead[tenant] = ahead;
    this.#leastAhead[tenant] = Math.max(0, ahead);
    this.#gps.aheadBefore[tenant] = Math.max(0, ahead);
  }

  /** Every tenant of the step has been touched. */
  add({ size, tenants, served, lateAfter, shares, gpsShares, gpsDue }: SettledStep): void {
    for (let place = 0; place < size; place++) {
      const tenant = tenants[place] ?? 0;
      const share = shares[place] ?? 0;
      const gpsShare = gpsShares[place] ?? 0;
      const late = lateAfter[place] ?? 0;
      const backlog = this.#backlog[tenant] ?? 0;
      const gpsBacklog = this.#gps.backlog[tenant] ?? 0;
      const lag = Math.max(0, late - backlog);
      this.#ideal[tenant] = (this.#ideal[tenant] ?? 0) + share;
      this.#lagSum[tenant] = (this.#lagSum[tenant] ?? 0) + lag;
      if (lag > (this.#maxLag[tenant] ?? 0)) this.#maxLag[tenant] = lag;
      this.#served[tenant] = (this.#served[tenant] ?? 0) + (served[place] ?? 0);
      this.#noteAhead(tenant, (served[place] ?? 0) - gpsShare);
      const gps = this.#gps;
      gps.served[tenant] = (gps.served[tenant] ?? 0) + gpsShare;
      // What admitted requests were due comes first.
      const due = gpsDue[place] ?? 0;
      if (gpsShare > due) gps.refused[tenant] = (gps.refused[tenant] ?? 0) + gpsShare - due;
      const grieved = late - Math.max(backlog, gpsBacklog) - this.#graceRatio * gpsShare;
      if (grieved > (gps.maxLag[tenant] ?? 0)) gps.maxLag[tenant] = grieved;
    }
  }

  #noteAhead(tenant: number, gained: number): void {
    const ahead = (this.#ahead[tenant] ?? 0) + gained;
    this.#ahead[tenant] = ahead;
    const least = this.#leastAhead[tenant] ?? 0;
    if (ahead < least) this.#leastAhead[tenant] = Math.max(0, ahead);
    else if (ahead - least > (this.#gps.excess[tenant] ?? 0)) this.#gps.excess[tenant] = ahead - least;
  }

  /** Hands the span over; the next one begins. */
  end(span: number, contended: boolean, onSpan: (span: FluidSpan) => void): void {
    const touched = this.#listTouched();
    onSpan({
      span,
      ideal: this.#ideal,
      maxLag: this.#maxLag,
      lagSum: this.#lagSum,
      backlog: this.#backlog,
      served: this.#served,
      gps: this.#gps,
      touched,
      contended,
    });
    const { served, refused, lagBefore, maxLag, excess, aheadBefore } = this.#gps;
    for (const ofSpan of [this.#ideal, this.#maxLag, this.#lagSum, this.#served]) ofSpan.fill(0);
    for (const ofSpan of [served, refused, lagBefore, maxLag, excess, aheadBefore]) ofSpan.fill(0);
    this.#isTouched.fill(0);
  }

  #listTouched(): Int32Array {
    let count = 0;
    for (let tenant = 0; tenant < this.#isTouched.length; tenant++) {
      if (this.#isTouched[tenant] === 1) this.#touched[count++] = tenant;
    }
    return this.#touched.subarray(0, count);
  }
}
