import type { FastifyInstance } from 'fastify';
import { HealthSchema } from '../api-schema.ts';

/** `GET /healthz`: the process runs. Open to all: it is what a supervisor asks. */
export function routeHealth(app: FastifyInstance): void {
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Whether the process runs',
        tags: ['operations'],
        response: { 200: { description: 'It runs', ...HealthSchema } },
      },
    },
    async () => ({ status: 'ok' }) as const,
  );
}
