import { counted, withCommas } from '../core/counted.ts';
import { metricText } from '../core/model/metric-text.ts';
import { timeText } from '../core/instant.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { printableStrings } from '../core/printable.ts';
import type { DeclaredStatus, Progress, UnmanagedStatus } from '../core/report/generated/documents.ts';
import type { StatusMembers } from '../core/report/status-document.ts';
import { toReportedRun } from '../core/report/reported-tests.ts';
import { columns } from '../core/text-columns.ts';
import { formatAge, formatDuration, seconds } from '../core/units.ts';
import type { Paint } from './paint.ts';
import { metricsText, verdictReasonText } from './run-text.ts';

export function statusText(members: StatusMembers, paint: Paint): string {
  const status = printableStrings(members);
  const lines = [paint.bold('Apps')];
  for (const { address, host, status: word } of status.apps) {
    const state = columns([host, 'host'], word);
    lines.push(`  ${address === null ? state : columns([address, 'address'], state)}`);
  }
  lines.push(paint.bold('Tests'));
  for (const test of status.tests) lines.push(...declaredLines(test, paint));
  for (const test of status.orphaned) {
    const about = `removed from the file  ${test.test_id}`;
    lines.push(`  ${columns([test.address, 'address'], about)}`);
    lines.push(...scheduleLines(test));
  }
  for (const test of status.unmanaged_tests ?? []) lines.push(...unmanagedLines(test));
  const others = counted(status.unmanaged, 'test is', 'tests are');
  lines.push(
    status.unmanaged_tests === undefined
      ? `${others} not managed by this project.`
      : `${others} on the service; without a configuration file, no test is managed.`,
  );
  if (status.workers !== undefined) lines.push(paint.bold('Workers'), ...status.workers.map(workerLine));
  if (status.workers_error !== undefined)
    lines.push(paint.bold('Workers'), `  unknown: ${status.workers_error}`);
  return lines.map((line) => line.trimEnd()).join('\n') + '\n';
}

type WorkerStatus = NonNullable<StatusMembers['workers']>[number];

/** Formats a worker: ` east-1 busy 4 threads, 28,000 connections, IPv4 and IPv6, running 7d6f…`. */
function workerLine(worker: WorkerStatus): string {
  const { name, state, threads, connections, ip_versions: versions, result_id: result } = worker;
  const about = [
    counted(threads, 'thread'),
    ...(connections === null ? [] : [counted(connections, 'connection')]),
    ...(versions.length === 0 ? [] : [versions.map((version) => `IPv${version}`).join(' and ')]),
    ...(state === 'unusable' ? [`incompatible version ${worker.version}`] : []),
    ...(result === null ? [] : [state === 'lost' ? `ran ${result}` : `running ${result}`]),
  ];
  return `  ${columns([name, 'address'], [state, 'state'], about.join(', '))}`;
}

function declaredLines(test: DeclaredStatus, paint: Paint): string[] {
  const { address, declared, status: word, test_id: id, current_run: current, last_run: last } = test;
  const lines = [
    `  ${columns([address, 'address'], [declared, 'declared'], [word ?? '-', 'state'], id ?? '')}`,
    ...scheduleLines(test),
  ];
  if (current !== null) {
    const { progress, started_at: startedAt } = current;
    const progressLines = progress === null ? [`running${elapsedText(startedAt)}`] : progressTexts(progress);
    lines.push(...progressLines.map((line) => `      ${line}`));
  }
  if (last !== null) {
    const about = current === null ? '' : 'previous run: ';
    const run = toReportedRun(last);
    lines.push(`      ${about}${verdictReasonText(run, paint)} · ${metricsText(last.metrics, run.record)}`);
  }
  const earlierTests = test.superseded.filter((one) => one.test_id !== id);
  const activeTests = earlierTests.filter(({ state }) => isStoppable(state));
  for (const earlier of activeTests) {
    lines.push(
      `      an earlier version, ${earlier.test_id}, ${earlier.state === 'running' ? 'is running' : startTimeText(earlier)}`,
    );
  }
  return lines;
}

function unmanagedLines(test: UnmanagedStatus): string[] {
  const { test_id: id, status: word, name, marker } = test;
  const env = marker?.environment == null ? '' : `, env ${marker.environment}`;
  const owner = marker === null ? null : `(${marker.key} of ${marker.project}${env})`;
  const about = [name, owner].filter((part) => part !== null).join(' ');
  const progressLines =
    test.progress === null ? [] : progressTexts(test.progress).map((line) => `      ${line}`);
  return [`  ${id}  ${columns([word, 'state'], about)}`, ...scheduleLines(test), ...progressLines];
}

interface ScheduledTest {
  readonly state: string | null;
  readonly scheduled_at: string | null;
}

function scheduleLines(test: ScheduledTest): string[] {
  return test.state === 'scheduled' ? [`      ${startTimeText(test)}`] : [];
}

function startTimeText({ scheduled_at: at }: ScheduledTest): string {
  return at === null ? 'is scheduled' : `starts at ${timeText(Date.parse(at))}`;
}

/**
 * Formats the progress as two lines that fit on a narrow terminal: `running 3s of 1m`, `918 requests, 306/s,
 * 0 failed, p95 24.8 ms`.
 */
function progressTexts({ elapsed, duration, ...metrics }: Progress): readonly string[] {
  const total = duration === null ? '' : ` of ${formatDuration(seconds(duration))}`;
  const p95 = metrics.p95 === null ? '' : `, p95 ${metricText('p95', metrics.p95)}`;
  const rate = metricText('requests_per_second', metrics.requests_per_second);
  const metricsLine = `${counted(metrics.requests, 'request')}, ${rate}/s, ${withCommas(metrics.failed)} failed${p95}`;
  const warming = metrics.warming_up === true ? ', warming up' : '';
  return [`running ${formatAge(seconds(elapsed))}${total}${warming}`, metricsLine];
}

function elapsedText(at: string | null): string {
  return at === null ? '' : ` since ${timeText(Date.parse(at))}`;
}
