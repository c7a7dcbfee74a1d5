import { describe, test } from 'vitest';
import { parseMapping } from '../../../cli/parse-mapping.ts';
import { type Adapter, findAdapter } from '../../../ingest/adapters/index.ts';
import { csvCells } from '../../../ingest/sources/csv-cells.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { OPTIONS } from '../adapters/records.ts';
import { Mutator } from './mutate.ts';
import { INPUTS, Watch } from './watch.ts';

const SEED = 20_260_304;

const SITE = `
tenant: [x-tenant, meta.team]
pool: { value: llm-a }
class: { field: tier, map: { gold: interactive }, default: batch }
fields:
  duration: took
  queue_ms: ~
units:
  duration: us
cost: bytes
labels: [route_name, meta.team]
refusals: { "503": admitted, my_filter: quota }
`;
const CSV = `
delimiter: ";"
time_unit: ms
absent: ["-", "NULL"]
fields:
  request_id: id
  pool: { value: llm-a }
  arrived_at: { column: ts, unit: s }
  dispatched_at: { add: [arrived_at, wait_s], unit: s }
  completed_at: { add: [logged, a_ms], subtract: [b_ms], unit: ms }
  outcome: { column: code, map: { "200": admitted, "429": rejected }, default: admitted }
provenance: { tenant: derived, wait: bounded }
`;

const FORMATS = ['envoy', 'litellm', 'kong', 'otel-genai', 'nginx', 'vllm', 'k8s-audit', 'apache'];

/** Opens a format with a mapping and reads its own example: what is refused is refused with words. */
function readWith(watch: Watch, adapter: Adapter, mapping: unknown, told: () => string): void {
  const options = { ...OPTIONS, mapping };
  const read = adapter.open(options);
  const [header = '', ...rows] = adapter.example.split('\n');
  if (adapter.framing === 'lines') {
    for (const text of [header, ...rows]) watch.checkOutcome(read({ text, fields: null, line: 1 }), told);
    return;
  }
  const columns = csvCells(header, ',') ?? [];
  for (const text of rows) {
    const cells = csvCells(text, ',') ?? [];
    const fields = Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
    watch.checkOutcome(read({ text, fields, line: 2 }), told);
  }
}

describe(`${INPUTS} mutated mappings (seed ${SEED})`, () => {
  test.each([
    ['of a site', SITE, FORMATS, Math.ceil(INPUTS * 0.7)],
    ['of a CSV', CSV, ['csv'], Math.floor(INPUTS * 0.3)],
  ] as const)('%s: each opens the format or has a reason, never a failure', (_, document, formats, inputs) => {
    const mutator = new Mutator(SEED);
    const watch = new Watch();
    for (let input = 0; input < inputs; input++) {
      const text = mutator.text(document);
      const name = mutator.pick(formats);
      const told = () => `seed ${SEED}, input ${input}, format ${name}: ${JSON.stringify(text)}`;
      watch.run(told, () => {
        try {
          readWith(watch, findAdapter(name), parseMapping(text, 'map.yaml'), told);
          watch.count('opened');
        } catch (error) {
          if (!(error instanceof EvenshareError && error.code === 'EVS_USAGE')) throw error;
          watch.count('refused');
        }
      });
    }
    watch.end(['opened', 'refused']);
  });

  test('a mapping that unfolds to more than it is, is refused', () => {
    const watch = new Watch();
    const levels = Array.from({ length: 30 }, (_, index) => `k${index + 1}: &k${index + 1} [*k${index}, *k${index}]`);
    const bomb = `k0: &k0 [x, x]\n${levels.join('\n')}\n`;
    const told = () => 'a bomb of aliases';
    watch.run(told, () => {
      try {
        readWith(watch, findAdapter('envoy'), parseMapping(bomb, 'map.yaml'), told);
      } catch (error) {
        if (!(error instanceof EvenshareError && error.code === 'EVS_USAGE')) throw error;
        watch.count('refused');
      }
    });
    watch.end([]);
    if (watch.kinds.get('refused') !== 1) throw new Error('the mapping was taken');
  });
});
