/** Text about the workers of a distributed run. */
import { counted, withCommas } from '../counted.ts';
import { metricText } from '../model/metric-text.ts';
import type { RunRecord, WorkerRecord } from '../run-record/run-record.ts';

/** Maximum number of workers to list, lost workers first. */
const MAX_LINES = 10;

/** Returns text like `2 workers; all started within 3 ms (± 1 ms)` and one line per worker; empty without workers. */
export function workerLines({ workers }: RunRecord): readonly string[] {
  if (workers === null || workers.length === 0) return [];
  const sorted = [...workers.filter(isLost), ...workers.filter((worker) => !isLost(worker))];
  const omitted = sorted.length - MAX_LINES;
  return [
    workersText(workers),
    ...sorted
      .slice(0, MAX_LINES)
      .map(
        (worker) => `  ${[workerName(worker), workerText(worker)].filter((part) => part !== '').join(': ')}`,
      ),
    ...(omitted > 0 ? [`  and ${withCommas(omitted)} more`] : []),
  ];
}

export function workerRows({ workers }: RunRecord): readonly (readonly [label: string, text: string])[] {
  if (workers === null || workers.length === 0) return [];
  return [
    ['Workers', workersText(workers)],
    ...workers.map((worker) => [`Worker ${workerName(worker)}`, workerText(worker)] as const),
  ];
}

function workersText(workers: readonly WorkerRecord[]): string {
  const lost = workers.filter(isLost).length;
  const workersLabel = `${counted(workers.length, 'worker')}${lost === 0 ? '' : `, ${withCommas(lost)} lost`}`;
  const starts = workers.flatMap(({ startSkew: skew, clockUncertainty: uncertainty }) =>
    skew === null ? [] : [{ skew, uncertainty: uncertainty ?? 0 }],
  );
  const [first, ...others] = starts.sort((one, other) => one.skew - other.skew);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return workersLabel;
  const subject = starts.length === workers.length ? 'all' : `${withCommas(starts.length)} of them`;
  // Adds the uncertainties, because the clocks may differ in opposite directions.
  const uncertainty = metricText('max', first.uncertainty + last.uncertainty);
  return `${workersLabel}; ${subject} started within ${metricText('max', last.skew - first.skew)} (± ${uncertainty})`;
}

/** Returns text like `2 threads, 68 requests started, 68 finished; started 0.2 ms late; scheduling lag p99 0.4 ms`. */
function workerText(worker: WorkerRecord): string {
  const { threads, started, finished, startSkew: skew, lagP99: lag, lossReason } = worker;
  const counts = [
    ...(threads === null ? [] : [counted(threads, 'thread')]),
    ...(started === null ? [] : [`${counted(started, 'request')} started`]),
    ...(finished === null ? [] : [`${withCommas(finished)} finished`]),
  ].join(', ');
  return [
    ...(counts === '' ? [] : [counts]),
    ...(skew === null ? [] : [`started ${metricText('max', Math.abs(skew))} ${skew < 0 ? 'early' : 'late'}`]),
    ...(lag === null ? [] : [`scheduling lag p99 ${metricText('p99', lag)}`]),
    ...(lossReason === null ? [] : [`lost: ${lossReason}`]),
  ].join('; ');
}

function isLost({ lossReason }: WorkerRecord): boolean {
  return lossReason !== null;
}

function workerName({ name }: WorkerRecord): string {
  return name ?? 'unnamed';
}
