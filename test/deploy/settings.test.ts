import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../cli/load-config.ts';
import { readCompose, readText } from './compose-file.ts';

const compose = readCompose();
const CONFIG = 'deploy/evenshare.yaml';
const ROLES = ['migrate', 'ingest', 'jobs', 'serve'];

/** The environment of the roles, with a value for each variable. */
const environment = Object.fromEntries(
  Object.keys(compose.services.serve?.environment ?? {}).map((name) => [name, `http://value-of-${name.toLowerCase()}`]),
);
const config = parseConfig(readText(CONFIG), CONFIG, environment);

describe('deploy/evenshare.yaml', () => {
  it('is right with the environment that the compose file gives every role', () => {
    expect(config.store).toEqual({
      kind: 'server',
      url: 'http://clickhouse:8123',
      username: 'evenshare',
      password: 'http://value-of-evenshare_clickhouse_password',
      database: compose.services.clickhouse?.environment?.CLICKHOUSE_DB,
    });
    for (const role of ROLES) {
      expect(Object.keys(compose.services[role]?.environment ?? {}), role).toEqual(Object.keys(environment));
      expect(compose.services[role]?.volumes, role).toContain(`./${CONFIG}:/etc/evenshare/evenshare.yaml:ro`);
      expect(compose.services[role]?.command, role).toEqual([role, '--config', '/etc/evenshare/evenshare.yaml']);
    }
  });

  it('uses every variable that the roles are given, and is refused without them, each by name', () => {
    const refusal = (): unknown => parseConfig(readText(CONFIG), CONFIG, {});
    for (const name of Object.keys(environment)) expect(refusal).toThrow(`variable ${name} is not set`);
  });

  it('reads the topic that is made, with the user that the broker knows', () => {
    expect(compose.services['kafka-init']?.command).toContain(`--topic=${config.kafka?.topic}`);
    expect(config.kafka?.brokers).toEqual(['kafka:9092']);
    const kafka = compose.services.kafka?.environment ?? {};
    expect(kafka.KAFKA_ADVERTISED_LISTENERS).toContain('FLEET://kafka:9092');
    expect(kafka.KAFKA_LISTENER_NAME_FLEET_PLAIN_SASL_JAAS_CONFIG).toContain(`user_${config.kafka?.sasl?.username}=`);
  });

  it('listens where the health check, Prometheus and the published port look', () => {
    expect(config.http).toMatchObject({ host: '0.0.0.0', port: 8484 });
    expect(config.http?.tokens?.map(({ scope }) => scope)).toEqual(['operator', 'ingest']);
    expect(compose.services.serve?.ports?.[0]).toMatch(/:8484$/);
    expect(readText('Dockerfile')).toContain("fetch('http://127.0.0.1:8484/readyz'");
  });
});

describe('deploy/prometheus.yml', () => {
  const prometheus: unknown = parse(readText('deploy/prometheus.yml'));

  it('scrapes every role by its service’s name, with the operator’s token', () => {
    expect(prometheus).toMatchObject({
      scrape_configs: [
        {
          job_name: 'evenshare',
          authorization: { type: 'Bearer', credentials_file: '/run/secrets/evenshare_operator_token' },
          dns_sd_configs: [{ names: ROLES.filter((role) => role !== 'migrate'), type: 'A', port: config.http?.port }],
        },
        {},
      ],
    });
    expect(compose.services.prometheus?.secrets).toEqual(['evenshare_operator_token']);
    expect(compose.secrets.evenshare_operator_token).toEqual({ environment: 'EVENSHARE_OPERATOR_TOKEN' });
  });
});

describe('deploy/clickhouse', () => {
  const users = readText('deploy/clickhouse/users.d/evenshare.xml');
  const userBlock = (name: string): string => new RegExp(`<${name}>(.*)</${name}>`, 's').exec(users)?.[1] ?? '';

  it('takes the password from the environment that the compose file gives it', () => {
    const [, variable = ''] = /<password from_env="(\w+)"\/>/.exec(userBlock('evenshare')) ?? [];
    expect(Object.keys(compose.services.clickhouse?.environment ?? {})).toContain(variable);
    expect(users).not.toMatch(/<password>|<no_password/);
  });

  it('keeps the user "default" to its own loopback', () => {
    expect(userBlock('default')).toContain('<networks replace="replace">');
    expect([...userBlock('default').matchAll(/<ip>(.*?)<\/ip>/g)].map((found) => found[1])).toEqual([
      '127.0.0.1',
      '::1',
    ]);
  });

  it('grants its own database and temporary tables, nothing that reaches further', () => {
    expect([...users.matchAll(/<query>(.*?)<\/query>/g)].map((found) => found[1])).toEqual([
      'GRANT ALL ON evenshare.*',
      'GRANT CREATE TEMPORARY TABLE ON *.*',
      'GRANT SELECT ON system.tables',
    ]);
  });
});

describe('deploy/grafana', () => {
  it('has one data source, which needs no plugin beyond Grafana’s own, and the dashboards of this project', () => {
    const source: unknown = parse(readText('deploy/grafana/provisioning/datasources/prometheus.yml'));
    expect(source).toMatchObject({
      apiVersion: 1,
      datasources: [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }],
    });
    const dashboards: unknown = parse(readText('deploy/grafana/provisioning/dashboards/evenshare.yml'));
    expect(dashboards).toMatchObject({ providers: [{ type: 'file', options: { path: '/etc/grafana/dashboards' } }] });
    expect(compose.services.grafana?.volumes).toContain('./dashboards/grafana:/etc/grafana/dashboards:ro');
    expect(compose.services.grafana?.environment).not.toHaveProperty('GF_INSTALL_PLUGINS');
    expect(compose.services.grafana?.environment).toMatchObject({ GF_PLUGINS_PREINSTALL_DISABLED: 'true' });
  });
});
