import { createHash } from 'node:crypto';

/** The label of all tenants together that have no line of their own. */
export const REST_LABEL = '__other__';

const MAX_LABEL_CHARACTERS = 120;
/** Controls, invisible and bidirectional marks, line separators, halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MARKED = / #[0-9a-f]{16}$/;

/**
 * A tenant's name as a label value. A name that cannot stand there as it is (empty, longer than 120 characters, with
 * characters that nobody sees, or `__other__`, which is the label of the rest) is made readable and marked with ` #` and 16
 * digits of its SHA-256, so that no two tenants share a label; so is one that looks marked already.
 */
export function tenantLabel(tenant: string): string {
  const characters = [...tenant.slice(0, 2 * MAX_LABEL_CHARACTERS)].slice(0, MAX_LABEL_CHARACTERS).join('');
  const readable = characters.replace(UNSEEN, '\u{fffd}');
  if (readable === tenant && tenant !== '' && tenant !== REST_LABEL && !MARKED.test(tenant)) return tenant;
  return `${readable} #${createHash('sha256').update(tenant).digest('hex').slice(0, 16)}`;
}
