import { apiClient } from './api-client.ts';
import { readPalette } from './charts/chart-kit.ts';
import { byId } from './dom.ts';
import { loadPage, type PageView, type Refusal } from './load-page.ts';
import { displayName } from './names.ts';
import { startRefreshLoop } from './refresh-loop.ts';
import { storedToken, storeToken, takeTokenFromAddress } from './token-store.ts';
import { formatSelection, parseSelection, type Selection } from './url-state.ts';
import { createHistoryView } from './views/history-view.ts';
import { createLiveView } from './views/live-view.ts';
import { createNoticeView } from './views/notice-view.ts';
import { createPoolsView } from './views/pools-view.ts';
import { createQualityView } from './views/quality-view.ts';
import { createVerdictView } from './views/verdict-view.ts';
import { createWindowView } from './views/window-view.ts';

const REFRESH_EVERY_MS = 5_000;

takeTokenFromAddress();
const api = apiClient(storedToken);
const poolSection = byId('pool', HTMLElement);
const history_ = byId('history', HTMLElement);
const windowSection = byId('window', HTMLElement);

/** Everything that changes. `receivedAt` is on the browser's monotonic clock: with `pools.now` it tells the server's time. */
const state: {
  selection: Selection;
  page: PageView | null;
  failure: Refusal | null;
  receivedAt: number;
} = { selection: parseSelection(location.search), page: null, failure: null, receivedAt: 0 };

const select = (selection: Selection, remember: 'push' | 'replace') => {
  state.selection = selection;
  const address = `${location.pathname}${formatSelection(selection, location.search)}`;
  if (remember === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  loop.refreshNow();
};
const pickWindow = (startMs: number | null) => {
  const pool = state.page?.pool?.pool ?? state.selection.pool;
  select({ pool, atMs: startMs }, 'replace');
};

const views = {
  live: createLiveView(),
  notice: createNoticeView((token) => {
    storeToken(token);
    loop.refreshNow();
  }),
  pools: createPoolsView((pool) => select({ pool, atMs: null }, 'push')),
  verdict: createVerdictView(),
  history: createHistoryView(pickWindow),
  window: createWindowView(pickWindow),
  quality: createQualityView(),
};

function nowMs(): number {
  const refreshedAtMs = state.page === null ? 0 : Date.parse(state.page.pools.now);
  return refreshedAtMs + (performance.now() - state.receivedAt);
}

async function refresh(): Promise<void> {
  const { selection } = state;
  const answer = await loadPage(api, selection, state.page);
  // The reader chose something else meanwhile: the loop runs again at once.
  if (selection !== state.selection) return;
  if (answer.ok) {
    state.page = answer.body;
    state.receivedAt = performance.now();
  }
  state.failure = answer.ok ? null : answer;
  render();
}

function render(): void {
  const { page, failure, selection } = state;
  renderLive();
  views.notice.update(page, failure, selection);
  const view = page?.view ?? null;
  poolSection.hidden = page?.pool == null;
  history_.hidden = view === null;
  windowSection.hidden = view === null;
  if (page === null) return;
  views.pools.update(page, nowMs());
  views.quality.update(page);
  document.title = page.pool === null ? 'Evenshare' : `${displayName(page.pool.pool)} · Evenshare`;
  if (page.pool !== null) views.verdict.update(page.pool, nowMs());
  if (view === null) return;
  const palette = readPalette();
  views.history.update(view, palette, nowMs());
  views.window.update(view, palette, nowMs());
}

function renderLive(): void {
  const refreshedAtMs = state.page === null ? null : Date.parse(state.page.pools.now);
  views.live.update({ refreshedAtMs, nowMs: nowMs(), failure: state.failure?.detail ?? null });
}

const loop = startRefreshLoop(REFRESH_EVERY_MS, refresh, renderLive);
window.addEventListener('popstate', () => {
  state.selection = parseSelection(location.search);
  loop.refreshNow();
});
window.addEventListener('hashchange', () => {
  if (takeTokenFromAddress()) loop.refreshNow();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', render);
views.notice.update(null, null, state.selection);
