import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import Handlebars from 'handlebars';
import { createFormats } from './format.ts';
import { pageView } from './html/page-view.ts';
import { createWords } from './html/words.ts';
import { type Locale, text } from './locale.ts';
import type { ReportDocument } from './report-document.ts';

export interface HtmlRenderer {
  /** The page of a report: stands alone, runs no script, loads nothing. The same report gives the same bytes. */
  render(document: ReportDocument): string;
}

/** Reads the template and the style sheet beside this module, once for any number of reports. */
export async function openHtmlRenderer(locale: Locale): Promise<HtmlRenderer> {
  const [page, table, style] = await Promise.all(['report.hbs', 'table.hbs', 'report.css'].map(readTemplate));
  const engine = Handlebars.create();
  engine.registerHelper('t', (key: unknown) => text(locale, String(key)));
  engine.registerPartial('table', table ?? '');
  const template = engine.compile(page ?? '', {
    noEscape: false,
    strict: true,
    knownHelpersOnly: true,
    knownHelpers: { t: true },
    explicitPartialContext: true,
  });
  const formats = createFormats(locale);
  const css = style ?? '';
  const styleHash = createHash('sha256').update(css).digest('base64');
  return {
    render: (document) =>
      template({
        ...pageView(document, createWords(document, locale, formats)),
        css,
        policy: `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`,
      }),
  };
}

function readTemplate(name: string): Promise<string> {
  return readFile(new URL(`./templates/${name}`, import.meta.url), 'utf8');
}
