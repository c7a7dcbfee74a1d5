// Loaded before a program (`node --import`): on SIGUSR2 its wall clock jumps to as many ms beside the machine's as the
// file EVENSHARE_FAULTS_CLOCK says. Timers count on, as they do when somebody sets a machine's clock.
import { readFileSync } from 'node:fs';

const now = Date.now;
let shiftMs = 0;
process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(process.env.EVENSHARE_FAULTS_CLOCK ?? '', 'utf8'));
});
Date.now = () => now() + shiftMs;
const Real = Date;
globalThis.Date = new Proxy(Real, {
  construct: (target, args) => (args.length === 0 ? new target(target.now()) : new target(...args)),
});
