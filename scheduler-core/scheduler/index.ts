export { createScheduler } from './create-scheduler.ts';
export type {
  ClassSnapshot,
  Scheduler,
  SchedulerOptions,
  SchedulerSnapshot,
  TenantSnapshot,
} from './scheduler.ts';
