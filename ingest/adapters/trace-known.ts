import type { Known, KnownColumn } from './adapter.ts';

type Row = Readonly<Record<KnownColumn, Known>>;

const MEASURED: Known = { says: 'direct', provenance: 'measured' };
export const ABSENT: Known = { says: 'absent', provenance: 'absent' };

/** Formats whose records are events already, or are mapped to events field by field. */
export const DIRECT: Row = {
  tenant: MEASURED,
  arrival: MEASURED,
  decision: MEASURED,
  wait: MEASURED,
  service: MEASURED,
  cost: MEASURED,
  retry: MEASURED,
};

/** Traces of language models that hold arrivals and tokens, and nothing else. */
export const TRACE_WITHOUT_WAITS: Row = {
  tenant: ABSENT,
  arrival: { says: 'yes', provenance: 'measured' },
  decision: ABSENT,
  wait: ABSENT,
  service: ABSENT,
  cost: { says: 'tokens', provenance: 'measured' },
  retry: ABSENT,
};
