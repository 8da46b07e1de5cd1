/** Codec of a run's progress, an additional field in the test records of loadtests services. */
import type { RunProgress } from '../core/load/run-report.ts';
import { milliseconds } from '../core/units.ts';
import { isObject } from '../core/unknown-value.ts';
import type { TestRecord } from './generated/test-record.ts';
import { readNumber } from './wire-values.ts';

export function encodeProgress(progress: RunProgress): NonNullable<TestRecord['progress']> {
  return {
    elapsed_ms: progress.elapsed,
    ...(progress.warmingUp ? { warming_up: true } : {}),
    connections: progress.connections,
    success: progress.success,
    error: progress.error,
    timeout_error: progress.timeoutError,
    network_error: progress.networkError,
    requests_per_second: progress.requestsPerSecond,
    p95: progress.p95,
  };
}

/** Decodes the progress; null if it is absent or invalid, because progress is only displayed. */
export function decodeProgress(value: unknown): RunProgress | null {
  if (!isObject(value)) return null;
  const count = (name: string) => readNumber(value[name]);
  const elapsed = count('elapsed_ms');
  if (elapsed === null) return null;
  return {
    elapsed: milliseconds(elapsed),
    warmingUp: value['warming_up'] === true,
    connections: count('connections') ?? 0,
    success: count('success') ?? 0,
    error: count('error') ?? 0,
    timeoutError: count('timeout_error') ?? 0,
    networkError: count('network_error') ?? 0,
    requestsPerSecond: count('requests_per_second') ?? 0,
    p95: count('p95'),
  };
}
