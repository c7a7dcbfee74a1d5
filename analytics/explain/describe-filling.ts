import type { ListedFilling } from './explanation.ts';
import { joinWords, shownCost, unitWords } from './shown-words.ts';

/** Where the level of a filling stopped, and how many are on either side of it. */
export function fillingSentence({ level, met, not_met: notMet }: ListedFilling, unit: string): string {
  if (met + notMet === 0) return 'Nobody asked for anything.';
  if (notMet === 0) return 'The capacity covers every demand: everybody is entitled to what it asked for.';
  if (level === null)
    return `The capacity covers the demands of ${met}; what they leave over is shared by ${notMet} of weight 0.`;
  const parts = [
    ...(met === 0 ? [] : [`${met} asked for less than that and ${met === 1 ? 'is' : 'are'} entitled to all of it`]),
    `${notMet} asked for more and ${notMet === 1 ? 'is' : 'are'} entitled to ${met === 0 ? 'that' : 'that much'}`,
  ];
  return `The capacity is shared by weight up to ${shownCost(level)} ${unitWords(unit)} per unit of weight: ${joinWords(parts)}.`;
}
