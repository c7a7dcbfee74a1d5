import { fairQueueFileField } from '../../../scheduler-core/policy/fair-queue-fields.ts';
import type { DescribedKey } from '../../../scheduler-core/policy/field.ts';
import { policyField } from '../../../scheduler-core/policy/policy-fields.ts';
import { weightField } from '../../../scheduler-core/policy/tenant-fields.ts';

const HEAD = ['| key | must be | default | |', '|---|---|---|---|'];

/** The table of every key of a form, as `docs/policies.md` must hold it. */
export function tableOf(form: 'fair_queue' | 'fuller'): string {
  const weight = weightField({ zero: false });
  const { keys } = form === 'fuller' ? policyField(weight) : fairQueueFileField(weight);
  return [...HEAD, ...(keys ?? []).flatMap((key) => rowsOf(key, ''))].join('\n');
}

/** Whose keys are those of another row. */
const STAND_ELSEWHERE = new Set(['default_tenant.quota', 'fair_queue.discipline', 'fair_queue.tenants[].quota']);

function rowsOf(key: DescribedKey, prefix: string): string[] {
  const path = `${prefix}${key.name}`;
  const row =
    key.name === 'kind'
      ? [`\`${path}: ${key.allowed}\``, '', '', key.about]
      : [`\`${path}\``, shorten(key.allowed), key.defaultText ?? 'required', key.about];
  const inner = `${path}${key.allowed.startsWith('a list') ? '[]' : key.allowed.startsWith('a mapping of ') ? '.NAME' : ''}.`;
  const keys = STAND_ELSEWHERE.has(path) ? [] : key.keys;
  return [
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
    ...keys.flatMap((each) => rowsOf(each, inner)),
  ];
}

/** The page says once how durations are written. */
function shorten(allowed: string): string {
  return allowed
    .replace('a duration such as 0s, 250ms, 5s or 1m', 'a duration ≥ 0')
    .replace('a duration such as 250ms, 5s or 1m', 'a duration > 0');
}
