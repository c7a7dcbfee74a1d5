import type { IncomingMessage } from 'node:http';
import { type Exception, exception } from './exception.ts';

/** Null when the request may go on: HTTP Basic, the X-ClickHouse headers, or the URL, in this order. */
export function refuseCredentials(
  request: IncomingMessage,
  fields: readonly (readonly [string, string])[],
  users: Readonly<Record<string, string>>,
): Exception | null {
  const { user, password } = givenOf(request, fields);
  if (users[user] === password) return null;
  return exception(516, `${user}: Authentication failed: password is incorrect, or there is no user with such name`);
}

function givenOf(request: IncomingMessage, fields: readonly (readonly [string, string])[]) {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (basic !== undefined) {
    const text = Buffer.from(basic, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    return { user: text.slice(0, colon), password: text.slice(colon + 1) };
  }
  const field = (name: string): string | undefined => fields.find(([key]) => key === name)?.[1];
  const header = (name: string): string | undefined => request.headers[name]?.toString();
  return {
    user: header('x-clickhouse-user') ?? field('user') ?? 'default',
    password: header('x-clickhouse-key') ?? field('password') ?? '',
  };
}
