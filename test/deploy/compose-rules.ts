import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Compose, ROOT, type Service } from './compose-file.ts';

/** A version, not a name that moves. */
const PINNED = /^[a-z0-9./-]+:v?\d+\.\d+\.\d+[\w.-]*$/;
const SECRET_KEY = /PASSWORD|TOKEN|SECRET|JAAS|_KEY$/;
/** A variable without which compose refuses to start. */
const DEMANDED = /\$\{[A-Z_]+:\?[^}]+\}/;
const OWN_IMAGE = /^evenshare:/;

/** Everything in which the file falls short of the rules below, one line each. */
export function composeFaults(compose: Compose): string[] {
  return Object.entries(compose.services).flatMap(([name, service]) =>
    RULES.flatMap((rule) => rule(service, compose)).map((fault) => `${name}: ${fault}`),
  );
}

/** One-shot services say so; all others run until they are stopped. */
export function isOneShot(service: Service): boolean {
  return service.restart === 'no';
}

/** Our own image brings a health check (test/deploy/image.test.ts); the others' need one here. */
function hasHealthCheck(service: Service): boolean {
  if (service.healthcheck?.disable === true) return false;
  return OWN_IMAGE.test(service.image) || (service.healthcheck?.test ?? []).length > 0;
}

type Rule = (service: Service, compose: Compose) => string[];
const unless = (holds: boolean, fault: string): string[] => (holds ? [] : [fault]);

const RULES: readonly Rule[] = [
  ({ image }) => unless(PINNED.test(image), `the image ${image} is not pinned to a version`),
  ({ ports = [] }) => ports.flatMap((port) => unless(port.startsWith('127.0.0.1:'), `port ${port} is open to others`)),
  ({ environment = {} }) =>
    Object.entries(environment).flatMap(([key, value]) =>
      unless(!SECRET_KEY.test(key) || DEMANDED.test(value), `${key} is not demanded from the environment`),
    ),
  (service) =>
    isOneShot(service)
      ? []
      : [
          ...unless(service.restart === 'unless-stopped', 'does not come back after a crash'),
          ...unless(hasHealthCheck(service), 'has no health check'),
        ],
  ({ depends_on = {} }, { services }) => Object.entries(depends_on).flatMap(dependencyFaults(services)),
  ({ cap_drop, security_opt }) => [
    ...unless(cap_drop.includes('ALL'), 'keeps capabilities'),
    ...unless(security_opt.includes('no-new-privileges:true'), 'may gain privileges'),
  ],
  ({ logging }) => unless(logging.options['max-size'] !== undefined, 'logs without a limit'),
  // Compose copies such a secret into the container's root, and says so only when it starts it.
  ({ read_only, secrets = [] }) =>
    unless(read_only !== true || secrets.length === 0, 'is read-only and cannot take a secret from the environment'),
  ({ volumes = [] }, compose) => volumes.flatMap(volumeFaults(compose)),
  ({ networks = [] }, compose) =>
    networks.flatMap((network) => unless(network in compose.networks, `the network ${network} is not declared`)),
  ({ secrets = [] }, compose) =>
    secrets.flatMap((secret) => unless(secret in compose.secrets, `the secret ${secret} is not declared`)),
];

const dependencyFaults =
  (services: Compose['services']) =>
  ([name, { condition }]: [string, { condition: string }]): string[] => {
    const other = services[name];
    if (other === undefined) return [`waits for ${name}, which is not there`];
    switch (condition) {
      case 'service_healthy':
        return unless(hasHealthCheck(other), `waits for the health of ${name}, which nothing checks`);
      case 'service_completed_successfully':
        return unless(isOneShot(other), `waits for the end of ${name}, which runs on`);
      default:
        return [`waits for ${name} without a condition that means something`];
    }
  };

const volumeFaults =
  ({ volumes }: Compose) =>
  (volume: string): string[] => {
    const [source = '', , mode] = volume.split(':');
    if (!source.startsWith('./')) return unless(source in volumes, `the volume ${source} is not declared`);
    return [
      ...unless(existsSync(join(ROOT, source)), `${source} does not exist: Docker would make an empty folder of it`),
      ...unless(mode === 'ro', `${source} may be written from inside`),
    ];
  };
