export type { FairnessReader } from './analytics-door.ts';
export type { Readiness } from './api-schema.ts';
export type { AccessToken } from './auth.ts';
export { LOOPBACK_HOSTS } from './browser-guard.ts';
export { createHealthServer, createServer } from './server.ts';
export type { HealthOptions, ServerOptions } from './server-options.ts';
