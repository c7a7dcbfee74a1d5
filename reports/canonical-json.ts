import { createHash } from 'node:crypto';
import type { ReportDocument } from './report-document.ts';

/**
 * Canonical JSON (RFC 8785): no white space, keys in the order of their UTF-16 units, numbers as ECMAScript writes them.
 * Only for values that JSON has; `undefined` members are left out as JSON does.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of a report's canonical JSON without its own hash, in hexadecimal. */
export function reportHash(document: Omit<ReportDocument, 'sha256'>): string {
  const { sha256: _, ...hashed } = { sha256: '', ...document };
  return createHash('sha256').update(canonicalJson(hashed)).digest('hex');
}

/** The report as it is stored: indented for people, but one line for each window, so that a month stays readable. */
export function formatReportJson(document: ReportDocument): string {
  return `${indented(document, '')}\n`;
}

function indented(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0 || value.every((item) => typeof item !== 'object')) return JSON.stringify(value);
    const items = value.map((item) => (Array.isArray(item) ? JSON.stringify(item) : indented(item, inner)));
    return `[\n${inner}${items.join(`,\n${inner}`)}\n${indent}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return '{}';
  const lines = members.map(([key, member]) => `${JSON.stringify(key)}: ${indented(member, inner)}`);
  return `{\n${inner}${lines.join(`,\n${inner}`)}\n${indent}}`;
}
