import type { TenantWindow, Window } from '../window/window-result.ts';
import { holderOf, mostCapped } from './build-ledger.ts';
import { describeTenant, tenantSentence } from './describe-tenant.ts';
import type { Ledger, LedgerEntry } from './explanation.ts';
import { shownCost, shownName, shownPercent, shownTime, unitWords } from './shown-words.ts';
import { tenantFigures } from './tenant-figures.ts';
import { unknownWords } from './unknown-words.ts';

const NAMES_SHOWN = 3;

export interface Told {
  readonly pool: string;
  readonly window: Window;
  /** Null: the whole window. */
  readonly tenant: TenantWindow | null;
  readonly ledger: Ledger | null;
  /** What the tenant that was asked for accounts for of the deficits of others. */
  readonly attributedCost: number;
}

/** What happened and why, in sentences for whoever is on call. */
export function describeExplanation(told: Told): string[] {
  const { window, tenant } = told;
  if (window.verdict === 'unknown') return [`${opening(told)} cannot be judged.`, ...unknownWords(window)];
  if (tenant !== null) return [`${opening(told)} was ${window.verdict}.`, ...aboutTenant(told, tenant)];
  switch (window.verdict) {
    case 'uncontended':
      return [`${opening(told)} was uncontended: ${demandWords(window)}, and nobody was short.`, ...capped(window)];
    case 'fair':
      return [
        `${opening(told)} was fair: ${demandWords(window)}${atTimes(window)}, and nobody was short of what it was entitled to.`,
        ...capped(window),
      ];
    case 'unfair':
      return [`${opening(told)} was unfair: ${complaint(window)}.`, ...blame(told)];
  }
}

function opening({ pool, window }: Told): string {
  return `At ${shownTime(window.start)} UTC on ${window.start.slice(0, 10)} pool ${shownName(pool)}`;
}

function demandWords(window: Window): string {
  const unit = unitWords(window.cost_unit);
  const asked = `its tenants asked for ${shownCost(window.demand_cost ?? 0)} ${unit}`;
  return window.capacity.cost === null ? asked : `${asked} and it could serve ${shownCost(window.capacity.cost)}`;
}

/** Over the whole window the demand may not exceed the capacity, and in some seconds of it all the same. */
function atTimes({ capacity, demand_cost: demand }: Window): string {
  return capacity.cost !== null && (demand ?? 0) <= capacity.cost ? ' (at times they asked for more at once)' : '';
}

/** The worst off, and how many more. */
function complaint(window: Window): string {
  const short = window.tenants.filter((tenant) => tenant.verdict === 'short');
  const worst = short.reduce<TenantWindow | null>((least, tenant) => {
    return least === null || shareOf(tenant) < shareOf(least) ? tenant : least;
  }, null);
  if (worst === null) return 'a tenant was short';
  const more = short.length - 1;
  const others = more === 0 ? '' : `. ${more} more ${more === 1 ? 'tenant was' : 'tenants were'} short`;
  return `${shownName(worst.tenant)} ${describeTenant(worst, window.cost_unit)}${others}`;
}

function shareOf(tenant: TenantWindow): number {
  return tenantFigures(tenant).normalizedShare ?? Number.POSITIVE_INFINITY;
}

/** What the shortfall is put down to, and what else was wrong. */
function blame({ window, ledger }: Told): string[] {
  if (ledger === null) return [];
  const idle = window.idle_while_waiting_ratio ?? 0;
  const isNamed = ledger.entries.some((entry) => entry.cause === 'idle_slots');
  return [
    divisionSentence(ledger, window),
    ...(idle > 0.01 && !isNamed
      ? [`Besides, ${shownPercent(idle)} of the slot time was idle while requests waited.`]
      : []),
  ];
}

function divisionSentence(ledger: Ledger, window: Window): string {
  const named = ledger.entries.filter((entry) => entry.tenant !== null).slice(0, NAMES_SHOWN);
  const others = ledger.entries.filter((entry) => entry.cause === 'over_served' && !named.includes(entry));
  const count = others.reduce((total, entry) => total + entry.tenants, 0);
  const percent = others.reduce((total, entry) => total + entry.percent, 0);
  const told = ledger.entries.filter((entry) => named.includes(entry) || entry.cause !== 'over_served');
  const parts = told.map((entry, place) => {
    const part = `${shownPercent(entry.cost / ledger.deficit_cost, entry.percent)}${place === 0 ? ' of the shortfall' : ''}`;
    return entry.cause === 'over_served'
      ? culpritWords(entry, window, part)
      : causeWords(entry, part, holderOf(window));
  });
  if (count > 0) parts.push(`${count} more ${count === 1 ? 'tenant' : 'tenants'} took ${percent}%`);
  return `${parts.join('; ')}.`;
}

function culpritWords(entry: LedgerEntry, window: Window, part: string): string {
  const name = shownName(entry.tenant ?? '');
  const tenant = window.tenants.find((each) => each.tenant === entry.tenant);
  const excess = tenant === undefined ? 0 : (tenantFigures(tenant).excess ?? 0);
  const words = `served ${shownCost(excess)} beyond its share`;
  switch (tenant?.verdict) {
    case 'over':
      return `${name} was ${words}, which is ${part}`;
    case 'short':
      return `${name}, at times short itself, was at others ${words}, which is ${part}`;
    default:
      return `${name} was for a part of the window ${words}, which is ${part}`;
  }
}

function causeWords({ cause }: LedgerEntry, part: string, holder: string | null): string {
  switch (cause) {
    case 'idle_slots':
      return `${part} is lost capacity: slots stood idle while requests waited`;
    case 'carried_over':
      if (holder !== null) {
        return `${part} is owed from earlier windows, in which ${shownName(holder)} was served ahead, and it still is`;
      }
      return `${part} is owed from earlier windows, or had to wait behind what they left (the windows before this one tell who left it)`;
    case 'none':
      return `${part} cannot be put down to anybody: no work that was due went undone, but some was done late`;
    default:
      return `${part} is lost capacity: work that was due and that nobody got done`;
  }
}

function aboutTenant(told: Told, tenant: TenantWindow): string[] {
  const sentence = tenantSentence(tenant, told.window.cost_unit);
  if (tenant.verdict === 'short') return [sentence, ...blame(told)];
  const { attributedCost, window } = told;
  if (attributedCost <= 0) return [sentence];
  return [
    sentence,
    `It accounts for ${shownCost(attributedCost)} ${unitWords(window.cost_unit)} that others were short of.`,
  ];
}

/** Nobody was short; but a quota may have held somebody back. */
function capped(window: Window): string[] {
  const most = mostCapped(window.tenants);
  if (most === null) return [];
  const more = window.tenants.filter((tenant) => tenant.verdict === 'capped').length - 1;
  const others = more === 0 ? '' : ` So were ${more} more.`;
  return [`${tenantSentence(most, window.cost_unit)}${others}`];
}
