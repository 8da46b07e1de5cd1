/** Histograms of times with a fixed number of buckets. */
import type { StoredHistogram } from '../model/sample.ts';
import { addCount, forEachCount, type CountPages, type CountWidth } from './count-pages.ts';

/**
 * Binary logarithm of the number of buckets per power of two. From 128 µs, the width of a bucket is at most 0.78% of
 * its values.
 */
export const SUB_BITS = 7;
const SUB_BUCKETS = 1 << SUB_BITS;
/** Maximum value in µs, almost 36 minutes. Larger values are recorded as this value. */
const MAX_VALUE = 2 ** 31 - 1;
export const BUCKETS = (31 - SUB_BITS + 1) * SUB_BUCKETS;
const MAX_STEPS = 1000;

export interface HistogramData {
  readonly counts: Readonly<CountPages>;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
}

/** A value in µs that all records with ranks above `after` and up to `upTo` have. */
export interface Rise {
  readonly after: number;
  readonly upTo: number;
  readonly value: number;
}

/**
 * A log-linear histogram of integers, in µs. Quantiles differ from a recorded value by at most 0.4%.
 *
 * ```
 * value   0 … 127 | 128 … 255 | 256 … 511 | 512 … 1023 | …
 * width      1          1           2           4        …     128 buckets in each column
 * ```
 */
export class Histogram implements HistogramData {
  readonly counts: CountPages = [];
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = 0;
  sum = 0;

  readonly #width: CountWidth;

  private constructor(width: CountWidth) {
    this.#width = width;
  }

  /** Creates a histogram whose 32-bit counts overflow if a bucket has more than 2³² − 1 records. */
  static createRecorder(): Histogram {
    return new Histogram(32);
  }

  static createTotal(): Histogram {
    return new Histogram(53);
  }

  /** Restores a stored histogram; returns null if a bucket index or a count is invalid. */
  static fromStored(stored: StoredHistogram): Histogram | null {
    const histogram = Histogram.createTotal();
    for (const [bucket, count] of stored.counts) {
      if (!Number.isInteger(bucket) || bucket < 0 || bucket >= BUCKETS || !(count > 0)) return null;
      addCount(histogram.counts, 53, bucket, count);
      histogram.count += count;
    }
    histogram.min = stored.min;
    histogram.max = stored.max;
    histogram.sum = stored.sum;
    return histogram;
  }

  toStored(): StoredHistogram | null {
    if (this.count === 0) return null;
    const counts: [bucket: number, count: number][] = [];
    forEachCount(this.counts, (count, bucket) => counts.push([bucket, count]));
    const { min, max, sum } = this;
    return { min, max, sum, counts };
  }

  /** Records a value in µs, truncated to an integer and limited to the range from 0 to `MAX_VALUE`. */
  record(microseconds: number): void {
    this.recordMany(1, microseconds);
  }

  /**
   * Records `count` values in µs, evenly spaced from `from` down to, but not including, `to`. If `count` exceeds 1,000,
   * only 1,000 distinct values are recorded.
   */
  recordEvenly(count: number, from: number, to: number): void {
    const steps = Math.min(count, MAX_STEPS);
    let recorded = 0;
    for (let step = 0; step < steps; step++) {
      const upTo = Math.round((count * (step + 1)) / steps);
      this.recordMany(upTo - recorded, Math.floor(from - ((from - to) * step) / steps));
      recorded = upTo;
    }
  }

  recordMany(count: number, microseconds: number): void {
    const value = Math.min(Math.max(0, microseconds), MAX_VALUE) | 0;
    this.#addMany(bucketOf(value), count, value);
  }

  #addMany(bucket: number, count: number, value: number): void {
    addCount(this.counts, this.#width, bucket, count);
    this.count += count;
    this.sum += count * value;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }

  add(other: HistogramData): void {
    forEachCount(other.counts, (count, bucket) => addCount(this.counts, this.#width, bucket, count));
    this.count += other.count;
    this.sum += other.sum;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
  }

  /**
   * Adds the records of another histogram up to a value in µs. If some records exceed the value, adds only the buckets
   * below its bucket, and estimates the sum, minimum and maximum.
   */
  addUpTo(other: HistogramData, largest: number): void {
    if (other.max <= largest) {
      this.add(other);
      return;
    }
    const end = bucketOf(Math.min(largest, MAX_VALUE));
    forEachCount(other.counts, (count, bucket) => {
      if (bucket < end) this.#addMany(bucket, count, Math.max(other.min, middleOf(bucket)));
    });
  }

  /** Returns the value in µs that a fraction (0 to 1) of the records does not exceed; null if there are no records. */
  quantile(fraction: number): number | null {
    return this.count === 0 ? null : this.atRank(rankOf(fraction, this.count));
  }

  /**
   * Returns the value in µs of the record with the given rank, counted from 1; the maximum if there are fewer records.
   */
  atRank(rank: number): number {
    let value = this.max;
    let cumulative = 0;
    forEachCount(this.counts, (count, bucket) => {
      if (cumulative < rank && cumulative + count >= rank) value = this.#valueOf(bucket);
      cumulative += count;
    });
    return value;
  }

  /**
   * Returns the values with their ranks, in ascending order.
   * @param before - number of requests without a record, which count as 0 µs and have the lowest ranks
   */
  rises(before: number): readonly Rise[] {
    const rises: Rise[] = [];
    let cumulative = before;
    forEachCount(this.counts, (count, bucket) => {
      rises.push({ after: cumulative, upTo: cumulative + count, value: this.#valueOf(bucket) });
      cumulative += count;
    });
    return rises;
  }

  /** Returns the value in µs that the records of a bucket are reported as. */
  #valueOf(bucket: number): number {
    return Math.min(this.max, Math.max(this.min, middleOf(bucket)));
  }

  /** Returns the number of records in the buckets above the bucket of a value in µs. */
  countAbove(microseconds: number): number {
    const first = bucketOf(microseconds) + 1;
    let above = 0;
    forEachCount(this.counts, (count, bucket) => {
      if (bucket >= first) above += count;
    });
    return above;
  }

  mean(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }
}

/**
 * Returns the smallest integer that is at least a value in µs and that quantiles also report as at least this value,
 * rounded up. Quantiles report the middle of a bucket.
 */
export function firstReportedAtLeast(microseconds: number): number {
  const value = Math.min(MAX_VALUE, Math.ceil(microseconds));
  const bucket = bucketOf(value);
  return middleOf(bucket) >= value ? value : Math.min(MAX_VALUE, startOf(bucket + 1));
}

/**
 * Returns the largest integer that is at most a non-negative value in µs and that quantiles also report as at most this
 * value, rounded down.
 */
export function lastReportedAtMost(microseconds: number): number {
  const value = Math.min(MAX_VALUE, Math.max(0, Math.floor(microseconds)));
  const bucket = bucketOf(value);
  return middleOf(bucket) <= value ? value : startOf(bucket) - 1;
}

export function storedValueAtRank({ min, max, counts }: StoredHistogram, rank: number): number {
  let cumulative = 0;
  for (const [bucket, count] of counts) {
    cumulative += count;
    if (cumulative >= rank) return Math.min(max, Math.max(min, middleOf(bucket)));
  }
  return max;
}

export function storedQuantile(stored: StoredHistogram, fraction: number): number | null {
  const count = storedCount(stored);
  return count === 0 ? null : storedValueAtRank(stored, rankOf(fraction, count));
}

export function storedCount({ counts }: StoredHistogram): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/**
 * Returns the number of records, and their mean and approximate standard deviation in µs; 0 if there are no records.
 */
export function storedMoments(stored: StoredHistogram): {
  readonly count: number;
  readonly mean: number;
  readonly deviation: number;
} {
  const count = storedCount(stored);
  const mean = count === 0 ? 0 : stored.sum / count;
  const squares = stored.counts.reduce(
    (sum, [bucket, records]) => sum + records * (middleOf(bucket) - mean) ** 2,
    0,
  );
  return { count, mean, deviation: count === 0 ? 0 : Math.sqrt(squares / count) };
}

/**
 * Returns the numbers of records that are certainly, probably and possibly at most a value in µs. The numbers differ
 * only by records in the bucket of the value.
 */
export function countUpTo(
  { min, max, counts }: StoredHistogram,
  microseconds: number,
): { readonly certain: number; readonly probable: number; readonly possible: number } {
  const value = Math.floor(Math.min(microseconds, MAX_VALUE));
  const last = bucketOf(value);
  let [certain, probable, possible] = [0, 0, 0];
  for (const [bucket, count] of counts) {
    if (bucket > last || value < min) break;
    possible += count;
    if (Math.min(max, Math.max(min, middleOf(bucket))) <= microseconds) probable += count;
    if (Math.min(max, startOf(bucket + 1) - 1) <= value) certain += count;
  }
  return { certain, probable, possible };
}

export function sumOfTimes(each: readonly Histogram[]): Histogram {
  const sum = Histogram.createTotal();
  for (const times of each) sum.add(times);
  return sum;
}

/** Returns the rank, counted from 1, of a quantile among `count` records. */
export function rankOf(fraction: number, count: number): number {
  // Rounds the product first; otherwise, 0.07 · 100 would have rank 8.
  return Math.min(count, Math.max(1, Math.ceil(Number((fraction * count).toFixed(6)))));
}

/** Returns the bucket index of an integer from 0 to 2³¹ − 1. */
export function bucketOf(value: number): number {
  const shift = Math.max(0, 31 - SUB_BITS - Math.clz32(value));
  return (shift << SUB_BITS) + (value >>> shift);
}

function startOf(bucket: number): number {
  const shift = shiftOf(bucket);
  return (bucket - (shift << SUB_BITS)) * 2 ** shift;
}

function middleOf(bucket: number): number {
  return startOf(bucket) + (2 ** shiftOf(bucket) - 1) / 2;
}

/** Returns the binary logarithm of the width of a bucket. */
function shiftOf(bucket: number): number {
  return Math.max(0, (bucket >>> SUB_BITS) - 1);
}
