import { parser } from '@prometheus-io/lezer-promql';

/** What an expression speaks of. */
export interface PromqlParts {
  readonly metrics: readonly string[];
  /** Of selectors, groupings and matchings. */
  readonly labels: readonly string[];
  /** Functions and aggregations, in lower case. */
  readonly operations: readonly string[];
  /** Where it does not parse; empty where it does. */
  readonly faults: readonly string[];
}

/** Reads an expression with Prometheus' own grammar; Grafana's variables stand for what they are replaced by. */
export function parsePromql(expression: string): PromqlParts {
  const text = expression.replaceAll('$__rate_interval', '1m');
  const metrics = new Set<string>();
  const labels = new Set<string>();
  const operations = new Set<string>();
  const faults: string[] = [];
  parser.parse(text).iterate({
    enter({ type, name, from, to, node }) {
      const word = text.slice(from, to);
      if (type.isError) faults.push(`at ${from}: "${text.slice(from, from + 20)}"`);
      else if (name === 'Identifier') metrics.add(word);
      else if (name === 'LabelName') labels.add(word);
      else if (node.parent?.name === 'AggregateOp' || node.parent?.name === 'FunctionIdentifier') {
        operations.add(word.toLowerCase());
      }
    },
  });
  return { metrics: [...metrics].sort(), labels: [...labels].sort(), operations: [...operations].sort(), faults };
}
