import fc from 'fast-check';

/** The part of JSON Schema that the API's schemas use. */
interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
}

/** Any value of a schema, from the schema itself: a field that is added to it is covered without a change here. */
export function arbitraryOf(typed: object): fc.Arbitrary<unknown> {
  const schema: JsonSchema = typed; // every member is optional: what is not JSON Schema fails in the last case
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(arbitraryOf));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.maxSafeInteger();
    case 'number':
      // JSON has no minus zero.
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
    case 'string':
      if (schema.format === 'date-time') {
        return fc.integer({ min: 0, max: 4_102_444_800_000 }).map((timeMs) => new Date(timeMs).toISOString());
      }
      return fc.string({ unit: 'binary', maxLength: 12 });
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}), { maxLength: 3 });
    case 'object':
      return arbitraryObject(schema);
    default:
      throw new Error(`the test knows no values of ${JSON.stringify(schema)}`);
  }
}

function arbitraryObject(schema: JsonSchema): fc.Arbitrary<unknown> {
  const [recordValue] = Object.values(schema.patternProperties ?? {});
  if (recordValue !== undefined) {
    return fc.dictionary(fc.string({ maxLength: 8 }), arbitraryOf(recordValue), { maxKeys: 3, noNullPrototype: true });
  }
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, arbitraryOf(field)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
}
