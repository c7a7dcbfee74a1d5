import type { FastifyInstance } from 'fastify';
import { ReadinessSchema } from '../api-schema.ts';
import { refuseAccess } from '../auth.ts';
import type { HealthOptions } from '../server-options.ts';

/**
 * `GET /readyz`: 200 when the process can do its work, else 503 with the reasons. Load balancers hold no token, so the
 * status is open to all; with tokens configured the reasons are for operators only.
 */
export function routeReadiness(app: FastifyInstance, { readiness, tokens }: HealthOptions): void {
  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Whether the process can do its work, and if not, why',
        tags: ['operations'],
        response: {
          200: { description: 'Ready', ...ReadinessSchema },
          503: { description: 'Not ready', ...ReadinessSchema },
        },
      },
    },
    async (request, reply) => {
      const { ready, reasons } = await readiness();
      reply.code(ready ? 200 : 503);
      const { authorization } = request.headers;
      const asked = { authorization, method: request.method, routePath: '/readyz', access: undefined };
      const mayKnow = tokens.length === 0 || refuseAccess(tokens, asked) === null;
      return { ready, reasons: mayKnow || reasons.length === 0 ? reasons : ['send an operator token to see why'] };
    },
  );
}
