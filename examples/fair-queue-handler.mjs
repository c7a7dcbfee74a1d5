// Fair queueing in front of a Node HTTP handler: at most 8 requests are served at a time, and who is next is decided by
// tenant, not by arrival. Run: node examples/fair-queue-handler.mjs 8080; then curl -H 'x-tenant: a' localhost:8080
import { createServer } from 'node:http';
import { createScheduler, parsePolicy } from 'evenshare/scheduler-core';

const SLOTS = 8;
const now = () => performance.now();
const policy = parsePolicy({
  discipline: 'wfq',
  weights: { gold: 4 },
  queue: { total_limit: 1000, per_tenant_limit: 100 },
});
const scheduler = createScheduler(policy, { nowMs: now(), slots: SLOTS });
let inService = 0;
let arrivals = 0;

const server = createServer((request, response) => {
  const job = { id: String(arrivals++), tenant: String(request.headers['x-tenant'] ?? 'nobody'), response };
  const { refused, retryAfterMs } = scheduler.offer(job, now());
  if (refused !== null) {
    response.writeHead(429, { 'retry-after': Math.ceil(Math.min(retryAfterMs ?? 1000, 60_000) / 1000) }).end(refused);
    return;
  }
  response.once('close', () => scheduler.cancel(job.id, now())); // the client has gone while it waited
  serveNext();
});

function serveNext() {
  while (inService < SLOTS) {
    const next = scheduler.take(now());
    if (next === null) return;
    const { id, request } = next;
    inService++;
    handle(request).finally(() => {
      inService--;
      scheduler.complete(id, null, 'ok', now());
      serveNext();
    });
  }
}

/** Your handler: here a call that takes 20 ms. */
async function handle({ tenant, response }) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  response.end(`served ${tenant}\n`);
}

server.listen(Number(process.argv[2] ?? 8080), () => console.log(`http://127.0.0.1:${server.address().port}`));
