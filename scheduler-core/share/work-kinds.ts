/** What an entry of work is. `…Once`: work of its step alone; `…Rate`: by how much the work of every step changes from its step on. */
export const WORK_KINDS = {
  offeredOnce: 0,
  offeredRate: 1,
  refusedOnce: 2,
  refusedRate: 3,
  /** Service of admitted requests that count as offered: it takes from their late work. */
  servedOnce: 4,
  servedRate: 5,
  /** `v_i` at the first step's start; its step is 0. */
  late: 6,
  /** Service of attempts that count as served only, because a later attempt stands for them. */
  extraOnce: 7,
  extraRate: 8,
} as const;
export const KINDS = 9;
