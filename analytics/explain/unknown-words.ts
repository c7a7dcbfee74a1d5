import type { Window } from '../window/window-result.ts';

interface Doubt {
  readonly why: string;
  readonly mend: string;
}

const DOUBTS: Readonly<Record<string, Doubt>> = {
  no_tenants: {
    why: 'more than 0.1% of its requests name no tenant',
    mend: 'have the gateway log who each request is for, or map a field of the log to "tenant"',
  },
  no_waits: {
    why: 'more than 0.1% of its requests have no queue wait',
    mend: 'have the gateway log when each request was dispatched',
  },
  no_capacity: {
    why: 'its capacity is not known',
    mend: 'declare the slots of the pool (pools.NAME.slots, or --slots)',
  },
  not_declared: {
    why: 'its slots are not declared, and in no window of the last 60 a request was always waiting, from which its capacity could be inferred',
    mend: 'declare the slots of the pool (pools.NAME.slots, or --slots)',
  },
  nothing_served_yet: {
    why: 'nothing has been served yet, so that nobody knows how fast its slots are',
    mend: 'the windows after the first completion will be judged',
  },
  conflicts: {
    why: 'more than 0.1% of its requests have events that contradict each other',
    mend: 'look for gateways that send one request_id twice, or load the log again from its source',
  },
  coverage: {
    why: 'gateways counted decisions of which no events are stored',
    mend: 'load what is missing (evenshare dlq list shows what could not be read); the window is computed again by itself',
  },
};

/** Why a window cannot be judged, and what would mend it: a sentence for each reason. */
export function unknownWords(window: Window): string[] {
  return window.verdict_reasons.map((reason) => {
    const code = reason === 'no_capacity' ? (window.capacity.reason ?? reason) : reason;
    const doubt = DOUBTS[code] ?? DOUBTS[reason];
    if (doubt === undefined) return `The reason is: ${reason.replaceAll('_', ' ')}.`;
    const counts = reason === 'conflicts' ? ` (${window.conflicts} of ${window.requests})` : '';
    const ratio = reason === 'coverage' ? ` (${window.coverage_ratio ?? 0} of them are there)` : '';
    return `The reason is that ${doubt.why}${counts}${ratio}. To mend it: ${doubt.mend}.`;
  });
}
