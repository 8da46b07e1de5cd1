import { readNumber } from '../lenient-values.ts';
import type { RunProgress } from '../load/run-report.ts';
import { milliseconds } from '../units.ts';
import { objectOf } from '../unknown-value.ts';

/**
 * Reads the progress of a run. Returns null for invalid values instead of throwing, because progress is only displayed.
 */
export function readRunProgress(json: unknown): RunProgress | null {
  const members = objectOf(json);
  const count = (name: string) => readNumber(members[name]);
  const elapsed = count('elapsed_ms');
  if (elapsed === null) return null;
  return {
    elapsed: milliseconds(elapsed),
    warmingUp: members['warming_up'] === true,
    connections: count('connections') ?? 0,
    success: count('success') ?? 0,
    error: count('error') ?? 0,
    timeoutError: count('timeout_error') ?? 0,
    networkError: count('network_error') ?? 0,
    requestsPerSecond: count('requests_per_second') ?? 0,
    p95: count('p95'),
  };
}
