import type { Logger } from 'pino';

/** The schedule's own messages into our log, not onto the console: that a run is skipped while one is under way is its job. */
export function quietLogger(log: Logger) {
  return {
    info: (message: string) => log.debug(message),
    warn: (message: string) => log.debug(message),
    error: (message: string | Error) => log.error(String(message)),
    debug: (message: string | Error) => log.debug(String(message)),
  };
}
