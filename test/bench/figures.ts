/** The middle of some values; of an even number of them the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

export const thousands = (value: number): string => Math.round(value).toLocaleString('en');
export const mebibytes = (bytes: number): string => `${thousands(bytes / 2 ** 20)} MiB`;
export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : thousands(ms)} ms`;
/** A median with the smallest and the largest beside it. */
export const spread = (values: readonly number[], show: (value: number) => string): string =>
  `${show(median(values))} (${show(Math.min(...values))} to ${show(Math.max(...values))})`;
