/** Text about the workers of a distributed run. */
import type { Json } from '../canonical.ts';
import { counted, withCommas } from '../counted.ts';
import { metricText } from '../metric-text.ts';
import { objectOf } from '../unknown-value.ts';
import { numberOf, textOf, type ResultRecord } from './record.ts';

type Members = Readonly<Record<string, Json>>;

/** Maximum number of workers that are listed; lost workers come first. */
const MAX_LINES = 10;

/**
 * Returns `2 workers; all started within 3 ms (± 1 ms)` and one line per worker; empty if the run was not
 * distributed.
 */
export function workerLines(record: ResultRecord): readonly string[] {
  const summary = workersText(record);
  if (summary === null) return [];
  const workers = workersOf(record);
  const sorted = [...workers.filter(isLost), ...workers.filter((worker) => !isLost(worker))];
  const omitted = sorted.length - MAX_LINES;
  return [
    summary,
    ...sorted
      .slice(0, MAX_LINES)
      .map((worker) => `  ${[nameOf(worker), workerText(worker)].filter((part) => part !== '').join(': ')}`),
    ...(omitted > 0 ? [`  and ${withCommas(omitted)} more`] : []),
  ];
}

/** Returns one row for all workers, and one for each. */
export function workerRows(record: ResultRecord): readonly (readonly [label: string, text: string])[] {
  const summary = workersText(record);
  if (summary === null) return [];
  return [
    ['Workers', summary],
    ...workersOf(record).map((worker) => [`Worker ${nameOf(worker)}`, workerText(worker)] as const),
  ];
}

function workersText(record: ResultRecord): string | null {
  const workers = workersOf(record);
  if (workers.length === 0) return null;
  const lost = workers.filter(isLost).length;
  const workersLabel = `${counted(workers.length, 'worker')}${lost === 0 ? '' : `, ${withCommas(lost)} lost`}`;
  const starts = workers.flatMap((worker) => {
    const skew = numberOf(worker['start_skew_ms']);
    return skew === null ? [] : [{ skew, uncertainty: numberOf(worker['clock_uncertainty_ms']) ?? 0 }];
  });
  const [first, ...others] = starts.sort((one, other) => one.skew - other.skew);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return workersLabel;
  const subject = starts.length === workers.length ? 'all' : `${withCommas(starts.length)} of them`;
  // The uncertainties add up, because the clocks can differ in opposite directions.
  const uncertainty = metricText('max', first.uncertainty + last.uncertainty);
  return `${workersLabel}; ${subject} started within ${metricText('max', last.skew - first.skew)} (± ${uncertainty})`;
}

/**
 * Describes a worker: `2 threads, 68 requests started, 68 finished; started 0.2 ms late; scheduling lag p99
 * 0.4 ms`.
 */
function workerText(worker: Members): string {
  const [threads, started, finished] = ['threads', 'started', 'finished'].map((name) =>
    numberOf(worker[name]),
  );
  const [skew, lag] = [numberOf(worker['start_skew_ms']), numberOf(worker['lag_p99_ms'])];
  const counts = [
    ...(typeof threads === 'number' ? [counted(threads, 'thread')] : []),
    ...(typeof started === 'number' ? [`${counted(started, 'request')} started`] : []),
    ...(typeof finished === 'number' ? [`${withCommas(finished)} finished`] : []),
  ].join(', ');
  return [
    ...(counts === '' ? [] : [counts]),
    ...(skew === null ? [] : [`started ${metricText('max', Math.abs(skew))} ${skew < 0 ? 'early' : 'late'}`]),
    ...(lag === null ? [] : [`scheduling lag p99 ${metricText('p99', lag)}`]),
    ...(isLost(worker) ? [`lost: ${textOf(worker['lost'])}`] : []),
  ].join('; ');
}

function workersOf(record: ResultRecord): readonly Members[] {
  const workers = record?.['workers'];
  return Array.isArray(workers) ? workers.map((worker: Json) => objectOf(worker)) : [];
}

function isLost(worker: Members): boolean {
  return textOf(worker['lost']) !== '';
}

function nameOf(worker: Members): string {
  return textOf(worker['name']) || 'unnamed';
}
