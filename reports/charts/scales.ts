/** From values to places on a picture. */
export type Scale = (value: number) => number;

export function linearScale(from: readonly [number, number], to: readonly [number, number]): Scale {
  const span = from[1] - from[0];
  return (value) => to[0] + (span === 0 ? 0 : ((value - from[0]) / span) * (to[1] - to[0]));
}

/** Logarithmic, for values from `from[0]` > 0 on; smaller ones stand at its start. */
export function logScale(from: readonly [number, number], to: readonly [number, number]): Scale {
  const scale = linearScale([Math.log10(from[0]), Math.log10(from[1])], to);
  return (value) => scale(Math.log10(Math.max(value, from[0])));
}

/** Round steps from 0 that cover `max`, about `count` of them: 0, 500, 1000, 1500. The last one is ≥ max. */
export function roundTicks(max: number, count: number): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** Waits that people name, for an axis from 1 ms on: the first ones, up to the first that is ≥ `maxMs`. */
export function waitTicks(maxMs: number): number[] {
  const named = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000];
  const above = named.findIndex((tick) => tick >= maxMs);
  return named.slice(0, above === -1 ? named.length : Math.max(above, 1) + 1);
}
