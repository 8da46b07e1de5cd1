/** What the service holds, for people. */
import { counted, withCommas } from '../core/counted.ts';
import { metricText } from '../core/metric-text.ts';
import { formatInstant } from '../core/instant.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { printableStrings } from '../core/printable.ts';
import type { DeclaredStatus, Progress, UnmanagedStatus } from '../core/report/generated/documents.ts';
import type { StatusMembers } from '../core/report/status-document.ts';
import { formatAge, formatDuration, seconds } from '../core/units.ts';
import type { Paint } from './paint.ts';
import { metricsText, verdictReasonText } from './run-text.ts';

export function statusText(told: StatusMembers, paint: Paint): string {
  const seen = printableStrings(told);
  const lines = [paint.bold('Apps')];
  for (const { address, host, status: word } of seen.apps) {
    const name = address === null ? '' : `${address.padEnd(18)} `;
    lines.push(`  ${name}${host.padEnd(26)} ${word}`);
  }
  lines.push(paint.bold('Tests'));
  for (const test of seen.tests) lines.push(...declaredLines(test, paint));
  for (const test of seen.orphaned) {
    lines.push(`  ${test.address.padEnd(18)} removed from the file  ${test.test_id}`);
    lines.push(...scheduleLines(test));
  }
  for (const test of seen.unmanaged_tests ?? []) lines.push(...unmanagedLines(test));
  const others = counted(seen.unmanaged, 'test is', 'tests are');
  lines.push(
    seen.unmanaged_tests === undefined
      ? `${others} not managed here.`
      : `${others} on the service; without a file, none of them is managed.`,
  );
  if (seen.workers !== undefined) lines.push(paint.bold('Workers'), ...seen.workers.map(workerLine));
  return lines.map((line) => line.trimEnd()).join('\n') + '\n';
}

type WorkerStatus = NonNullable<StatusMembers['workers']>[number];

/** `  east-1             busy       4 threads, 28,000 connections, IPv4 and IPv6, 7d6f…`. */
function workerLine(worker: WorkerStatus): string {
  const { name, state, threads, connections, ip_versions: versions, result_id: result } = worker;
  const about = [
    counted(threads, 'thread'),
    ...(connections === null ? [] : [counted(connections, 'connection')]),
    ...(versions.length === 0 ? [] : [versions.map((version) => `IPv${version}`).join(' and ')]),
    ...(state === 'unusable' ? [`version ${worker.version}, which this service does not work with`] : []),
    ...(result === null ? [] : [`works on ${result}`]),
  ];
  return `  ${name.padEnd(18)} ${state.padEnd(10)} ${about.join(', ')}`;
}

function declaredLines(test: DeclaredStatus, paint: Paint): string[] {
  const { address, declared, status: word, test_id: id, current_run: current, last_run: last } = test;
  const lines = [
    `  ${address.padEnd(18)} ${declared.padEnd(8)} ${(word ?? '-').padEnd(10)} ${id ?? ''}`,
    ...scheduleLines(test),
  ];
  if (current !== null) {
    const { progress, started_at: startedAt } = current;
    const going = progress === null ? [`running${elapsedText(startedAt)}`] : progressTexts(progress);
    lines.push(...going.map((line) => `      ${line}`));
  }
  if (last !== null) {
    const about = current === null ? '' : 'before that: ';
    lines.push(`      ${about}${verdictReasonText(last, paint)}, ${metricsText(last.metrics, last.result)}`);
  }
  const earlierOnes = test.superseded.filter((one) => one.test_id !== id);
  const going = earlierOnes.filter(({ state }) => isStoppable(state));
  for (const earlier of going) {
    lines.push(
      `      an earlier version, ${earlier.test_id}, ${earlier.state === 'running' ? 'is running' : startTimeText(earlier)}`,
    );
  }
  return lines;
}

function unmanagedLines(test: UnmanagedStatus): string[] {
  const { test_id: id, status: word, name, mark } = test;
  const env = mark?.environment == null ? '' : `, env ${mark.environment}`;
  const whose = mark === null ? null : `(${mark.key} of ${mark.project}${env})`;
  const about = [name, whose].filter((part) => part !== null).join(' ');
  const going = test.progress === null ? [] : progressTexts(test.progress).map((line) => `      ${line}`);
  return [`  ${id}  ${word.padEnd(10)} ${about}`, ...scheduleLines(test), ...going];
}

interface ScheduledTest {
  readonly state: string | null;
  readonly scheduled_at: string | null;
}

function scheduleLines(test: ScheduledTest): string[] {
  return test.state === 'scheduled' ? [`      ${startTimeText(test)}`] : [];
}

function startTimeText({ scheduled_at: at }: ScheduledTest): string {
  return at === null ? 'is scheduled' : `starts at ${formatInstant(Date.parse(at))} UTC`;
}

/** `running 3s of 1m`, `918 requests, 306/s, 0 failed, p95 24.8 ms`: each fits on a narrow terminal. */
function progressTexts({ elapsed, duration, ...told }: Progress): readonly string[] {
  const whole = duration === null ? '' : ` of ${formatDuration(seconds(duration))}`;
  const p95 = told.p95 === null ? '' : `, p95 ${metricText('p95', told.p95)}`;
  const rate = metricText('requests_per_second', Math.round(told.requests_per_second));
  const metrics = `${counted(told.requests, 'request')}, ${rate}/s, ${withCommas(told.failed)} failed${p95}`;
  const warming = told.warming_up === true ? ', warming up' : '';
  return [`running ${formatAge(seconds(elapsed))}${whole}${warming}`, metrics];
}

function elapsedText(at: string | null): string {
  return at === null ? '' : ` since ${formatInstant(Date.parse(at))} UTC`;
}
