import { createInterface } from 'node:readline';
import { startClickHouseHttp } from './start-server.ts';

// The test server as a process of its own: `node program.mjs FOLDER PORT`. It says where it listens, a JSON line; each
// line that it reads is a JSON array of switches; it ends in order when its input does.

const [path = '', port = '0'] = process.argv.slice(2);
const server = await startClickHouseHttp({ path, port: Number(port) });
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
for await (const line of createInterface({ input: process.stdin })) server.switches.set(...JSON.parse(line));
await server.close();
