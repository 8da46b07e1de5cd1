/** Codec of the thresholds that end a run. */
import type { AbortRule } from '../core/model/abort-rule.ts';
import type { Metric } from '../core/model/threshold.ts';
import { seconds } from '../core/units.ts';
import { isObject, objectOf, isCount } from '../core/unknown-value.ts';
import type { AbortRuleEntry } from './generated/test-create.ts';

export function encodeAbortRules(rules: readonly AbortRule[]): [AbortRuleEntry, ...AbortRuleEntry[]] {
  const [first, ...more] = rules.map(({ after, minSamples, group, ...rule }): AbortRuleEntry => ({
    ...rule,
    after: after / 1000,
    ...(minSamples === undefined ? {} : { min_samples: minSamples }),
    ...(group === undefined ? {} : { group: { name: group.name, urls: [...group.urls] } }),
  }));
  if (first === undefined) throw new Error('Bug: abort rules without a rule');
  return [first, ...more];
}

/** Decodes a rule that matches its schema. Its metric and condition are not yet checked. */
export function decodeAbortRule({ after, min_samples: minSamples, ...rule }: AbortRuleEntry): AbortRule {
  return {
    ...rule,
    metric: rule.metric as Metric, // The rules of tests check it.
    after: seconds(after),
    ...(minSamples === undefined ? {} : { minSamples }),
  };
}

/** Reads the rules; null if absent, or if the service uses the field for something else. */
export function readAbortRules(value: unknown): readonly AbortRule[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const rules = value.flatMap((one: unknown) => (isRule(one) ? [decodeAbortRule(one)] : []));
  return rules.length === value.length ? rules : null;
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
