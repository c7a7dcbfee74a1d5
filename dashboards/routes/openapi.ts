import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

/** Collects the schemas of all routes that are registered after it. */
export function collectOpenapi(app: FastifyInstance): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Evenshare',
        version: '1',
        description: 'Whether each tenant of a shared pool got its fair share, minute by minute.',
      },
      tags: [
        { name: 'fairness', description: 'Pools and their windows' },
        { name: 'operations', description: 'For supervisors and scrapers' },
      ],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
  });
}

/** `GET /api/v1/openapi.json`: the description of this API, from the very schemas that answers are checked with. */
export function routeOpenapi(app: FastifyInstance): void {
  app.get('/api/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
