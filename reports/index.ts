export { type CalendarMonth, calendarMonth, isMonth } from './calendar/month.ts';
export { canonicalTimeZone } from './calendar/time-zone.ts';
export { canonicalJson, formatReportJson, reportHash } from './canonical-json.ts';
export { type DoneMonths, type DueReports, decideDueReports } from './decide-due-reports.ts';
export { REPORT_FORMATS, type ReportFormat, reportFileStem } from './file-names.ts';
export { LOCALES, type Locale, type LocaleTag, openLocale } from './locale.ts';
export { type ReportRequest, readReport, readReportIfAny } from './read-report.ts';
export { csvCell, renderCsv } from './render-csv.ts';
export { type HtmlRenderer, openHtmlRenderer } from './render-html.ts';
export {
  type PoolReport,
  REPORT_SCHEMA,
  type ReportDocument,
  ReportDocumentSchema,
  type Totals,
  WINDOW_COLUMNS,
} from './report-document.ts';
export { runScheduledReports, type ScheduledMonth, type ScheduledReportsOptions } from './run-scheduled-reports.ts';
export { type WriteOptions, type WrittenFile, writeReport } from './write-report.ts';
