/** A histogram of times, as records of results hold it. */
import { BUCKETS, Histogram, SUB_BITS, type StoredHistogram } from '../load/histogram.ts';

export function encodeHistogram(kept: StoredHistogram | null) {
  if (kept === null) return null;
  const { min, max, sum, counts } = kept;
  return {
    unit: 'us',
    sub_bits: SUB_BITS,
    ...{ min, max, sum },
    counts: counts.map(([bucket, count]) => [bucket, count]),
  };
}

/** Errors: null for anything that is not a histogram as it is written here. */
export function decodeHistogram(value: unknown): Histogram | null {
  const kept = decodeStoredHistogram(value);
  return kept && Histogram.fromStored(kept);
}

/** The same as it was kept, for those who only read it. */
export function decodeStoredHistogram(value: unknown): StoredHistogram | null {
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
