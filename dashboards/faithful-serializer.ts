import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';

const ajv = new Ajv({
  strict: false,
  strictNumbers: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ },
});

/**
 * Serialises an answer as it is, after checking it against its schema.
 *
 * Fastify's own serialiser rewrites what does not fit: a null under `number` becomes 0, an object under `null` becomes
 * null, infinity becomes null, integers are cut, unknown fields vanish. A figure here is right, or null, or the request
 * fails with a 500 whose cause is in the log.
 */
export const faithfulSerializerCompiler: FastifySerializerCompiler<unknown> = ({ schema }) => {
  const validate: ValidateFunction = ajv.compile(schema as AnySchema); // seam: Fastify types a route's schema as unknown
  return (answer) => {
    if (validate(answer)) return JSON.stringify(answer);
    throw new Error(`an answer does not match its schema: ${ajv.errorsText(validate.errors, { dataVar: 'answer' })}`);
  };
};
