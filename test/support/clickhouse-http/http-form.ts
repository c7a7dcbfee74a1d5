import { type Exception, exception } from './exception.ts';

/** Defaults of a server: `http_max_uri_size`, `http_max_fields`, `http_max_field_value_size`. */
export const MAX_URI_BYTES = 1_048_576;
const MAX_FIELDS = 1_000;
const MAX_FIELD_BYTES = 131_072;

/** What a request asks for, from its URL, its headers and, of a form, its body. */
export interface HttpForm {
  /** The part of the statement that is not in the body. */
  readonly query: string;
  readonly database: string | null;
  readonly queryId: string | null;
  readonly defaultFormat: string | null;
  readonly role: string | null;
  readonly session: { readonly id: string; readonly timeoutS: number; readonly mustExist: boolean } | null;
  /** Nothing is sent before all of the result is there. */
  readonly waitsForEnd: boolean;
  readonly params: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
}

/** Parameters of the interface; every other one is a setting of the statement. */
const OWN = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'role',
  'session_id',
  'session_timeout',
  'session_check',
  'buffer_size',
  'wait_end_of_query',
]);

/** @throws Exception */
export function readForm(fields: readonly (readonly [string, string])[], header: (name: string) => string | null) {
  checkLimits(fields);
  const first = (name: string): string | null => fields.find(([key]) => key === name)?.[1] ?? null;
  for (const name of ['compress', 'decompress']) {
    if (first(name) === '1') throw exception(48, `The format of "${name}=1" is not spoken here`);
  }
  const sessionId = first('session_id');
  const form: HttpForm = {
    query: first('query') ?? '',
    database: first('database') ?? header('x-clickhouse-database'),
    queryId: first('query_id'),
    defaultFormat: first('default_format') ?? header('x-clickhouse-format'),
    role: first('role'),
    session:
      sessionId === null
        ? null
        : {
            id: sessionId,
            timeoutS: Number(first('session_timeout') ?? 60),
            mustExist: first('session_check') === '1',
          },
    waitsForEnd: first('wait_end_of_query') === '1' || first('http_wait_end_of_query') === '1',
    params: new Map(fields.flatMap(([key, text]) => (key.startsWith('param_') ? [[key.slice(6), text] as const] : []))),
    settings: new Map(fields.filter(([key]) => !OWN.has(key) && !key.startsWith('param_') && key !== 'decompress')),
  };
  return form;
}

/** The fields of a `multipart/form-data` body. Files (external tables) are not spoken here. */
export function readMultipart(body: Buffer, contentType: string): (readonly [string, string])[] {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) throw exception(1000, 'No boundary of the form');
  const parts = body.toString('utf8').split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const headEnd = part.indexOf('\r\n\r\n');
    const head = part.slice(0, headEnd);
    if (/filename=/i.test(head)) throw exception(48, 'External tables are not spoken here');
    const name = /name="([^"]*)"/i.exec(head)?.[1] ?? '';
    return [name, part.slice(headEnd + 4, -2)] as const;
  });
}

function checkLimits(fields: readonly (readonly [string, string])[]): void {
  const tooMany = fields.length > MAX_FIELDS;
  if (tooMany) throw exception(1000, 'Poco::Exception: HTML Form Exception: Too many form fields');
  if (fields.some(([, text]) => Buffer.byteLength(text) > MAX_FIELD_BYTES)) {
    throw exception(1000, 'Poco::Exception: HTML Form Exception: Field value too long');
  }
}

export function isException(value: unknown): value is Exception {
  return typeof value === 'object' && value !== null && 'code' in value && 'text' in value;
}
