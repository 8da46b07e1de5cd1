/**
 * Codec of baseline files.
 *
 * @remarks The same runs always produce the same bytes. Each member of a run is on its own line, so that a diff shows
 * which members changed.
 */
import { formatRfc3339, parseInstant } from '../core/instant.ts';
import { machineOf } from '../core/compare/regression-evaluation.ts';
import type { Baseline, BaselineMachine, BaselineRun } from '../core/model/baseline.ts';
import type { ResponseTimes, StoredHistogram } from '../core/model/sample.ts';
import { RESULT_METRICS } from '../core/model/threshold.ts';
import { encodeHistogram, readHistogram } from '../core/run-record/histogram-record.ts';
import { readBounds } from '../core/run-record/read-record.ts';
import type { RunResult } from '../core/run-record/run-result.ts';
import { validateBaselineFile } from '../schema/generated/api-validators.js';
import type { BaselineFile, BaselineRun as WireRun } from './generated/baseline-file.ts';
import { validationErrorText } from './response-validation.ts';
import { encodeBounds } from './measurement-codec.ts';

export function createBaseline(load: string, results: readonly RunResult[]): Baseline {
  const runs = results.map(({ id, record }): BaselineRun => {
    const { startedAt, metrics, bounds, times } = record;
    return { id, startedAt, machine: machineOf(record), metrics, bounds, times };
  });
  return { load, runs: runs.sort(byStart) };
}

function byStart(a: BaselineRun, b: BaselineRun): number {
  return (a.startedAt ?? 0) - (b.startedAt ?? 0) || (a.id < b.id ? -1 : 1);
}

export function encodeBaseline(test: string, { load, runs }: Baseline): string {
  const head = [
    `  "format_version": 1`,
    `  "test": ${JSON.stringify(test)}`,
    `  "load": ${JSON.stringify(load)}`,
  ];
  const each = runs.map((run) => `    {\n${formatLines(encodeRun(run), '      ')}\n    }`);
  return `{\n${head.join(',\n')},\n  "runs": [\n${each.join(',\n')}\n  ]\n}\n`;
}

function formatLines(members: object, indent: string): string {
  return Object.entries(members)
    .map(([name, value]) => `${indent}${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n');
}

function encodeRun({ id, startedAt, machine, metrics, bounds, times }: BaselineRun): WireRun {
  return {
    result_id: id,
    started_at: formatRfc3339(startedAt),
    machine: machine && encodeMachine(machine),
    metrics: sortMetrics(metrics),
    bounds: bounds && sortMetrics(encodeBounds(bounds)),
    latency_histogram: encodeTimes(times?.measured ?? null),
    latency_low_histogram: encodeTimes(times?.minimum ?? null),
  };
}

function encodeMachine({ cores, threads, node, measurementVersion, version }: BaselineMachine) {
  return { cores, threads, node, measurement_version: measurementVersion, version };
}

function encodeTimes(times: StoredHistogram | null): WireRun['latency_histogram'] {
  // The cast is valid, because a histogram has the same form in a baseline as in a result record.
  return encodeHistogram(times) as WireRun['latency_histogram'];
}

/**
 * Returns the metrics in the order of `RESULT_METRICS`, because services return them in different orders. Omits other
 * members.
 */
function sortMetrics<T>(members: Readonly<Partial<Record<string, T>>>): Record<string, T> {
  const names = Object.keys(RESULT_METRICS);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = members[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export type BaselineReading = { readonly baseline: Baseline } | { readonly fault: string };

/**
 * Returns a fault if the text is not a valid baseline of the test.
 * @param test - Key of the test that the baseline must belong to.
 */
export function readBaseline(text: string, test: string): BaselineReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'it is not valid JSON' };
  }
  if (!validateBaselineFile(value)) return { fault: validationErrorText(validateBaselineFile) };
  const file = value as BaselineFile; // The schema has validated the value.
  if (file.test !== test) return { fault: `it is the baseline of the test ${JSON.stringify(file.test)}` };
  const runs: BaselineRun[] = [];
  for (const [index, wire] of file.runs.entries()) {
    const times = decodeTimes(wire);
    if (times === 'invalid') return { fault: `the histograms of "/runs/${index}" are invalid` };
    runs.push({ ...decodeRun(wire), times });
  }
  if (new Set(runs.map(({ id }) => id)).size < runs.length)
    return { fault: 'it contains the same run twice' };
  return { baseline: { load: file.load, runs } };
}

function decodeRun(wire: WireRun): Omit<BaselineRun, 'times'> {
  return {
    id: wire.result_id,
    startedAt: parseInstant(wire.started_at ?? ''),
    machine: wire.machine && decodeMachine(wire.machine),
    metrics: wire.metrics,
    bounds: wire.bounds && readBounds(wire.bounds),
  };
}

function decodeMachine({
  measurement_version: measurementVersion,
  ...machine
}: NonNullable<WireRun['machine']>): BaselineMachine {
  return { ...machine, measurementVersion };
}

function decodeTimes(wire: WireRun): ResponseTimes | null | 'invalid' {
  if (wire.latency_histogram === null) return wire.latency_low_histogram === null ? null : 'invalid';
  const measured = readHistogram(wire.latency_histogram);
  const minimum = wire.latency_low_histogram && readHistogram(wire.latency_low_histogram);
  const isMinimumInvalid = wire.latency_low_histogram !== null && minimum === null;
  return measured === null || isMinimumInvalid ? 'invalid' : { measured, minimum };
}
