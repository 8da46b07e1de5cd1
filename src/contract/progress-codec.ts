/** Encodes the progress of a run, which only loadtests services add to test records. */
import type { RunProgress } from '../core/load/run-report.ts';
import type { TestRecord } from './generated/test-record.ts';

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
