import { SECOND_MS } from '../kernel/index.ts';
import { UNSAID, type Unsaid } from './discipline-fields.ts';
import { choice, type Field, number, text } from './field.ts';
import { type Item, list, type ReadList } from './list-fields.ts';
import { mistakeAt, type Place, placeOfKey } from './mistakes.ts';
import type { DegradationActionKind } from './policy.ts';
import { checkPeriod, durationKey, key, record } from './record.ts';

/** A rung as a file says it. */
export interface LevelParts {
  readonly name: string;
  readonly enterAbove: number;
  readonly leaveBelow: number | Unsaid;
  readonly action: DegradationActionKind;
  readonly class: string;
}

export interface DegradationParts {
  readonly levels: ReadList<LevelParts>;
  readonly minDwellMs: number;
  readonly everyMs: number;
  readonly throttleRatio: number;
}

export const DEFAULT_DEGRADATION = { minDwellMs: 10 * SECOND_MS, everyMs: SECOND_MS, throttleRatio: 0.5 };

/** Where the file does not say when a level is left: at so much of where it is entered. */
const LEAVE_FACTOR = 0.8;

/** In the digits of the file: 0.7 × 0.8 is 0.56, not 0.5599999999999999. */
export function leaveBelowOf(level: LevelParts): number {
  return level.leaveBelow === UNSAID ? Number((level.enterAbove * LEAVE_FACTOR).toPrecision(12)) : level.leaveBelow;
}

/** What holds for a level by itself, in either form. */
export function checkLevel(level: Partial<LevelParts>, leave: Place): void {
  const { enterAbove, leaveBelow } = level;
  if (enterAbove === undefined || leaveBelow === undefined || leaveBelow === UNSAID) return;
  if (leaveBelow >= enterAbove) mistakeAt(leave, `must be less than where it is entered (${enterAbove})`);
}

/** What holds for levels among each other, in either form. */
export function checkLevels(levels: readonly Item<LevelParts>[]): void {
  for (const [index, { value, place }] of levels.entries()) {
    const milder = levels[index - 1];
    if (milder !== undefined && value.enterAbove <= milder.value.enterAbove) {
      mistakeAt(place, `must be entered above the level before it (${milder.value.enterAbove})`);
    }
  }
}

const levelField = record<LevelParts>(
  {
    name: key({ name: 'name', about: 'What the level is called.' }, text('a name, not empty')),
    enterAbove: key(
      { name: 'enter_above', about: 'Entered when the load, waiting ÷ limits, exceeds this.' },
      number({ above: 0, to: 1 }),
    ),
    leaveBelow: key<number | Unsaid>(
      {
        name: 'leave_below',
        about: 'Left when the load falls below this; less than enter_above.',
        absent: UNSAID,
        defaultText: `${LEAVE_FACTOR} × enter_above`,
      },
      number({ above: 0, below: 1 }),
    ),
    action: key(
      { name: 'action', about: 'What it does to the class.' },
      choice<DegradationActionKind>(
        new Map([
          ['pause', 'pause'],
          ['light_mode', 'light_mode'],
          ['throttle', 'throttle'],
        ]),
      ),
    ),
    class: key({ name: 'class', about: 'The class that the action is for.' }, text('the name of a class')),
  },
  {
    what: 'a mapping with name, enter_above, action and class',
    check: (level, place) => checkLevel(level, placeOfKey(place, 'leave_below')),
  },
);

export const degradationField: Field<DegradationParts> = record<DegradationParts>(
  {
    levels: key(
      { name: 'levels', about: 'Rungs from mild to hard, climbed and left one at a time.' },
      list(levelField, { what: 'a list of levels, not empty', least: 1, unique: 'name', check: checkLevels }),
    ),
    minDwellMs: durationKey(
      {
        name: 'min_dwell',
        about: 'A level is held at least so long.',
        absent: DEFAULT_DEGRADATION.minDwellMs,
        defaultText: '10s',
      },
      { zero: true },
    ),
    everyMs: durationKey({
      name: 'every',
      about: 'How often the load is looked at.',
      absent: DEFAULT_DEGRADATION.everyMs,
      defaultText: '1s',
    }),
    throttleRatio: key(
      {
        name: 'throttle_ratio',
        about: "Part of a throttled class's requests that is let in.",
        absent: DEFAULT_DEGRADATION.throttleRatio,
      },
      number({ from: 0, to: 1 }),
    ),
  },
  { what: 'a mapping with levels', check: ({ everyMs }, place) => checkPeriod(everyMs, place) },
);
