import { FluidWorkBuilder } from '../../scheduler-core/index.ts';
import { type BinaryQuery, defineBinaryQuery } from '../storage/index.ts';
import { withServiceTime } from './service-time.ts';
import type { SpansParams } from './window-work.ts';

/** Tenants by name, and the work of all as steps of the fluid model take it. */
export interface NamedFluidWork {
  readonly tenants: readonly string[];
  readonly work: FluidWorkBuilder;
}

const FLAGS = { admitted: 1, refused: 2, served: 4 } as const;

/**
 * Every request that touches the range, by tenant, with the interval of its service: ClickHouse chooses and groups, and
 * the fluid model's own builder spreads them over steps. Spread in SQL, it took five times as long.
 *
 * @param shape of the range in steps; step 0 begins at the parameter `from_ms`.
 */
export function fluidWorkQuery(shape: {
  readonly steps: number;
  readonly stepMs: number;
}): BinaryQuery<SpansParams, NamedFluidWork> {
  return defineBinaryQuery({
    name: 'fluid-work',
    sql: FLUID_WORK,
    read: (rows) => {
      const tenants: string[] = [];
      const work = new FluidWorkBuilder(shape);
      while (!rows.isAtEnd) {
        const tenant = tenants.push(rows.text()) - 1;
        for (let left = rows.length(); left > 0; left--) {
          const arrivedMs = rows.float64();
          const dispatchedMs = rows.float64();
          const serviceMs = rows.float64();
          const cost = rows.float64();
          const slots = rows.float64();
          const flags = rows.uint8();
          work.add(tenant, {
            arrivedMs,
            dispatchedMs,
            serviceMs,
            cost,
            slots,
            isAdmitted: (flags & FLAGS.admitted) !== 0,
            isRefused: (flags & FLAGS.refused) !== 0,
            isServed: (flags & FLAGS.served) !== 0,
          });
        }
      }
      return { tenants, work };
    },
  });
}

/** Rows of text and an array of tuples: arrival, dispatch, service, cost, slots, flags; times in ms from the range's start. */
export const FLUID_WORK = `SELECT
    tenant,
    groupArray((
        toFloat64(a - {from_ms:Int64}),
        toFloat64(p - {from_ms:Int64}),
        S,
        assumeNotNull(c),
        k,
        toUInt8(
            if(kind IN (1, 2, 3, 8) AND NOT superseded, ${FLAGS.admitted}, 0)
            + if(kind IN (4, 6, 7) AND NOT superseded, ${FLAGS.refused}, 0)
            + if(kind IN (1, 2, 8), ${FLAGS.served}, 0)
        )
    )) AS requests
FROM (${withServiceTime('true')})
GROUP BY tenant
ORDER BY tenant`;
