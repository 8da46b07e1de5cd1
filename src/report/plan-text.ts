import { timeText } from '../core/instant.ts';
import { counted, listText } from '../core/counted.ts';
import { printable, printableStrings } from '../core/printable.ts';
import type { Json } from '../core/canonical.ts';
import { isLoopback } from '../core/model/app.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import { diffLines } from '../core/report/change-text.ts';
import type {
  Against,
  Change,
  FieldChange,
  Load,
  PlannedAction,
  PlansDocument,
  Source,
} from '../core/report/generated/documents.ts';
import {
  actionsOfProjects,
  incompleteTotalText,
  type ProjectsDocument,
} from '../core/report/several-projects.ts';
import {
  loadLines,
  phaseRequestsText,
  plannedRequestsText,
  runOrderText,
  scheduledStartsText,
  type ScheduledAction,
} from '../core/report/load-text.ts';
import {
  dangerText,
  environmentChanges,
  isQuiet,
  planItems,
  type PlanItem,
  type ReviewedPlan,
} from '../core/report/plan-items.ts';
import { APPLY_INTRODUCTION } from '../core/report/origin-text.ts';
import type { PlanMembers } from '../core/report/plan-document.ts';
import { RUNNING } from '../core/reconcile/test-actions.ts';
import { columns } from '../core/text-columns.ts';
import { formatDuration, milliseconds, seconds } from '../core/units.ts';
import type { Paint } from './paint.ts';
import { titleOf } from './title.ts';
import { verdictText } from './run-text.ts';

const VERBS = {
  register: { symbol: '+', color: 'green' },
  verify: { symbol: '!', color: 'yellow' },
  create: { symbol: '+', color: 'green' },
  replace: { symbol: '~', color: 'yellow' },
  run: { symbol: '>', color: 'cyan' },
  stop: { symbol: '■', color: 'magenta' },
  blocked: { symbol: 'x', color: 'magenta' },
  deferred: { symbol: '·', color: 'dim' },
  'no-op': { symbol: '=', color: 'dim' },
} as const satisfies Readonly<
  Record<PlannedAction['verb'], { readonly symbol: string; readonly color: keyof Paint }>
>;

export interface PlanTextOptions {
  readonly command: string;
  readonly service: string;
  /** Command that applies exactly this plan; null if the plan is not saved. */
  readonly next: string | null;
  /** True to also show unchanged tests, and fields that are not compared with the service. */
  readonly verbose?: boolean;
}

export function planText(plan: ReviewedPlan, about: PlanTextOptions, paint: Paint): string {
  const { against } = plan;
  const compared = against === undefined ? '' : ` · compared with ${revisionText(against)}`;
  const lines = [paint.bold(`${titleOf({ ...plan, ...about })}${compared}`), ''];
  if (against?.note != null) lines.push(`  ${printable(against.note)}`, '');
  const dangers = dangerLines(plan, paint);
  if (dangers.length > 0) lines.push(...dangers, '');
  lines.push(...(against === undefined ? serviceLines(plan, about, paint) : reviewLines(plan, about, paint)));
  const drifted = plan.drift.flatMap(({ address, id, changes }) => [
    `  ${columns(paint.magenta('?'), ['drift', 'verb'], [printable(keyOfAddress(address)), 'key'], printable(id))} was changed on the service`,
    ...changeLines(changes, paint),
  ]);
  lines.push(...drifted, `  ${countsLine(plan)}`);
  lines.push('', summaryLine(plan), ...loadLine(plan, paint), ...comparedLoadLines(plan));
  const next = about.next === null || !plan.has_changes ? '' : applyLine(about.next);
  return `${lines.join('\n')}\n${next}`;
}

/** Formats a revision, such as `main (4c2f1e0a9b3d)`. */
function revisionText({ revision, commit }: Against): string {
  return printable(
    commit.startsWith(revision) ? revision.slice(0, 12) : `${revision} (${commit.slice(0, 12)})`,
  );
}

/**
 * Returns a line for each danger. Omits new hosts in a plan without a comparison, because such a plan lists the apps to
 * register.
 */
function dangerLines({ danger = [], against }: ReviewedPlan, paint: Paint): readonly string[] {
  return danger
    .filter(({ kind }) => against !== undefined || kind !== 'new-hosts')
    .map((one) => `  ${paint.bold(paint.yellow(`! ${printable(dangerText(one))}`))}`);
}

function serviceLines(plan: ReviewedPlan, about: PlanTextOptions, paint: Paint): readonly string[] {
  const shown = plan.actions.filter((action) => action.verb !== 'no-op' || about.verbose === true);
  return shown.flatMap((action) => actionLines(action, about, paint));
}

function reviewLines(plan: ReviewedPlan, about: PlanTextOptions, paint: Paint): readonly string[] {
  const unchanged = about.verbose === true ? plan.actions.filter(({ verb }) => verb === 'no-op') : [];
  const items = planItems(plan);
  const changed = new Set(items.map(({ address }) => address));
  return [
    ...items.flatMap((item) => itemLines(item, about, paint)),
    ...unchanged
      .filter(({ address }) => !changed.has(address))
      .flatMap((action) => actionLines(action, about, paint)),
    ...[...environmentChanges(plan)].flatMap(([names, changes]) => [
      paint.bold(`  only in ${printable(names)}`),
      ...changes.flatMap((change) => [
        `      ${printable(addressText(change.address))}`,
        ...diffText([change], paint),
      ]),
    ]),
  ];
}

function itemLines(item: PlanItem, about: PlanTextOptions, paint: Paint): readonly string[] {
  const { action, changes, key, kind, verb, source } = item;
  // Changes without a field or URL concern the whole declaration, which the line of the item shows.
  const shown = changes.filter(({ field, url }) => field !== null || url !== null);
  if (action !== null) {
    const [first = '', ...rest] = actionLines({ ...action, changes: [] }, about, paint);
    return [first, ...diffText(shown, paint), ...rest];
  }
  const symbol = FILE_SYMBOLS.get(verb) ?? '~';
  const name = kind === 'app' ? 'app' : '';
  const cells = columns(paint.yellow(symbol), [verb, 'verb'], [printable(key), 'key'], name);
  return [withLocation(`  ${cells}`, printableStrings(source), paint), ...diffText(shown, paint)];
}

const FILE_SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['add', '+'],
  ['remove', '-'],
]);

function addressText(address: string): string {
  return address.replace('.', ' ');
}

function diffText(changes: readonly Change[], paint: Paint): readonly string[] {
  const colors = { '+': paint.green, '-': paint.magenta, '!': paint.yellow, ' ': paint.dim, '@': paint.bold };
  return diffLines(changes).map(({ sign, text }) =>
    `      ${colors[sign](sign === '@' ? text : `${sign} ${text}`)}`.trimEnd(),
  );
}

function comparedLoadLines({ against }: ReviewedPlan): readonly string[] {
  if (against === undefined) return [];
  const { load, old_file: oldFile } = against;
  const text = (one: Load) => (one.starts === 0 ? 'none.' : `${consequenceText(one)}.`);
  return [
    `All tests before: ${oldFile === 'invalid' ? 'unknown.' : text(load.before)}`,
    `All tests after:  ${text(load.after)}`,
  ];
}

/** Text of the actions and their load, for `verify` and for `run` with IDs. */
export function actionsText(plan: PlanMembers, about: PlanTextOptions, paint: Paint): string {
  const lines = plan.actions.flatMap((action) => actionLines(action, about, paint));
  const load = plan.load.starts === 0 ? [] : ['', ...loadLine(plan, paint)];
  return [paint.bold(titleOf({ ...plan, ...about })), '', ...lines, ...load].join('\n') + '\n';
}

function actionLines(planned: PlannedAction, about: PlanTextOptions, paint: Paint): string[] {
  const action = { ...printableStrings(planned), changes: planned.changes };
  const { symbol, color } = VERBS[action.verb];
  const cells = columns(
    paint[color](symbol),
    [action.verb, 'verb'],
    [keyOfAddress(action.address), 'key'],
    actionDetails(action, about, paint),
  );
  const line = `  ${cells}`;
  const uncomparedFields = about.verbose === true ? action.not_compared : [];
  return [
    withLocation(line, action.verb === 'verify' ? {} : action.source, paint),
    ...detailLines(action, paint),
    ...uncomparedFields.map((field) => paint.dim(`      ${field.slice(1)}   not compared with the service`)),
  ];
}

function withLocation(line: string, { file, line: number }: Source, paint: Paint): string {
  if (file === undefined || number === undefined) return line.trimEnd();
  // oxlint-disable-next-line no-control-regex -- color codes have no width
  const width = line.replaceAll(/\u001b\[\d+m/g, '').length;
  return `${line}${' '.repeat(Math.max(3, 62 - width))}${paint.dim(`${file}:${number}`)}`;
}

function actionDetails(action: PlannedAction, about: PlanTextOptions, paint: Paint): string {
  const load = action.starts_load ? paint.bold('STARTS LOAD') : '';
  switch (action.verb) {
    case 'register':
      return action.host ?? '';
    case 'verify':
      return [publishText(action, about), ...(action.note === null ? [] : [action.note])].join('; ');
    case 'create':
      return load === '' ? scheduleText(action) : load;
    case 'replace': {
      const why = action.note ?? 'the API does not support updates';
      return [load === '' ? scheduleText(action) : load, why].join('; ');
    }
    case 'run':
      return load;
    case 'stop':
      return `${action.id ?? ''}: ${action.note ?? ''}`;
    case 'blocked':
    case 'deferred':
      return action.note ?? '';
    case 'no-op':
      return unchangedText(action, paint);
  }
}

function unchangedText({ id, state, verdict }: PlannedAction, paint: Paint): string {
  // The verdict of a running test belongs to an earlier run.
  const outcome = verdict === null || state === 'running' ? '' : `, ${verdictText(verdict, paint)}`;
  return `${id ?? ''} ${state === 'unspecified' ? 'no status' : (state ?? '')}${outcome}`;
}

function scheduleText({ scheduled_at: at }: PlannedAction): string {
  return at === null ? '' : `starts load at ${timeText(Date.parse(at))}`;
}

function publishText({ verification, host }: PlannedAction, { service }: PlanTextOptions): string {
  if (verification === null || host === null) return '';
  const { publish, method, directory, command } = verification;
  if (method !== 'http') return `requests verification with the method ${method}`;
  switch (publish) {
    case 'directory':
      return `publishes ${directory ?? ''}/<token>.txt`;
    case 'command':
      return `runs ${command ?? ''}`;
    case 'manual':
      return service === 'embedded' && isLoopback(host)
        ? 'loopback address: no token required'
        : 'prints the token to publish, and waits until it is published';
  }
}

function detailLines(action: PlannedAction, paint: Paint): string[] {
  switch (action.verb) {
    case 'create':
    case 'run':
      return loadDetailLines(action);
    case 'replace':
      return [...changeLines(action.changes, paint), ...loadDetailLines(action)];
    case 'deferred':
      return changeLines(action.changes, paint);
    case 'register':
    case 'verify':
    case 'stop':
    case 'blocked':
    case 'no-op':
      return [];
  }
}

function loadDetailLines({ load }: PlannedAction): string[] {
  if (load === null) return [];
  const files = (load.payload_files ?? []).map(
    ({ path, rows, columns }) =>
      `payload_file: ${printable(path)} (${counted(rows, 'row')}, ${counted(columns, 'column')})`,
  );
  const bodies = (load.body_files ?? []).map(
    ({ path, bytes }) => `body file: ${printable(path)} (${counted(bytes, 'byte')})`,
  );
  const lines = [...loadLines(load), ...files, ...bodies];
  return lines.map((line) => `      ${line}`);
}

function changeLines(changes: readonly FieldChange[], paint: Paint): string[] {
  if (changes.length === 0) return [];
  const names = changes.map(({ field }) => printable(field.slice(1)));
  const width = Math.min(28, Math.max(...names.map((name) => name.length)));
  const inStages = changes.some(({ field }) => field === STAGES_FIELD);
  return changes.map(({ field, from, to, readable, rotated }, index) => {
    const note =
      rotated === true
        ? '  (the secret has changed)'
        : readable
          ? ''
          : paint.dim('      not returned by the service; compared with the last apply');
    const text = (value: Json) => (value === null ? absentText(field, inStages) : valueText(field, value));
    const before = from === null && !readable ? '(unknown)' : text(from);
    return `      ${columns([names[index] ?? '', width + 2], before)} → ${text(to)}${note}`;
  });
}

const STAGES_FIELD = `/${TEST_FIELDS.stages.name}`;

const WARMUP_FIELD = `/${TEST_FIELDS.warmup.name}`;

/**
 * Returns the text for a missing field: `(default)` if the field has a default, otherwise `(none)`. "total" and
 * "duration" have no default if stages replace them, or if they replace stages.
 */
function absentText(field: string, inStages: boolean): string {
  const isLoad = field === STAGES_FIELD || (inStages && /^\/(?:total|duration)$/.test(field));
  return isLoad || field === WARMUP_FIELD || /^\/urls\/\d+\/(?:url|delay|payload_file)$/.test(field)
    ? '(none)'
    : '(default)';
}

function valueText(field: string, value: Json): string {
  if (typeof value === 'number') return quantityText(field, value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const clean = printable(text.replaceAll('\n', '⏎'));
  return clean.length > 100 ? `${clean.slice(0, 99)}…` : clean;
}

/** Formats a number with the unit of its field. In the API, quantities are numbers without units. */
function quantityText(field: string, value: number): string {
  const kind = Object.values(TEST_FIELDS).find(({ name }) => `/${name}` === field)?.kind;
  if (kind === 'seconds') return formatDuration(seconds(value));
  if (kind === 'milliseconds') return formatDuration(milliseconds(value));
  return kind === 'percent' ? `${value}%` : `${value}`;
}

function countsLine(plan: PlanMembers): string {
  const { unchanged, superseded, unmanaged, orphaned } = plan.summary;
  const failed = plan.actions.filter(({ verb, verdict }) => verb === 'no-op' && verdict === 'fail').length;
  // An unchanged test has a note only if it is running or its schedule was canceled.
  const notes = plan.actions.flatMap(({ verb, note }) => (verb === 'no-op' && note !== null ? [note] : []));
  const running = notes.filter((note) => note === RUNNING).length;
  const canceled = notes.length - running;
  const details = [
    ...(failed === 0 ? [] : [`${failed} failed ${failed === 1 ? 'its' : 'their'} thresholds`]),
    ...(running === 0 ? [] : [`${running} running`]),
    ...(canceled === 0 ? [] : [`the schedule of ${canceled} was canceled`]),
  ];
  const detail = details.length === 0 ? '' : ` (${details.join(', ')})`;
  const parts = [`${unchanged} unchanged${detail}`, `${superseded} superseded`];
  if (orphaned > 0) parts.push(`${orphaned} removed from the file`);
  parts.push(`${unmanaged} unmanaged`);
  return parts.join(', ');
}

function summaryLine(plan: ReviewedPlan): string {
  const { summary } = plan;
  if (!plan.actions.some((action) => action.verb !== 'no-op'))
    return isQuiet({ ...plan, drift: [] }) ? 'No changes.' : 'No changes on the service.';
  const parts = [
    `${summary.register} to register`,
    `${summary.verify} to verify`,
    `${summary.create} to create`,
    `${summary.replace} to replace`,
    `${summary.stop} to stop`,
    `${summary.run} to run`,
  ];
  if (summary.blocked > 0) parts.push(`${summary.blocked} blocked`);
  if (summary.deferred > 0) parts.push(`${summary.deferred} deferred`);
  return `Plan: ${parts.join(', ')}.`;
}

function loadLine({ load, actions }: PlanMembers, paint: Paint): string[] {
  const line = `Load: ${loadSummary(load, actions, 'none')}.`;
  return [load.starts === 0 ? line : paint.bold(line)];
}

/** @param none - text for a plan that starts no load */
function loadSummary(load: Load, actions: readonly ScheduledAction[], none: string): string {
  const later = scheduledStartsText(actions);
  if (load.starts > 0) return consequenceText(load) + later;
  return later === '' ? none : `${none} now${later}`;
}

export function applyLine(command: string): string {
  return `${APPLY_INTRODUCTION} ${printable(command)}\n`;
}

export function projectsLoadText(
  document: Pick<PlansDocument, 'load' | 'parallel_projects'> & Pick<ProjectsDocument, 'projects'>,
): string {
  const { load, parallel_projects: parallel } = document;
  const actions = actionsOfProjects(document);
  const limit =
    parallel === 1 || load.concurrent_tests < 2
      ? ''
      : `; up to ${parallel} projects at the same time, never on the same host`;
  return `${incompleteTotalText(document) ?? 'All projects'}: ${loadSummary(load, actions, 'no load starts')}${limit}.\n`;
}

/** Summarizes the load, such as `2 tests one after another, 2m in total, peak 500 connections on www.example.com`. */
function consequenceText(load: Load): string {
  const { rounds = 1 } = load;
  const starts = load.starts / rounds;
  const tests = `${counted(starts, 'test')}${rounds === 1 ? '' : ` in ${rounds} rounds`}`;
  const order = starts === 1 ? '' : runOrderText({ ...load, starts });
  const peaks = Object.entries(load.peak_connections)
    .map(([host, count]) => `${counted(count, 'connection')} on ${printable(host)}`)
    .join(', ');
  const shared = (load.shared_machines ?? []).map(
    ({ hosts, connections }) =>
      `; ${counted(connections, 'connection')} together on ${listText(hosts.map(printable))}, which are the same machine`,
  );
  const requests =
    load.requests === undefined ? '' : `, ${plannedRequestsText(load, counted(load.requests, 'request'))}`;
  return `${tests}${order}, ${load.seconds_vary === true ? 'at most ' : ''}${formatDuration(seconds(load.seconds))} in total${requests}${phaseRequestsText(load)}, peak ${peaks}${shared.join('')}`;
}
