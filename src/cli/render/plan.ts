/** A plan for people. */
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';
import type { Json } from '../../core/canonical.ts';
import { isLoopback } from '../../core/model/app.ts';
import { peakConnections } from '../../core/load/peak.ts';
import { paceOf, type DeclaredTest } from '../../core/model/load-test.ts';
import { startsLoad, changesSomething, type Action, type KeepAction } from '../../core/reconcile/action.ts';
import type { FieldChange } from '../../core/reconcile/differences.ts';
import type { LoadConsequence } from '../../core/reconcile/load.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { hostsOf } from '../../core/reconcile/turns.ts';
import { formatDuration, seconds } from '../../core/units.ts';
import type { SourceRange } from '../../core/source.ts';
import { keyOfAddress } from '../../core/model/ids.ts';
import type { Paint } from './paint.ts';
import { verdictText } from './run.ts';

const SYMBOLS = {
  register: '+',
  verify: '!',
  create: '+',
  replace: '~',
  run: '>',
  stop: '■',
  blocked: 'x',
  deferred: '·',
  keep: '=',
} as const;

export interface PlanText {
  readonly command: string;
  readonly service: string;
  /** The command that would apply exactly this; null where nothing would be done. */
  readonly next: string | null;
  /** Kept tests as lines, too. */
  readonly verbose?: boolean;
}

export function renderPlan(plan: Plan, about: PlanText, paint: Paint): string {
  const shown = plan.actions.filter((action) => action.verb !== 'keep' || about.verbose === true);
  const lines = [paint.bold(titleOf(plan, about)), ''];
  for (const action of shown) lines.push(...actionLines(action, about, paint));
  const drifted = plan.drift.flatMap(({ address, id, changes }) => [
    `  ${paint.magenta('?')} ${pad('drift', 10)} ${pad(keyOfAddress(address), 13)} ${id} was edited on the service`,
    ...changeLines(changes, paint),
  ]);
  lines.push(...drifted, `  ${countsLine(plan)}`);
  lines.push('', summaryLine(plan), ...loadLine(plan, paint));
  if (about.next !== null && plan.actions.some(changesSomething))
    lines.push(`Apply exactly this: ${about.next}`);
  return lines.join('\n') + '\n';
}

/** The actions alone: of a command that plans no tests. */
export function renderActions(plan: Plan, about: PlanText, paint: Paint): string {
  const lines = plan.actions.flatMap((action) => actionLines(action, about, paint));
  const load = plan.load.starts === 0 ? [] : ['', ...loadLine(plan, paint)];
  return [paint.bold(titleOf(plan, about)), '', ...lines, ...load].join('\n') + '\n';
}

function titleOf({ project, environment }: Plan, { command, service }: PlanText): string {
  const whose = project === null ? '' : ` · project ${project}`;
  const env = environment === null ? '' : ` · env ${environment}`;
  return `loadtests ${command}${whose}${env} · ${hostOf(service)}`;
}

function hostOf(service: string): string {
  return service.replace(/^https?:\/\//, '');
}

function actionLines(action: Action, about: PlanText, paint: Paint): string[] {
  const source = 'test' in action ? action.test.source : 'app' in action ? action.app.source : null;
  const head = `${pad(action.verb, 10)} ${pad(keyOfAddress(action.address), 13)} ${aboutAction(action, about, paint)}`;
  const line = `  ${colourOf(action, paint)(SYMBOLS[action.verb])} ${head}`;
  return [placed(line, action.verb === 'verify' ? null : source, paint), ...detailLines(action, paint)];
}

function placed(line: string, source: SourceRange | null, paint: Paint): string {
  if (source === null) return line.trimEnd();
  // eslint-disable-next-line no-control-regex -- colours have no width
  const width = line.replaceAll(/\u001b\[\d+m/g, '').length;
  return `${line}${' '.repeat(Math.max(3, 62 - width))}${paint.dim(`${source.file}:${source.line}`)}`;
}

function pad(text: string, width: number): string {
  return text.padEnd(width);
}

function colourOf(action: Action, paint: Paint): (text: string) => string {
  switch (action.verb) {
    case 'register':
    case 'create':
      return paint.green;
    case 'verify':
    case 'replace':
      return paint.yellow;
    case 'run':
      return paint.cyan;
    case 'stop':
    case 'blocked':
      return paint.magenta;
    case 'deferred':
    case 'keep':
      return paint.dim;
  }
}

function aboutAction(action: Action, about: PlanText, paint: Paint): string {
  const load = startsLoad(action) ? paint.bold('STARTS LOAD') : '';
  switch (action.verb) {
    case 'register':
      return action.app.host;
    case 'verify':
      return [publishText(action, about), ...(action.note === null ? [] : [action.note])].join('; ');
    case 'create':
      return load === '' ? scheduleText(action.test) : load;
    case 'replace': {
      const why = action.note ?? 'the API cannot edit a test';
      return [load === '' ? scheduleText(action.test) : load, why].join('; ');
    }
    case 'run':
      return load;
    case 'stop':
      return `${action.observed.id}: ${action.note ?? ''}`;
    case 'blocked':
      return action.reason;
    case 'deferred':
      return action.note ?? '';
    case 'keep':
      return keptText(action, paint);
  }
}

function keptText({ observed, state, judgement }: KeepAction, paint: Paint): string {
  // What runs has no verdict yet, and that of an earlier run would be taken for its.
  const verdict = judgement === null || state === 'running' ? '' : `, ${verdictText(judgement, paint)}`;
  return `${observed.id} ${state === 'unsaid' ? 'no status' : state}${verdict}`;
}

function scheduleText(test: DeclaredTest): string {
  const at = test.spec.scheduledAt;
  return at === null ? '' : `starts load at ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function publishText(action: Extract<Action, { verb: 'verify' }>, { service }: PlanText): string {
  const { publish, method, host } = action.app;
  if (method !== 'http') return `asks the service to verify by ${method}`;
  switch (publish.kind) {
    case 'directory':
      return `publishes ${publish.directory}/<token>.txt`;
    case 'command':
      return `runs ${publish.command}`;
    case 'manual':
      return service === 'embedded' && isLoopback(host)
        ? 'is this machine: nothing has to be published'
        : 'says what to publish, and waits for it';
  }
}

function detailLines(action: Action, paint: Paint): string[] {
  switch (action.verb) {
    case 'create':
    case 'run':
      return [`      ${loadText(action.test)}`];
    case 'replace':
      return [...changeLines(action.changes, paint), `      ${loadText(action.test)}`];
    case 'deferred':
      return changeLines(action.changes, paint);
    case 'register':
    case 'verify':
    case 'stop':
    case 'blocked':
    case 'keep':
      return [];
  }
}

/** `cycling 0 → 250 connections, 1m on www.example.com` */
export function loadText(test: DeclaredTest): string {
  const pace = paceOf(test.spec);
  const peak = counted(peakConnections(pace), 'connection');
  const length = `${formatDuration(pace.duration)} on ${hostsOf(test).join(', ')}`;
  switch (pace.testType) {
    case 'cycling':
      return `cycling ${pace.initial} → ${counted(pace.total, 'connection')}, ${length}`;
    case 'non-cycling':
      return `non-cycling, ${counted(pace.total, 'client')} in all, up to ${peak}, ${length}`;
    case 'per-second':
      return `per-second, ${counted(pace.total, 'client')} each second, up to ${peak}, ${length}`;
  }
}

function changeLines(changes: readonly FieldChange[], paint: Paint): string[] {
  if (changes.length === 0) return [];
  const names = changes.map(({ field }) => field.slice(1));
  const width = Math.min(28, Math.max(...names.map((name) => name.length)));
  return changes.map(({ from, to, readable }, index) => {
    const note = readable ? '' : paint.dim('      cannot be read back; compared with the last apply');
    return `      ${pad(names[index] ?? '', width)}   ${from === null && !readable ? '(not known)' : valueText(from)} → ${valueText(to)}${note}`;
  });
}

function valueText(value: Json): string {
  if (value === null) return '(default)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const clean = printable(text.replaceAll('\n', '⏎'));
  return clean.length > 100 ? `${clean.slice(0, 99)}…` : clean;
}

function countsLine(plan: Plan): string {
  const { unchanged, superseded, unmanaged, orphaned } = plan.summary;
  const judged = plan.actions.flatMap((action) =>
    action.verb === 'keep' && action.judgement ? [action.judgement] : [],
  );
  const failed = judged.filter(({ verdict }) => verdict === 'fail').length;
  const failures = failed === 0 ? '' : ` (${failed} failed ${failed === 1 ? 'its' : 'their'} thresholds)`;
  const parts = [`${unchanged} unchanged${failures}`, `${superseded} of earlier versions`];
  if (orphaned > 0) parts.push(`${orphaned} whose key left the file`);
  parts.push(`${unmanaged} not managed here`);
  return parts.join(', ');
}

function summaryLine(plan: Plan): string {
  const { summary } = plan;
  if (!plan.actions.some((action) => action.verb !== 'keep')) return 'No changes.';
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

function loadLine(plan: Plan, paint: Paint): string[] {
  const { load } = plan;
  if (load.starts === 0) return ['Load: nothing starts.'];
  return [paint.bold(`Load: ${consequenceText(load)}.`)];
}

/** `2 tests one after another, 2m in all, peak 500 connections on www.example.com` */
export function consequenceText(load: LoadConsequence): string {
  const tests = counted(load.starts, 'test');
  const order = load.starts === 1 ? '' : load.oneAfterAnother ? ' one after another' : ' partly at once';
  const peaks = [...load.peakConnections]
    .map(([host, count]) => `${counted(count, 'connection')} on ${host}`)
    .join(', ');
  return `${tests}${order}, ${formatDuration(seconds(load.seconds))} in all, peak ${peaks}`;
}
