import { describe, expect, it } from 'vitest';
import { DEFAULT_KAFKA_VERSION } from '../../scripts/kafka/fetch-jars.js';
import {
  type Compose,
  parseCompose,
  readCompose,
  readText,
  type Service,
  specificationFaults,
} from './compose-file.ts';
import { composeFaults, isOneShot } from './compose-rules.ts';

const compose = readCompose();
const variablesIn = (text: string): string[] => [...text.matchAll(/\$\{([A-Z_]+)/g)].map((found) => found[1] ?? '');

/** The file with one service changed. */
function withService(name: string, change: Partial<Service>): Compose {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return { ...compose, services: { ...compose.services, [name]: { ...service, ...change } } };
}

describe('docker-compose.yml', () => {
  it('fits the schema of the Compose specification', () => {
    expect(specificationFaults(parseCompose(readText('docker-compose.yml')))).toEqual([]);
  });

  it('keeps every rule of this project', () => {
    expect(composeFaults(compose)).toEqual([]);
  });

  it('has the whole fleet', () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      // biome-ignore format: one line
      ['clickhouse', 'grafana', 'ingest', 'jobs', 'kafka', 'kafka-init', 'migrate', 'prometheus', 'serve'],
    );
    expect(
      Object.entries(compose.services)
        .filter(([, service]) => isOneShot(service))
        .map(([name]) => name),
    ).toEqual(['kafka-init', 'migrate']);
  });

  it('takes every variable from .env, where .env.example names it', () => {
    const named = [...readText('.env.example').matchAll(/^([A-Z_]+)=/gm)].map((found) => found[1]);
    expect([...new Set(variablesIn(readText('docker-compose.yml')))].sort()).toEqual(named.sort());
  });

  it('starts with no secret that anybody could know: .env.example leaves each one empty', () => {
    const secrets = [...readText('.env.example').matchAll(/^(\w*(?:PASSWORD|TOKEN)\w*)=(.*)$/gm)];
    expect(secrets.map(([, name, value]) => [name, value])).toEqual([
      ['EVENSHARE_CLICKHOUSE_PASSWORD', ''],
      ['EVENSHARE_KAFKA_PASSWORD', ''],
      ['EVENSHARE_OPERATOR_TOKEN', ''],
      ['EVENSHARE_INGEST_TOKEN', ''],
      ['EVENSHARE_GRAFANA_PASSWORD', ''],
    ]);
  });

  it('keeps ClickHouse where only the roles reach it', () => {
    expect(compose.networks.store).toEqual({ internal: true });
    expect(compose.services.clickhouse?.ports).toBeUndefined();
    const inStore = Object.entries(compose.services).filter(([, { networks = [] }]) => networks.includes('store'));
    expect(inStore.map(([name]) => name).sort()).toEqual(['clickhouse', 'ingest', 'jobs', 'migrate', 'serve']);
    expect(compose.services.clickhouse?.networks).toEqual(['store']);
  });

  it('gives ClickHouse its password under a name at which the image does not open its default user', () => {
    const names = Object.keys(compose.services.clickhouse?.environment ?? {});
    expect(names).not.toContain('CLICKHOUSE_PASSWORD');
    expect(names).not.toContain('CLICKHOUSE_USER');
  });

  it('asks for a password on every Kafka listener that is not the container’s own loopback', () => {
    const environment = compose.services.kafka?.environment ?? {};
    const protocols = new Map(
      (environment.KAFKA_LISTENER_SECURITY_PROTOCOL_MAP ?? '').split(',').map((entry) => {
        const [name = '', protocol = ''] = entry.split(':');
        return [name, protocol];
      }),
    );
    const listeners = (environment.KAFKA_LISTENERS ?? '').split(',').map((entry) => entry.split('://'));
    expect(listeners.length).toBe(protocols.size);
    for (const [name = '', address = ''] of listeners) {
      const isOpen = protocols.get(name) === 'PLAINTEXT';
      expect(isOpen ? address.startsWith('127.0.0.1:') : protocols.get(name) === 'SASL_PLAINTEXT', name).toBe(true);
    }
  });

  it('runs the broker that the tests run against, and our image at this version', () => {
    expect(compose.services.kafka?.image).toBe(`apache/kafka:${DEFAULT_KAFKA_VERSION}`);
    expect(compose.services['kafka-init']?.image).toBe(compose.services.kafka?.image);
    const { version }: { version: string } = JSON.parse(readText('package.json'));
    for (const role of ['migrate', 'ingest', 'jobs', 'serve']) {
      expect(compose.services[role]?.image).toBe(`evenshare:${version}`);
    }
  });
});

describe('the rules themselves', () => {
  const prometheus: Service | undefined = compose.services.prometheus;
  it.each<[why: string, Compose, fault: string]>([
    [
      'a tag that moves',
      withService('kafka', { image: 'apache/kafka:latest' }),
      'kafka: the image apache/kafka:latest',
    ],
    [
      'no tag',
      withService('grafana', { image: 'grafana/grafana' }),
      'grafana: the image grafana/grafana is not pinned',
    ],
    ['every interface', withService('serve', { ports: ['8484:8484'] }), 'serve: port 8484:8484 is open to others'],
    [
      'a literal password',
      withService('grafana', { environment: { GF_SECURITY_ADMIN_PASSWORD: 'admin' } }),
      'grafana: GF_SECURITY_ADMIN_PASSWORD is not demanded',
    ],
    [
      'a password with a default',
      withService('clickhouse', { environment: { A_PASSWORD: '$' + '{A_PASSWORD:-secret}' } }),
      'clickhouse: A_PASSWORD is not demanded',
    ],
    ['no restart', withService('jobs', { restart: 'on-failure' }), 'jobs: does not come back'],
    ['no health check', withService('kafka', { healthcheck: {} }), 'kafka: has no health check'],
    ['capabilities', withService('kafka', { cap_drop: [] }), 'kafka: keeps capabilities'],
    ['a read-only root with a secret', withService('prometheus', { read_only: true }), 'prometheus: is read-only'],
    [
      'a file that is not there',
      withService('prometheus', { volumes: ['./deploy/no-such.yml:/x:ro'] }),
      'prometheus: ./deploy/no-such.yml does not exist',
    ],
    [
      'waiting for the end of what runs on',
      withService('grafana', { depends_on: { prometheus: { condition: 'service_completed_successfully' } } }),
      'grafana: waits for the end of prometheus',
    ],
  ])('find %s', (_why, changed, fault) => {
    const faults = composeFaults(changed);
    expect(
      faults.find((one) => one.startsWith(fault)),
      faults.join('\n'),
    ).toBeDefined();
  });

  it('and the schema finds a key that Compose does not know', () => {
    const changed = { services: { prometheus: { ...prometheus, healtcheck: {} } } };
    expect(specificationFaults(changed)).toEqual(['/services/prometheus must NOT have additional properties']);
  });
});
