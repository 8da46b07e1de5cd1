/** Verdicts that a client sends to a service. */
import { meetsCondition, parseThreshold, type Metric } from '../../src/core/model/threshold.ts';
import { readRunRecord } from '../../src/core/run-record/read-record.ts';
import type { TestService } from './test-service.ts';

/** A threshold of a published verdict. With a reason, it is inconclusive. */
export interface PublishedThreshold {
  readonly metric: Metric;
  readonly limit: string;
  readonly bounds?: { readonly low: number; readonly high: number };
  readonly reason?: string;
}

/** Publishes a verdict. The values and verdicts of its thresholds are those of the stored record. */
export async function publishVerdict(
  service: Pick<TestService, 'call'>,
  { test_id: test, result_id: result }: { readonly test_id: string; readonly result_id: string },
  verdict: string,
  thresholds: readonly PublishedThreshold[],
  reason: string | null = null,
): Promise<void> {
  const path = `/v2/tests/${test}/results/${result}`;
  const metrics: Readonly<Record<string, number | undefined>> = readRunRecord(
    (await service.call('GET', path)).json,
  ).metrics;
  const evaluated = thresholds.map((threshold) => {
    const { metric, limit, reason: doubt } = threshold;
    const [value, condition] = [metrics[metric], parseThreshold(metric, limit, null)];
    if (value === undefined || condition === null) throw new Error(`no value for ${metric} ${limit}`);
    const outcome = meetsCondition(value, condition) ? 'pass' : 'fail';
    return { ...threshold, value, verdict: doubt === undefined ? outcome : 'inconclusive' };
  });
  await service.call('PUT', `${path}/verdict`, { json: { verdict, reason, thresholds: evaluated } });
}
