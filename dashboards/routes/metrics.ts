import type { FastifyInstance } from 'fastify';
import type { HealthOptions } from '../server-options.ts';

/** `GET /metrics`: the exposition as the caller of `createServer` renders it. */
export function routeMetrics(app: FastifyInstance, { metrics }: HealthOptions): void {
  app.get(
    '/metrics',
    { schema: { summary: 'Metrics of this process for Prometheus', tags: ['operations'], produces: ['text/plain'] } },
    async (_request, reply) => {
      const { contentType, body } = await metrics();
      return reply.header('content-type', contentType).send(body);
    },
  );
}
