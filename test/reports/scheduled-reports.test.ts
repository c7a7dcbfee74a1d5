import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { calendarMonth } from '../../reports/calendar/month.ts';
import {
  decideDueReports,
  openHtmlRenderer,
  openLocale,
  type ReportDocument,
  reportHash,
  runScheduledReports,
  type ScheduledReportsOptions,
  writeReport,
} from '../../reports/index.ts';
import { DAY_MS, type FakeHistoryReader, fakeHistory, figures, HOUR_MS, historyWindow } from './fake-history.ts';
import { HOSTILE_NAMES } from './hostile-names.ts';

const ZONE = 'Europe/Berlin';
const OCTOBER = calendarMonth('2026-10', ZONE);
const NOVEMBER = calendarMonth('2026-11', ZONE);

describe('what is due', () => {
  const end = OCTOBER.endMs;
  it.each([
    [end - 1, { '2026-09': 'FINAL' }, [], 'the month is not over'],
    [end, { '2026-09': 'FINAL' }, [['2026-10', false]], 'it is over: a draft'],
    [end + DAY_MS, { '2026-10': 'DRAFT' }, [], 'the draft is there'],
    [end + 3 * DAY_MS - 1, { '2026-10': 'DRAFT' }, [], 'not yet settled'],
    [end + 3 * DAY_MS, { '2026-10': 'DRAFT' }, [['2026-10', true]], 'three days after: the final one'],
    [end + 4 * DAY_MS, { '2026-10': 'FINAL' }, [], 'all is done'],
    [end + 4 * DAY_MS, {}, [['2026-10', true]], 'a schedule that starts does not report the past'],
    [
      end,
      { '2026-08': 'FINAL' },
      [
        ['2026-09', true],
        ['2026-10', false],
      ],
      'a month was missed',
    ],
    [
      end,
      { '2026-08': 'DRAFT', '2026-09': 'FINAL' },
      [
        ['2026-08', true],
        ['2026-10', false],
      ],
      'a draft was left',
    ],
    [end, { '2020-01': 'DRAFT' }, 12, 'no more than a year is made up for'],
    [end, { '2030-01': 'FINAL' }, [['2026-10', false]], 'a month to come is no month done'],
  ] as const)('at %d after %j is %j: %s', (nowMs, done, due, _why) => {
    const found = decideDueReports(nowMs, ZONE, done);
    if (typeof due === 'number') expect(found).toHaveLength(due);
    else expect(found).toEqual(due.map(([month, isSettled]) => ({ month, isSettled })));
  });

  it('is nothing any more once it was done, at any time in any zone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2037, 0, 1) }),
        fc.constantFrom('UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Sao_Paulo', 'Asia/Kathmandu'),
        (nowMs, zone) => {
          const due = decideDueReports(nowMs, zone, {});
          expect(due).toHaveLength(1);
          const done = Object.fromEntries(
            due.map(({ month, isSettled }) => [month, isSettled ? 'FINAL' : 'DRAFT'] as const),
          );
          expect(decideDueReports(nowMs, zone, done)).toEqual([]);
        },
      ),
      { numRuns: 50, seed: 12 },
    );
  });
});

let folder: string;
let outside: string;
let reader: FakeHistoryReader;
let options: ScheduledReportsOptions;

beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'evenshare-reports-'));
  folder = join(outside, 'made', 'anew');
  const windows = [
    historyWindow(OCTOBER.startMs, figures()),
    historyWindow(NOVEMBER.startMs, figures({ demandCost: 3 })),
  ];
  reader = fakeHistory(...['a', 'b'].map((tenant) => [tenant, new Map([['p', windows]])] as const));
  const locale = await openLocale('en');
  const renderer = await openHtmlRenderer(locale);
  options = { reader, locale, renderer, timeZone: ZONE, folder, formats: ['json', 'html', 'csv'] };
  return () => rm(outside, { recursive: true, force: true });
});

const documents = async (): Promise<ReportDocument[]> => {
  const names = (await readdir(folder)).filter((name) => /^evenshare-\d.*\.json$/.test(name)).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))));
};

describe('the schedule', () => {
  it('makes a draft when the month is over and the final one three days later, then leaves it alone', async () => {
    expect(await runScheduledReports(OCTOBER.endMs, options)).toEqual([
      { month: '2026-10', state: 'DRAFT', tenants: 2, written: 6 },
    ]);
    expect(await runScheduledReports(OCTOBER.endMs + HOUR_MS, options)).toEqual([]);
    expect(await runScheduledReports(OCTOBER.endMs + 3 * DAY_MS, options)).toEqual([
      // The table of the windows is the same; the state stands in the JSON and on the page.
      { month: '2026-10', state: 'FINAL', tenants: 2, written: 4 },
    ]);
    expect(await runScheduledReports(OCTOBER.endMs + 4 * DAY_MS, options)).toEqual([]);
    const made = await documents();
    expect(made.map(({ tenant, state }) => [tenant, state]).sort()).toEqual([
      ['a', 'FINAL'],
      ['b', 'FINAL'],
    ]);
    for (const document of made) expect(reportHash(document)).toBe(document.sha256);
  });

  it('writes nothing again when it has to start over with the same windows', async () => {
    const nowMs = OCTOBER.endMs + 5 * DAY_MS;
    await runScheduledReports(nowMs, options);
    const times = async () =>
      Promise.all(
        (await readdir(folder))
          .filter((name) => name !== 'evenshare-reports.json')
          .map(async (name) => (await stat(join(folder, name))).mtimeMs),
      );
    const before = await times();
    await rm(join(folder, 'evenshare-reports.json'));
    expect(await runScheduledReports(nowMs, options)).toMatchObject([{ written: 0, tenants: 2 }]);
    expect(await times()).toEqual(before);
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('tries a month again until every window of it is final and computed', async () => {
    reader.hoursNotComputed = 1;
    const nowMs = OCTOBER.endMs + 3 * DAY_MS;
    expect(await runScheduledReports(nowMs, options)).toMatchObject([{ state: 'DRAFT', written: 6 }]);
    expect(await runScheduledReports(nowMs + HOUR_MS, options)).toMatchObject([{ state: 'DRAFT', written: 0 }]);
    reader.hoursNotComputed = 0;
    expect(await runScheduledReports(nowMs + 2 * HOUR_MS, options)).toMatchObject([{ state: 'FINAL' }]);
    expect(await runScheduledReports(nowMs + 3 * HOUR_MS, options)).toEqual([]);
  });

  it('makes up for a month that it slept through, and goes on', async () => {
    await runScheduledReports(OCTOBER.startMs + 5 * DAY_MS, options);
    expect(
      (await runScheduledReports(NOVEMBER.endMs + 3 * DAY_MS, options)).map(({ month, state }) => [month, state]),
    ).toEqual([
      ['2026-10', 'FINAL'],
      ['2026-11', 'FINAL'],
    ]);
  });

  it.each(['', 'no json', '[]', '{"Europe/Berlin":{"2026-10":"MAYBE","x":"FINAL"}}'])(
    'takes a note that reads %j for none',
    async (note) => {
      await runScheduledReports(OCTOBER.endMs, options);
      await writeFile(join(folder, 'evenshare-reports.json'), note);
      expect(await runScheduledReports(OCTOBER.endMs, options)).toMatchObject([{ month: '2026-10', written: 0 }]);
    },
  );

  it('stops between tenants when it is told to', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(runScheduledReports(OCTOBER.endMs, { ...options, signal: stop.signal })).rejects.toMatchObject({
      code: 'EVS_INTERRUPTED',
    });
  });
});

describe('the files', () => {
  it('of tenants with any name lie in their folder and nowhere else', async () => {
    for (const name of HOSTILE_NAMES) reader.stored.set(name, reader.stored.get('a') ?? new Map());
    const [month] = await runScheduledReports(OCTOBER.endMs, { ...options, formats: ['json'] });
    expect(month?.tenants).toBe(HOSTILE_NAMES.length + 2);
    expect(await readdir(outside)).toEqual(['made']);
    expect((await documents()).map(({ tenant }) => tenant).sort()).toEqual(['a', 'b', ...HOSTILE_NAMES].sort());
  });

  it('replace a link instead of following it', async () => {
    await runScheduledReports(OCTOBER.endMs, options);
    const [document] = await documents();
    if (document === undefined) throw new Error('no report was made');
    const [file] = (await readdir(folder)).filter((name) => name.endsWith('.csv'));
    const victim = join(outside, 'victim.txt');
    await writeFile(victim, 'mine');
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.csv')) continue;
      await rm(join(folder, name));
      await symlink(victim, join(folder, name));
    }
    await writeReport(document, options);
    expect(await readFile(victim, 'utf8')).toBe('mine');
    expect(file).toBeDefined();
  });

  it('that cannot be written are told in one line', async () => {
    await writeFile(join(outside, 'file'), '');
    const blocked = { ...options, folder: join(outside, 'file') };
    await expect(runScheduledReports(OCTOBER.endMs, blocked)).rejects.toMatchObject({
      code: 'EVS_REPORT_UNWRITABLE',
      message: expect.stringMatching(/^cannot write reports to ".*file" \((EEXIST|ENOTDIR)\): choose a folder/),
    });
  });
});
