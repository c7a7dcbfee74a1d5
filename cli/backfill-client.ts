import { Ajv } from 'ajv';
import { type Backfill, BackfillListSchema } from '../analytics/index.ts';
import { ERROR_CODES, EvenshareError } from '../scheduler-core/kernel/index.ts';
import type { CliContext } from './context.ts';
import type { Config } from './load-config.ts';

/** The backfills of another process, over its API. */
export interface BackfillClient {
  ask(body: { readonly pool?: string; readonly from?: string; readonly to?: string }): Promise<readonly Backfill[]>;
  list(): Promise<readonly Backfill[]>;
}

const TOKEN_VARIABLE = 'EVENSHARE_OPERATOR_TOKEN';
const TIMEOUT_MS = 60_000;

const isList = new Ajv({ strict: false, validateFormats: false }).compile<{ readonly backfills: readonly Backfill[] }>(
  BackfillListSchema,
);

/**
 * The token is that of `EVENSHARE_OPERATOR_TOKEN`, else the configuration's first of scope operator, else none.
 *
 * @throws EVS_USAGE when the address is none.
 */
export function openBackfillClient(context: CliContext, config: Config, via: string): BackfillClient {
  const url = addressOf(via);
  const configured = config.http.tokens.find(({ scope }) => scope === 'operator')?.token;
  const token = context.env[TOKEN_VARIABLE] || configured;
  const call = async (init: { readonly method: string; readonly body?: string }): Promise<readonly Backfill[]> => {
    const response = await fetch(url, {
      ...init,
      headers: {
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      // A token is for the address that it was given for.
      redirect: 'manual',
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch((cause: unknown) => {
      throw new EvenshareError('EVS_HTTP', `nothing answers at ${via}: is "evenshare up" running there?`, { cause });
    });
    const answer = parseJson(await response.text());
    if (response.ok && isList(answer)) return answer.backfills;
    throw refusalOf(via, response.status, answer);
  };
  return {
    ask: (body) => call({ method: 'POST', body: JSON.stringify(body) }),
    list: () => call({ method: 'GET' }),
  };
}

function addressOf(via: string): URL {
  const url = URL.canParse(via) ? new URL(via) : null;
  const isPlain = url !== null && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'http:' || url.protocol === 'https:')) {
    return new URL(`${url.href.replace(/\/+$/, '')}/api/v1/backfills`);
  }
  throw new EvenshareError(
    'EVS_USAGE',
    '--via must be the address of a running process, such as http://127.0.0.1:8484',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusalOf(via: string, status: number, answer: unknown): EvenshareError {
  const isProblem = typeof answer === 'object' && answer !== null && 'detail' in answer && 'code' in answer;
  if (!isProblem || typeof answer.detail !== 'string') {
    return new EvenshareError('EVS_HTTP', `${via} answers ${status}, which is no answer of this version of Evenshare`);
  }
  const { detail } = answer;
  if (status === 401 || status === 403) {
    return new EvenshareError(
      'EVS_HTTP',
      `${via} asks for a token of scope operator: set ${TOKEN_VARIABLE} (${detail})`,
    );
  }
  const code = ERROR_CODES.find((known) => known === answer.code) ?? 'EVS_HTTP';
  return new EvenshareError(code, detail);
}
