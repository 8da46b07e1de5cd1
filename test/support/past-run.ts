/** A completed run, as a service reports it, with the metrics that a test needs. */
import { Histogram } from '../../src/core/load/histogram.ts';
import type { GeneratorMachine } from '../../src/core/load/run-report.ts';
import { resultId } from '../../src/core/model/ids.ts';
import { readRunRecord } from '../../src/core/run-record/read-record.ts';
import type { RunRecord, UrlRecord } from '../../src/core/run-record/run-record.ts';
import type { RunResult } from '../../src/core/run-record/run-result.ts';

export const STALL_FREE: GeneratorMachine = {
  cores: 2,
  quota: null,
  threadReason: 'load',
  node: 'v20.19.0',
  measurementVersion: 1,
  threadLoads: [{ mean: 0.2, max: 0.3 }],
  seconds: 8,
  longestStall: 1,
  stalledSeconds: [],
};

/** Changed members of a result and of its record. */
export type ResultChanges = Partial<RunRecord & Omit<RunResult, 'record' | 'json'>>;

/** Creates a completed run without measurements. */
export function createResult({ id, status, verdict = null, ...changes }: ResultChanges = {}): RunResult {
  return {
    id: id ?? resultId('r1'),
    status: status ?? 'ready',
    verdict,
    record: { ...readRunRecord({ abort_reason: null }), startedAt: 0, ...changes },
    json: {},
  };
}

/** Creates the record of a URL. */
export function createUrl(changes: Partial<UrlRecord> = {}): UrlRecord {
  const [url] = readRunRecord({ urls: [{}] }).urls ?? [];
  if (url === undefined) throw new Error('Bug: no URL');
  return { ...url, ...changes };
}

let created = 0;

/**
 * Creates a completed run.
 * @param p95 - in ms; a tenth of it is delay of the load generator, as without stalls
 */
export function createPastRun(p95: number, changes: ResultChanges = {}): RunResult {
  const times = Histogram.createTotal();
  times.recordMany(1000, Math.round(1000 * p95));
  const minimum = Histogram.createTotal();
  minimum.recordMany(1000, Math.round(900 * p95));
  const measured = times.toStored();
  created++;
  return createResult({
    id: resultId(`r${created}`),
    startedAt: 1000 * created,
    metrics: { p95, requests: 1000, requests_per_second: 1000 / p95 },
    times: measured && { measured, minimum: minimum.toStored() },
    generator: { lagP99: null, overloaded: false, threads: 1, version: '0.1.0' },
    bounds: { p95: { low: 0.9 * p95, high: p95 } },
    delivery: { model: 'closed', heldShare: 1 },
    machine: STALL_FREE,
    ...changes,
  });
}
