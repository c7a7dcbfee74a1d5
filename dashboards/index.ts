export type { FairnessReader } from './analytics-door.ts';
export type { Readiness } from './api-schema.ts';
export type { AccessToken } from './auth.ts';
export { LOOPBACK_HOSTS } from './browser-guard.ts';
export { createServer } from './server.ts';
export type { ServerOptions } from './server-options.ts';
