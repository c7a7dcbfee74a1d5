import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface PlainJob {
  readonly user: string;
  readonly waitS: number;
  /** Null: the log does not know how long the job ran. */
  readonly runS: number | null;
  readonly processors: number;
}

/** The jobs of a gzipped Standard Workload Format file, cut by hand: fields 3 wait, 4 run, 5 and 8 processors, 12 user. */
export function plainJobs(path: string): PlainJob[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    if (line.startsWith(';') || line.trim() === '') return [];
    const fields = line.trim().split(/\s+/);
    const at = (field: number): number => Number(fields[field - 1]);
    return [
      {
        user: fields[11] ?? '',
        waitS: at(3),
        runS: at(4) < 0 ? null : at(4),
        processors: at(5) > 0 ? at(5) : at(8),
      },
    ];
  });
}
