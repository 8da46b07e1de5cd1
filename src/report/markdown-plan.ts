import { counted, withCommas } from '../core/counted.ts';
import { diffLines, type DiffLine } from '../core/report/change-text.ts';
import type { Change, Load, PlanDocument, TestLoad } from '../core/report/generated/documents.ts';
import {
  loadText,
  phaseRequestsText,
  plannedRequestsText,
  runOrderText,
  scheduledStartsText,
  type ScheduledAction,
} from '../core/report/load-text.ts';
import {
  comparedLoads,
  dangerText,
  environmentChanges,
  isQuiet,
  planItems,
  type PlanItem,
} from '../core/report/plan-items.ts';
import { printable } from '../core/printable.ts';
import { formatDuration, seconds } from '../core/units.ts';
import { isObject } from '../core/unknown-value.ts';
import {
  codeSpan,
  collapsibleSection,
  escapeText,
  fenceOf,
  htmlText,
  messageText,
  paragraphSection,
  tableSection,
  type MarkdownSection,
} from './markdown-builder.ts';
import { locationsAt, type Locations } from './markdown-location.ts';

/** Maximum number of dangers to show per kind. A single additional danger is also shown. */
const MAX_DANGERS_PER_KIND = 4;
/** Maximum number of items with a collapsible section; further items become rows of a table. */
const MAX_FOLDS = 20;
/** Maximum number of rows in an expanded table after collapsible sections. */
const MAX_OPEN_ROWS = 4;
/** Maximum number of rows in a table with links. In a longer table, the links would leave too little space for rows. */
const MAX_LINKED_ROWS = 100;
/** Maximum total length of the items' diffs, in characters. */
const MAX_DIFF_CHARACTERS = 40_000;

export function dangerSections({ danger }: PlanDocument): readonly MarkdownSection[] {
  if (danger.length === 0) return [];
  const lines = [...new Set(danger.map(({ kind }) => kind))].flatMap((kind) => {
    const own = danger.filter((one) => one.kind === kind);
    const texts = own.map((one) => messageText(dangerText(one)));
    const more = texts.length - MAX_DANGERS_PER_KIND;
    // A line that counts a single danger would need as much space as the danger.
    return more <= 1
      ? texts
      : [
          ...texts.slice(0, MAX_DANGERS_PER_KIND),
          `… and ${withCommas(more)} more dangers of the kind ${codeSpan(kind)}.`,
        ];
  });
  return [paragraphSection('> [!CAUTION]', ...lines.map((line) => `> - ${line}`))];
}

export function planSections(plan: PlanDocument, at: Locations): readonly MarkdownSection[] {
  const items = planItems(plan);
  const detailed = items.filter(hasDetails);
  const folds = detailed.slice(0, MAX_FOLDS);
  const rows = [...detailed.slice(MAX_FOLDS), ...items.filter((item) => !hasDetails(item))];
  const addresses = new Set(items.map(({ address }) => address));
  const perFold = Math.floor(MAX_DIFF_CHARACTERS / Math.max(1, folds.length));
  if (isQuiet(plan))
    return plan.against?.note == null ? [] : [paragraphSection(escapeText(plan.against.note))];
  return [
    ...(plan.against?.note == null ? [] : [paragraphSection(escapeText(plan.against.note))]),
    ...loadSection(plan),
    ...folds.map((item) => itemSection(item, perFold, at)),
    ...rowSection(rows, folds.length > 0, at),
    ...[...environmentChanges(plan)].map(([names, changes]) =>
      collapsibleSection(
        `<b>~ change</b> only in <code>${htmlText(names)}</code>`,
        diffSection(environmentLines(changes), perFold),
        changes.some(({ address }) => !addresses.has(address)),
      ),
    ),
    ...driftSections(plan),
    paragraphSection([countsText(plan), ...comparisonText(plan)].join(' · ')),
  ];
}

/** Reports whether an item has more to review than its table row shows. */
function hasDetails({ kind, verb, changes }: PlanItem): boolean {
  if (verb === 'run') return false;
  return (
    kind !== 'app' || changes.some(({ field, before, after }) => field !== null || isObject(before ?? after))
  );
}

/** Returns the diff of several declarations, with a line for the address of each declaration. */
function environmentLines(changes: readonly Change[]): readonly DiffLine[] {
  return [...new Set(changes.map(({ address }) => address))].flatMap((address) => {
    const own = changes.filter((change) => change.address === address);
    const named = own.map((change) => ({
      ...change,
      url: null,
      field: fieldWithUrl(change.url, change.field),
    }));
    return [placeLine(address), ...diffLines(named)];
  });
}

function placeLine(address: string): DiffLine {
  return { sign: '@', text: printable(address.replace('.', ' ')) };
}

function fieldWithUrl(url: string | null, field: string | null): string | null {
  return url === null || field === null ? field : `URL ${url}: ${field}`;
}

function loadSection(plan: PlanDocument): readonly MarkdownSection[] {
  const loads = comparedLoads(plan);
  if (plan.load.starts === 0) {
    const all = loads === null ? '' : ` All tests of the file: ${totalLoadText(loads.after, loads.before)}`;
    return [paragraphSection(`**Load:** no test starts now${scheduledStartsText(plan.actions)}.${all}`)];
  }
  const starts = `**Load:** ${totalLoadText(plan.load, null, plan.actions)}`;
  if (loads === null) return [paragraphSection(starts)];
  return [paragraphSection(starts, '', `All tests of the file: ${totalLoadText(loads.after, loads.before)}`)];
}

/** Formats loads as `2 tests one after another, 4m in total; peak 15 → **80** connections on h.` */
export function totalLoadText(
  load: Load,
  before: Load | null,
  actions: readonly ScheduledAction[] = [],
): string {
  const later = scheduledStartsText(actions);
  if (load.starts === 0 && (before === null || before.starts === 0))
    return later === '' ? 'none.' : `none now${later}.`;
  const order = load.starts < 2 ? '' : runOrderText(load);
  const noun = load.starts === 1 ? 'test' : 'tests';
  const tests = `${arrow(before?.starts, load.starts, withCommas)} ${noun}${order}`;
  const atMost = load.seconds_vary === true ? 'at most ' : '';
  const time = `${atMost}${arrow(before?.seconds, load.seconds, (value) => formatDuration(seconds(value)))} in total`;
  const requests =
    load.requests === undefined
      ? ''
      : `; ${plannedRequestsText(load, `${arrow(before?.requests, load.requests, withCommas)} ${load.requests === 1 ? 'request' : 'requests'}`)}`;
  const outside = phaseRequestsText(load).replace(',', ';');
  const peaks = { ...before?.peak_connections, ...load.peak_connections };
  const hosts = Object.keys(peaks).map((host) => {
    const peak = load.peak_connections[host] ?? 0;
    const from = before === null ? undefined : (before.peak_connections[host] ?? 0);
    return `${arrow(from, peak, withCommas)} ${peak === 1 ? 'connection' : 'connections'} on ${codeSpan(host)}`;
  });
  const peakText = hosts.length === 0 ? '' : `; peak ${shortList(hosts)}`;
  const machines = (load.shared_machines ?? []).map(
    (machine) =>
      `; ${counted(machine.connections, 'connection')} together on ${shortList(machine.hosts.map(codeSpan))} (on the same machine)`,
  );
  return `${tests}, ${time}${requests}${outside}${peakText}${machines.join('')}${later}.`;
}

const MAX_LISTED = 10;

function shortList(parts: readonly string[]): string {
  const more = parts.length - MAX_LISTED;
  return more <= 0 ? parts.join(', ') : `${parts.slice(0, MAX_LISTED).join(', ')} and ${more} more`;
}

/**
 * Formats a value, with the earlier value in front if the two values differ. An increased value is bold: `15 → **80**`.
 */
function arrow(before: number | undefined, after: number, format: (value: number) => string): string {
  if (before === undefined || before === after) return format(after);
  return `${format(before)} → ${after > before ? `**${format(after)}**` : format(after)}`;
}

const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['register', '+'],
  ['verify', '!'],
  ['create', '+'],
  ['add', '+'],
  ['remove', '-'],
  ['stop', '■'],
  ['blocked', 'x'],
  ['deferred', '·'],
  ['run', '>'],
]);

function itemSection(item: PlanItem, maxCharacters: number, at: Locations): MarkdownSection {
  const { action, changes, verb, key, kind, source } = item;
  const facts = [
    ...(action?.starts_load === true ? ['<b>starts load</b>'] : []),
    ...(action?.host == null ? [] : [`<code>${htmlText(action.host)}</code>`]),
    at.html(source),
  ].filter((fact) => fact !== '');
  const name = `${kind === 'app' ? 'app ' : ''}<code>${htmlText(key)}</code>`;
  const summary = [`<b>${SYMBOLS.get(verb) ?? '~'} ${htmlText(verb)}</b> ${name}`, ...facts].join(' · ');
  const content = diffSection(diffLines(changes), maxCharacters);
  return collapsibleSection(summary, { ...content, after: [...content.after, ...noteLines(item)] }, true);
}

function noteLines({ action, changes }: PlanItem): readonly string[] {
  if (action === null) return [];
  // If the file has not changed, lists the fields that differ on the service.
  const differing = changes.length > 0 ? [] : action.changes.map(({ field }) => fieldText(field));
  const { note, load, load_before: before } = action;
  const text =
    load === null ? null : before === undefined ? escapeText(loadText(load)) : testLoadText(before, load);
  return [
    ...(differing.length === 0
      ? []
      : ['', `Different on the service: ${shortList(differing.map(codeSpan))}`]),
    ...(note === null ? [] : ['', messageText(note)]),
    ...(text === null ? [] : ['', `Load: ${text}`]),
  ];
}

function phaseCountsText(before: TestLoad, after: TestLoad): string[] {
  return (['setup_requests', 'on_start_requests', 'teardown_requests'] as const).flatMap((name) =>
    before[name] === undefined && after[name] === undefined
      ? []
      : [
          `${arrow(before[name] ?? 0, after[name] ?? 0, withCommas)} ${name.replace(/_requests$/, ' requests')}`,
        ],
  );
}

function testLoadText(before: TestLoad, after: TestLoad): string {
  const model =
    before.test_type === after.test_type ? after.test_type : `${before.test_type} → **${after.test_type}**`;
  const time = (value: number) => formatDuration(seconds(value));
  const parts = [
    model,
    ...(after.clients === null
      ? []
      : [`${arrow(before.clients ?? undefined, after.clients, withCommas)} clients`]),
    ...(after.requests === undefined
      ? []
      : [`${arrow(before.requests, after.requests, withCommas)} requests`]),
    ...phaseCountsText(before, after),
    `peak ${arrow(before.connections, after.connections, withCommas)} connections`,
    `${arrow(before.seconds, after.seconds, time)} on ${shortList(after.hosts.map(codeSpan))}`,
  ];
  return parts.join(', ');
}

/** Omits lines at the end if the diff exceeds `maxCharacters`. */
function diffSection(lines: readonly DiffLine[], maxCharacters: number): MarkdownSection {
  if (lines.length === 0) return { rows: 'lines', before: [], lines: [], after: [] };
  const texts = lines.map(({ sign, text }) => (sign === '@' ? `@@ ${text} @@` : `${sign} ${text}`.trimEnd()));
  let used = 0;
  const end = texts.findIndex((text) => (used += text.length + 1) > maxCharacters);
  const shown = end < 0 ? texts : texts.slice(0, end);
  const omitted = texts.length - shown.length;
  const all = omitted === 0 ? shown : [...shown, `… ${counted(omitted, 'more line')}`];
  const fence = fenceOf(all);
  return { rows: 'lines', before: [`${fence}diff`, ...all, fence], lines: [], after: [] };
}

function rowSection(items: readonly PlanItem[], isRest: boolean, at: Locations): readonly MarkdownSection[] {
  if (items.length === 0) return [];
  const rows = items.map(({ verb, key, kind, action, changes, source }) => [
    `${SYMBOLS.get(verb) ?? '~'} ${escapeText(verb)}`,
    `${kind === 'app' ? 'app ' : ''}${codeSpan(key)}`,
    action?.starts_load === true ? '**starts load**' : '',
    [
      fieldNames(changes),
      action?.host == null ? '' : codeSpan(action.host),
      action?.note == null ? '' : messageText(action.note),
    ]
      .filter((text) => text !== '')
      .join('; '),
    (items.length > MAX_LINKED_ROWS ? locationsAt(undefined) : at).markdown(source),
  ]);
  const section = tableSection('items', ['change', 'item', 'load', 'details', 'location'], rows);
  if (items.length <= (isRest ? MAX_OPEN_ROWS : MAX_FOLDS)) return [section];
  const noun = isRest ? 'more change' : 'item';
  return [collapsibleSection(counted(items.length, noun), section)];
}

function fieldNames(changes: PlanItem['changes']): string {
  const names = [...new Set(changes.flatMap(({ field }) => (field === null ? [] : [field])))];
  const shown = names.slice(0, 4).map(codeSpan).join(', ');
  return names.length > 4 ? `${shown} and ${names.length - 4} more` : shown;
}

function driftSections({ drift }: PlanDocument): readonly MarkdownSection[] {
  if (drift.length === 0) return [];
  const were = drift.length === 1 ? 'was' : 'were';
  const lines = drift.flatMap(({ address, changes }) => [
    placeLine(address),
    ...diffLines(
      changes.map(({ field, from, to }) => ({
        address,
        url: null,
        field: fieldText(field),
        kind: 'changed',
        before: to,
        after: from,
        file: null,
        line: null,
      })),
    ),
  ]);
  const text = `Drift: ${counted(drift.length, 'test')} ${were} changed on the service, outside this file`;
  return [collapsibleSection(text, diffSection(lines, MAX_DIFF_CHARACTERS / 4))];
}

/** Formats a JSON pointer as `urls.0.url`. */
function fieldText(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.');
}

function countsText({ summary }: PlanDocument): string {
  const parts = [
    ['Unchanged', summary.unchanged],
    ['unmanaged', summary.unmanaged],
    ['superseded', summary.superseded],
    ['removed from the file', summary.orphaned],
  ] as const;
  return parts
    .filter(([name, count]) => name === 'Unchanged' || count > 0)
    .map(([name, count]) => `${name}: ${withCommas(count)}`)
    .join(' · ');
}

function comparisonText({ against }: PlanDocument): readonly string[] {
  if (against === undefined) return [];
  const { revision, commit } = against;
  const text = commit.startsWith(revision)
    ? codeSpan(commit.slice(0, 12))
    : `${codeSpan(revision)} (${codeSpan(commit.slice(0, 12))})`;
  return [`compared with ${text}`];
}
