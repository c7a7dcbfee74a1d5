/** Who leads where, by name. */
export type Edges = ReadonlyMap<string, ReadonlySet<string>>;

/** Chains of imports that come back to where they started, one for each way to close one. */
export function cycles(edges: Edges): string[] {
  const found: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const walk = (node: string, trail: readonly string[]): void => {
    state.set(node, 'open');
    for (const next of [...(edges.get(node) ?? [])].sort()) {
      if (state.get(next) === 'open') found.push([...trail.slice(trail.indexOf(next)), next].join(' → '));
      else if (!state.has(next)) walk(next, [...trail, next]);
    }
    state.set(node, 'done');
  };
  for (const node of [...edges.keys()].sort()) if (!state.has(node)) walk(node, [node]);
  return found;
}

export function addEdge(edges: Map<string, Set<string>>, from: string, to: string): void {
  const known = edges.get(from);
  if (known === undefined) edges.set(from, new Set([to]));
  else known.add(to);
}

/** Every file that a file leads to. */
export function reach(edges: Edges, from: string): string[] {
  const seen = new Set([from]);
  for (const node of seen) for (const next of edges.get(node) ?? []) seen.add(next);
  return [...seen];
}
