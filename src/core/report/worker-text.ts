/** Who made the load of a run where its service did not, for people. */
import type { Json } from '../canonical.ts';
import { counted, withCommas } from '../counted.ts';
import { metricText } from '../metric-text.ts';
import { numberOf, objectOf, textOf, type ResultRecord } from './record.ts';

type Members = Readonly<Record<string, Json>>;

/** A text has so many workers line by line; those that were lost come first. */
const MAX_LINES = 10;

/** `2 workers; their starts lie within 3 ms (± 1 ms)`, and below it a line for each; none where a service made the load. */
export function workerLines(record: ResultRecord): readonly string[] {
  const summary = workersText(record);
  if (summary === null) return [];
  const workers = workersOf(record);
  const told = [...workers.filter(isLost), ...workers.filter((worker) => !isLost(worker))];
  const left = told.length - MAX_LINES;
  return [
    summary,
    ...told
      .slice(0, MAX_LINES)
      .map((worker) => `  ${[nameOf(worker), workerText(worker)].filter((part) => part !== '').join(': ')}`),
    ...(left > 0 ? [`  and ${withCommas(left)} more`] : []),
  ];
}

/** A row for all of them, and one for each. */
export function workerRows(record: ResultRecord): readonly (readonly [what: string, text: string])[] {
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
  const who = `${counted(workers.length, 'worker')}${lost === 0 ? '' : `, ${withCommas(lost)} lost`}`;
  const starts = workers.flatMap((worker) => {
    const skew = numberOf(worker['start_skew_ms']);
    return skew === null ? [] : [{ skew, uncertainty: numberOf(worker['clock_uncertainty_ms']) ?? 0 }];
  });
  const [first, ...others] = starts.sort((one, other) => one.skew - other.skew);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return who;
  const whose =
    starts.length === workers.length ? 'their starts' : `the starts of ${withCommas(starts.length)} of them`;
  // Both ends of the span may be wrong, in opposite directions.
  const wrong = metricText('max', first.uncertainty + last.uncertainty);
  return `${who}; ${whose} lie within ${metricText('max', last.skew - first.skew)} (± ${wrong})`;
}

/** `2 threads, 68 requests started, 68 finished; began 0.2 ms late; late by p99 0.4 ms` */
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
    ...(skew === null ? [] : [`began ${metricText('max', Math.abs(skew))} ${skew < 0 ? 'early' : 'late'}`]),
    ...(lag === null ? [] : [`late by p99 ${metricText('p99', lag)}`]),
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
  return textOf(worker['name']) || 'without a name';
}
