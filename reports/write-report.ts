import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EvenshareError } from '../scheduler-core/index.ts';
import { formatReportJson } from './canonical-json.ts';
import { fileStemOf, type ReportFormat } from './file-names.ts';
import { renderCsv } from './render-csv.ts';
import type { HtmlRenderer } from './render-html.ts';
import type { ReportDocument } from './report-document.ts';

/** A file of a report, and whether its content changed. */
export interface WrittenFile {
  readonly format: ReportFormat;
  readonly path: string;
  readonly isChanged: boolean;
}

export interface WriteOptions {
  /** Folder; made where it does not exist. Nothing is written anywhere else. */
  readonly folder: string;
  readonly formats: readonly ReportFormat[];
  readonly renderer: HtmlRenderer;
}

/**
 * Writes a report's files. A file that has the same content already is left alone; another is replaced whole, so a
 * reader never sees a part of one. The JSON goes last: where it is, the others are.
 *
 * @throws EVS_REPORT_UNWRITABLE where the folder cannot be made or written to.
 */
export async function writeReport(document: ReportDocument, options: WriteOptions): Promise<WrittenFile[]> {
  const stem = fileStemOf(document);
  const written: WrittenFile[] = [];
  try {
    await mkdir(options.folder, { recursive: true });
    for (const format of inOrder(options.formats)) {
      const path = join(options.folder, `${stem}.${format}`);
      written.push({ format, path, isChanged: await replaceFile(path, contentOf(document, format, options.renderer)) });
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    if (cause instanceof EvenshareError) throw cause;
    throw new EvenshareError(
      'EVS_REPORT_UNWRITABLE',
      `cannot write reports to "${options.folder}" (${code}): choose a folder that this user may write with --out`,
      { cause },
    );
  }
  return written;
}

function inOrder(formats: readonly ReportFormat[]): ReportFormat[] {
  return (['html', 'csv', 'json'] as const).filter((format) => formats.includes(format));
}

function contentOf(document: ReportDocument, format: ReportFormat, renderer: HtmlRenderer): string {
  switch (format) {
    case 'html':
      return renderer.render(document);
    case 'csv':
      return renderCsv(document);
    case 'json':
      return formatReportJson(document);
  }
}

async function replaceFile(path: string, content: string): Promise<boolean> {
  const earlier = await readFile(path, 'utf8').catch(() => null);
  if (earlier === content) return false;
  const part = `${path}.part`;
  await rm(part, { force: true });
  // Never through a link that somebody put there: `wx` makes the file anew, and the rename replaces the entry.
  await writeFile(part, content, { flag: 'wx' });
  await rename(part, path);
  return true;
}
