// What would another policy do? The same requests under today's and under the proposed one, in a few hundred milliseconds.
// Run: node examples/simulate-policy-change.mjs
import { noisyNeighbour, parsePolicy, simulate } from 'evenshare/scheduler-core';

const today = parsePolicy({ name: 'today', discipline: 'fifo', queue: { total_limit: 2000 } });
const proposed = parsePolicy({
  name: 'proposed',
  cost_unit: 'service_ms',
  discipline: { kind: 'drr', quantum: 10 },
  queue: { per_tenant_limit: 200 },
});

// Any requests will do: { id, tenant, arrivedAtMs, serviceMs, … } in order of arrival.
const { policies } = simulate([today, proposed], noisyNeighbour({ seed: 1 }), {
  slots: 8,
  measured: { fromMs: 20_000, toMs: 40_000 },
});

for (const { policy, jain_index, min_normalized_share, in_share_p99_wait_ms } of policies) {
  const { tenant, value } = min_normalized_share;
  const wait = `${in_share_p99_wait_ms.toFixed(0)} ms at most for 99% of those within their share`;
  console.log(
    `${policy}: Jain index ${jain_index.toFixed(3)}; worst off ${tenant} with ${value.toFixed(2)} of its share; ${wait}`,
  );
}
