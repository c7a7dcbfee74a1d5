import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '../..');

/** The forms of the Compose specification that this project's file uses, of the keys that its rules look at. */
const ServiceSchema = Type.Object({
  image: Type.String(),
  build: Type.Optional(Type.String()),
  command: Type.Optional(Type.Array(Type.String())),
  restart: Type.String(),
  user: Type.Optional(Type.String()),
  read_only: Type.Optional(Type.Boolean()),
  cap_drop: Type.Array(Type.String()),
  security_opt: Type.Array(Type.String()),
  ports: Type.Optional(Type.Array(Type.String())),
  networks: Type.Optional(Type.Array(Type.String())),
  network_mode: Type.Optional(Type.String()),
  volumes: Type.Optional(Type.Array(Type.String())),
  secrets: Type.Optional(Type.Array(Type.String())),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  depends_on: Type.Optional(Type.Record(Type.String(), Type.Object({ condition: Type.String() }))),
  healthcheck: Type.Optional(
    Type.Object({ test: Type.Optional(Type.Array(Type.String())), disable: Type.Optional(Type.Boolean()) }),
  ),
  logging: Type.Object({ driver: Type.String(), options: Type.Record(Type.String(), Type.String()) }),
  deploy: Type.Object({
    resources: Type.Object({ limits: Type.Object({ cpus: Type.String(), memory: Type.String() }) }),
  }),
});
const ComposeSchema = Type.Object({
  services: Type.Record(Type.String(), ServiceSchema),
  networks: Type.Record(Type.String(), Type.Union([Type.Null(), Type.Object({ internal: Type.Boolean() })])),
  volumes: Type.Record(Type.String(), Type.Null()),
  secrets: Type.Record(Type.String(), Type.Object({ environment: Type.String() })),
});
export type Service = Static<typeof ServiceSchema>;
export type Compose = Static<typeof ComposeSchema>;

const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
const isCompose = ajv.compile<Compose>(ComposeSchema);
const fitsSpecification = ajv.compile(specificationSchema());

/** The schema of the Compose specification, as the linter dclint carries it. */
function specificationSchema(): Record<string, unknown> {
  const folder = dirname(createRequire(import.meta.url).resolve('dclint/package.json'));
  const schema: Record<string, unknown> = JSON.parse(readFileSync(join(folder, 'schemas/compose.schema.json'), 'utf8'));
  // It names its draft by another address than Ajv knows it by.
  const { $schema: _, ...rest } = schema;
  return rest;
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function parseCompose(text: string): unknown {
  return parse(text, { merge: true });
}

/** docker-compose.yml, in the forms above. */
export function readCompose(): Compose {
  const compose = parseCompose(readText('docker-compose.yml'));
  if (isCompose(compose)) return compose;
  throw new Error(`docker-compose.yml uses other forms than its rules know: ${ajv.errorsText(isCompose.errors)}`);
}

/** What the Compose specification's own schema has against it. */
export function specificationFaults(compose: unknown): string[] {
  if (fitsSpecification(compose)) return [];
  return (fitsSpecification.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? error.keyword}`);
}
