import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Policy, type Scenario, type SimulationResult, simulateScenario } from '../../scheduler-core/index.ts';
import type { CliContext } from '../context.ts';

export interface TurnOptions {
  readonly seed: number;
  readonly slots: number;
  readonly policies: readonly Policy[];
  readonly onPolicy?: (done: number) => void;
}

/**
 * Simulates policy after policy, and lets other work of the process have its turn in between: a simulation does nothing
 * but count, and an interrupt would wait for its end. The figures of a policy do not depend on the others.
 */
export async function simulateInTurns(
  context: CliContext,
  scenario: Scenario,
  { policies, onPolicy, ...choice }: TurnOptions,
): Promise<SimulationResult> {
  const parts: SimulationResult[] = [];
  for (const [index, policy] of policies.entries()) {
    await nextTurn();
    context.signal.throwIfAborted();
    parts.push(simulateScenario(scenario, { ...choice, policies: [policy] }));
    onPolicy?.(index + 1);
  }
  const [first = simulateScenario(scenario, { ...choice, policies })] = parts;
  return { ...first, policies: parts.flatMap((part) => part.policies) };
}
