/** Codec of the thresholds that end a run. */
import type { AbortRule } from '../core/model/abort-rule.ts';
import type { Metric } from '../core/model/threshold.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { seconds } from '../core/units.ts';
import { isObject, objectOf, isCount } from '../core/unknown-value.ts';
import type { AbortRuleEntry } from './generated/test-create.ts';
import { readList } from './wire-values.ts';

export function encodeAbortRule({ after, minSamples, group, ...rule }: AbortRule): AbortRuleEntry {
  return withoutUndefined({
    ...rule,
    after: after / 1000,
    min_samples: minSamples,
    group: group && { name: group.name, urls: [...group.urls] },
  });
}

/** Decodes a rule that matches its schema. Does not check the metric and the condition. */
export function decodeAbortRule({ after, min_samples: minSamples, ...rule }: AbortRuleEntry): AbortRule {
  return withoutUndefined({
    ...rule,
    metric: rule.metric as Metric, // The rules of tests check the metric.
    after: seconds(after),
    minSamples,
  });
}

/** Returns null if the field is absent, or if the service uses the field for another purpose. */
export function readAbortRules(value: unknown): readonly AbortRule[] | null {
  return readList(value, (rule) => (isRule(rule) ? decodeAbortRule(rule) : null));
}

function isRule(value: unknown): value is AbortRuleEntry {
  if (!isObject(value)) return false;
  const { metric, limit, after, min_samples: minSamples, url, flow, group } = value;
  const isOptionalCount = (count: unknown) => count === undefined || isCount(count);
  return (
    typeof metric === 'string' &&
    typeof limit === 'string' &&
    isCount(after) &&
    [minSamples, url, flow].every(isOptionalCount) &&
    (group === undefined || isGroup(group))
  );
}

function isGroup(value: unknown): boolean {
  const { name, urls } = objectOf(value);
  return typeof name === 'string' && Array.isArray(urls) && urls.every(isCount);
}
