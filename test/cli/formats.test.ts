import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adapters } from '../../ingest/index.ts';
import { sharedTrace } from '../ingest/adapters/records.ts';
import { requirePart } from '../support/require-part.ts';
import { type CliSandbox, cliSandbox } from '../support/run-cli.ts';

let sandbox: CliSandbox;
beforeAll(async () => {
  sandbox = await cliSandbox();
});
afterAll(() => sandbox.remove());

const ENVOY = JSON.stringify({
  start_time: '2026-03-02T10:15:04.301Z',
  response_code: 200,
  response_code_details: 'via_upstream',
  request_tx_duration: 41,
  duration: 184,
  queue_ms: 38,
  upstream_host: 'h',
  x_request_id: 'r1',
  team: 'blue',
});

describe('evenshare formats', () => {
  test('lists every format with what it knows and an example', async () => {
    const { code, stdout, stderr } = await sandbox.run(['formats']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name, summary, example } of adapters) {
      expect(stdout).toContain(`${name}: ${summary}`);
      expect(stdout).toContain(example.split('\n')[0]);
    }
    expect(stdout).toMatch(/wait +bounded +upper bound: DS_RX_END→US_TX_BEG/);
  });

  test('says the same as JSON, also of one', async () => {
    const { stdout } = await sandbox.run(['formats', '--json']);
    const { formats } = JSON.parse(stdout);
    expect(formats.map(({ name }: { name: string }) => name)).toEqual(adapters.map(({ name }) => name));
    const one = JSON.parse((await sandbox.run(['formats', 'litellm', '--json'])).stdout).formats;
    expect(one).toHaveLength(1);
    expect(one[0]).toMatchObject({
      name: 'litellm',
      framing: 'lines',
      cost_unit: 'tokens',
      public_trace: false,
      fields: { arrived_at: 'bounded' },
      known: { wait: { says: 'absent', provenance: 'absent' } },
      mapping_fields: expect.arrayContaining(['startTime', 'trace_id']),
    });
  });

  test('knows none of another name', async () => {
    const { code, stderr } = await sandbox.run(['formats', 'haproxy']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/"haproxy".*envoy/);
  });
});

describe('evenshare load --dry-run', () => {
  test('shows the first ten events, what was derived and what is absent, and stores nothing', async () => {
    const line = (index: number) => ENVOY.replace('r1', `r${index}`);
    const log = await sandbox.write('envoy.log', Array.from({ length: 14 }, (_, index) => line(index)).join('\n'));
    const map = await sandbox.write('map.yaml', 'tenant: team\n');
    const args = ['load', log, '--format', 'envoy', '--map', map, '--dry-run', '--data-dir', 'none'];
    const { code, stdout, stderr } = await sandbox.run([...args, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(result.events).toHaveLength(10);
    expect(result.events[3]).toMatchObject({
      line: 4,
      event: { request_id: 'r3', tenant: 'blue', arrived_at: '2026-03-02T10:15:04.301Z' },
      wait_ms: 38,
      provenance: { tenant: 'measured', dispatched_at: 'bounded', wait_ms: 'bounded' },
    });
    expect(result).toMatchObject({ format: 'envoy', stored: 0, rejected: {} });
    expect(result.derived).toEqual(expect.arrayContaining(['dispatched_at (bounded)', 'outcome (derived)']));
    expect(result.absent).toEqual(expect.arrayContaining(['input_tokens', 'reason', 'cost']));
    const text = (await sandbox.run(args)).stdout;
    expect(text).toMatch(/wait_ms +38 +bounded/);
    expect(text).toMatch(/absent: .*input_tokens/);
    expect(text).toContain('nothing was stored');
    expect(existsSync(sandbox.path('none'))).toBe(false);
    expect(existsSync(sandbox.path('evenshare-data'))).toBe(false);
  });

  test('tells what is refused and why', async () => {
    const log = await sandbox.write('mixed.log', `${ENVOY}\n{"start_time":1772446504.301}\nnonsense\n`);
    const { code, stdout } = await sandbox.run(['load', log, '--format', 'envoy', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/refused: time_unit 1 times, first at line 2: start_time looks like seconds/);
    expect(stdout).toMatch(/refused: not_json 1 times, first at line 3/);
  });

  test('of another format says so', async () => {
    const { code, stderr } = await sandbox.run(['load', '-', '--format', 'apache', '--dry-run'], {
      stdin: `${ENVOY}\n`,
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /no record is a decision when read as format apache \(line 1: wrong_columns.*EVS_INPUT_FORMAT/,
    );
  });

  test('of a CSV and of spans that are none of ours', async () => {
    const csv = 'request_id,tenant,arrived_at\nr1,a,2026-03-02T10:15:04Z\n';
    const shown = await sandbox.run(['load', '-', '--format', 'csv', '--dry-run', '--json'], { stdin: csv });
    expect(JSON.parse(shown.stdout).events).toMatchObject([{ line: 2, event: { request_id: 'r1' }, wait_ms: null }]);
    const none = await sandbox.run(['load', '-', '--format', 'vllm', '--dry-run'], { stdin: '{"name":"x"}\n' });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('1 records were skipped');
  });

  test('names every mistake of a mapping at once', async () => {
    const map = await sandbox.write('wrong.yaml', 'tenat: x\nunits: { duration: h }\ncost: gold\n');
    const { code, stderr } = await sandbox.run(['load', '-', '--format', 'envoy', '--map', map, '--dry-run']);
    expect(code).toBe(2);
    for (const part of ['--map.tenat', '--map units.duration', '--map cost']) expect(stderr).toContain(part);
    const broken = await sandbox.write('broken.yaml', 'a: [1\nb: {\n');
    const second = await sandbox.run(['load', '-', '--format', 'envoy', '--map', broken, '--dry-run']);
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/mapping ".*broken.yaml"/);
  });
});

describe('a format of the topic', () => {
  const check = async (kafka: string) => {
    const path = await sandbox.write('topic.yaml', `kafka:\n  brokers: ["127.0.0.1:9092"]\n${kafka}`);
    return sandbox.run(['config', 'check', '--config', path]);
  };

  test('may have a mapping', async () => {
    const yaml =
      '  format: envoy\n  pool: llm-a\n  tenant: all\n  mapping: { tenant: headers.x-tenant, units: { start_time: ms } }\n';
    expect(await check(yaml)).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['  format: haproxy\n', /kafka: .*"haproxy" is not known/],
    ['  format: envoy\n  mapping: { tenat: x, cost: gold }\n', /kafka: .*--map.tenat.*--map cost/],
    ['  format: evenshare\n  mapping: { tenant: x }\n', /kafka: .*takes no mapping/],
    ['  format: swf\n  options: { nonsense: "1" }\n', /kafka: .*nonsense/],
  ])('that is wrong is told before anything starts: %s', async (yaml, message) => {
    const { code, stderr } = await check(yaml);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

test('a file of what a gateway writes goes into a store by the command', async (context) => {
  const path = requirePart(context, sharedTrace('format-examples/envoy.jsonl'));
  const { code, stdout } = await sandbox.run(['load', path, '--format', 'envoy', '--data-dir', 'store', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ accepted: 2, rejected: {} });
});
