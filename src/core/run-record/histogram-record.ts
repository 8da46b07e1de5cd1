import { BUCKETS, SUB_BITS } from '../load/histogram.ts';
import type { StoredHistogram } from '../model/sample.ts';
import { isObject, isCount } from '../unknown-value.ts';

export function encodeHistogram(stored: StoredHistogram | null) {
  if (stored === null) return null;
  const { min, max, sum, counts } = stored;
  return {
    unit: 'us',
    sub_bits: SUB_BITS,
    min,
    max,
    sum,
    counts: counts.map(([bucket, count]) => [bucket, count]),
  };
}

/** Reads a histogram that `encodeHistogram` encoded; returns null for other values. */
export function readHistogram(value: unknown): StoredHistogram | null {
  if (!isObject(value) || value['unit'] !== 'us' || value['sub_bits'] !== SUB_BITS) return null;
  const { min, max, sum, counts } = value;
  if (!isCount(min) || !isCount(max) || !isCount(sum) || !Array.isArray(counts)) return null;
  const pairs: [bucket: number, count: number][] = [];
  let last = -1;
  for (const pair of counts as readonly unknown[]) {
    if (!Array.isArray(pair)) return null;
    const [bucket, count] = pair as readonly unknown[];
    if (!isCount(bucket) || !isCount(count) || bucket <= last || bucket >= BUCKETS || count === 0)
      return null;
    pairs.push([bucket, count]);
    last = bucket;
  }
  return { min, max, sum, counts: pairs };
}
