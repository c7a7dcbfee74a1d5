import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../problem.ts';
import type { ServerOptions } from '../server-options.ts';

const YEAR_S = 365 * 24 * 60 * 60;

/** `GET /` and its assets. They hold no figures, so they need no token; the page asks for one where the API does. */
export async function routePage(app: FastifyInstance, { webRoot }: Pick<ServerOptions, 'webRoot'>): Promise<void> {
  const route = { config: { access: 'public' }, schema: { hide: true } } as const;
  if (!existsSync(join(webRoot, 'index.html'))) {
    const detail = 'the page is not built: run "npm run build"; the API is there without it';
    app.get('/', route, (_request, reply) => sendProblem(reply, { status: 404, code: 'EVS_HTTP', detail }));
    return;
  }
  await app.register(staticFiles, {
    root: webRoot,
    serve: false,
    index: false,
    dotfiles: 'deny',
    cacheControl: false,
    preCompressed: true,
    setHeaders: (response, path) => {
      // Vite names assets by their content; the page itself names the assets.
      const isAsset = path.includes(`${sep}assets${sep}`);
      response.setHeader('cache-control', isAsset ? `public, max-age=${YEAR_S}, immutable` : 'no-cache');
    },
  });
  app.get('/', route, (_request, reply) => reply.sendFile('index.html'));
  app.get<{ Params: { '*': string } }>('/assets/*', route, (request, reply) =>
    reply.sendFile(`assets/${request.params['*']}`),
  );
}
