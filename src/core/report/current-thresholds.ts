/** Published thresholds with the current values of a run that has not ended. */
import { groupSampleOf } from '../compare/merged-sample.ts';
import { metricValueOf } from '../compare/metric-value.ts';
import { worsening } from '../compare/regression-evaluation.ts';
import type { EvaluatedThreshold as ThresholdVerdict, RunVerdict } from '../model/run-verdict.ts';
import type { Sample } from '../model/sample.ts';
import { kindOf, type Metric } from '../model/threshold.ts';
import type { RunRecord } from '../run-record/run-record.ts';
import type { EvaluatedThreshold } from './generated/documents.ts';
import { toEvaluatedThreshold } from './threshold-document.ts';
import { thresholdLabels } from './threshold-text.ts';

type Published = Pick<RunVerdict, 'thresholds' | 'urlNames' | 'urlGroups'>;

export function currentThresholds(
  { thresholds, urlNames, urlGroups }: Published,
  record: RunRecord,
): EvaluatedThreshold[] {
  const labels = thresholdLabels(record, urlNames);
  const sampleOf = ({ url, flow, group }: ThresholdVerdict): Sample | null => {
    if (group !== undefined) {
      const urlGroup = urlGroups?.find(({ name }) => name === group);
      return urlGroup === undefined ? null : groupSampleOf(record, urlGroup);
    }
    if (flow !== undefined) return record.flows?.find(({ name }) => name === flow) ?? null;
    return url === undefined ? record : (record.urls?.[labels.indexOf(url)] ?? null);
  };
  return thresholds.map(({ bounds: _, reason: __, ...threshold }) => {
    const { metric, regression } = threshold;
    const isKnown = kindOf(metric) !== null;
    const value = isKnown ? metricValueOf(metric as Metric, sampleOf(threshold)).value : null; // `kindOf` has checked the name.
    const worseBy =
      regression === undefined || value === null ? 0 : worsening(metric, value, regression.baseline);
    return toEvaluatedThreshold({
      ...threshold,
      value,
      verdict: 'inconclusive',
      ...(regression === undefined
        ? {}
        : { regression: { ...regression, runs: 0, standardDeviation: null, worseBy } }),
    });
  });
}
