// A member of a group that leads or does not. Run by job-leadership.test.ts as a process of its own: for every line that it
// reads it writes whether it leads.
import { createInterface } from 'node:readline';
import { systemClock } from '../../../cli/clock.ts';
import { startLeadership } from '../../../ingest/sources/job-leadership.ts';

const [bootstrap, topic, groupId, sessionTimeoutMs] = process.argv.slice(2);
const silent = () => undefined;
const leadership = await startLeadership({
  connection: { brokers: [String(bootstrap)] },
  topic: String(topic),
  groupId: String(groupId),
  sessionTimeoutMs: Number(sessionTimeoutMs),
  clock: systemClock,
  log: { debug: silent, info: silent, warn: silent, error: silent },
});
process.stdout.write('joined\n');
for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${leadership.isLeader() ? 'leads' : 'stands by'}\n`);
}
await leadership.stop();
