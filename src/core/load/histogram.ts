/** Histograms of times with a fixed number of buckets. Mutable, because each request is recorded. */
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

/** Content of a histogram, in the form that threads exchange. */
export interface HistogramData {
  readonly counts: Readonly<CountPages>;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
}

/** A value in µs and the ranks of its records, which are above `after` and at most `upTo`. */
export interface Rise {
  readonly after: number;
  readonly upTo: number;
  readonly value: number;
}

/**
 * A log-linear histogram of integers, in µs. Quantiles are within 0.4% of a recorded value.
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

  /** Creates a histogram with 32-bit counts. More than 2³² − 1 records in a bucket would overflow. */
  static createRecorder(): Histogram {
    return new Histogram(32);
  }

  /** Creates a histogram whose counts do not overflow during a run. */
  static createTotal(): Histogram {
    return new Histogram(53);
  }

  /** Restores a stored histogram. Returns null if a bucket or count is invalid. */
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

  /** Records a value in µs. Fractions are truncated. A value outside the range becomes the nearest end of the range. */
  record(microseconds: number): void {
    const value = microseconds >= MAX_VALUE ? MAX_VALUE : microseconds > 0 ? microseconds | 0 : 0;
    addCount(this.counts, this.#width, bucketOf(value), 1);
    this.count++;
    this.sum += value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /**
   * Records `count` values in µs, evenly spaced from `from` down to, but not including, `to`. More than 1,000 values
   * are recorded in 1,000 steps.
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

  /** Records a value in µs `count` times, like `record`. */
  recordMany(count: number, microseconds: number): void {
    const value = Math.trunc(Math.min(Math.max(0, microseconds), MAX_VALUE));
    this.#addMany(bucketOf(value), count, value);
  }

  #addMany(bucket: number, count: number, value: number): void {
    addCount(this.counts, this.#width, bucket, count);
    this.count += count;
    this.sum += count * value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  add(other: HistogramData): void {
    if (other.count === 0) return;
    forEachCount(other.counts, (count, bucket) => addCount(this.counts, this.#width, bucket, count));
    this.count += other.count;
    this.sum += other.sum;
    if (other.min < this.min) this.min = other.min;
    if (other.max > this.max) this.max = other.max;
  }

  /**
   * Adds the records of another histogram up to a value in µs. If some records exceed the value, only the buckets below
   * the bucket of the value are added; the sum, minimum and maximum are then estimates.
   */
  addUpTo(other: HistogramData, largest: number): void {
    if (other.count === 0 || other.min > largest) return;
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
    const rise = this.rises(0).find(({ upTo }) => upTo >= rank);
    return rise?.value ?? this.max;
  }

  /**
   * Returns the values in µs with their ranks, in ascending order. The first `before` ranks are skipped: they belong to
   * requests without a record, which count as 0 µs.
   */
  rises(before: number): readonly Rise[] {
    const rises: Rise[] = [];
    let cumulative = before;
    forEachCount(this.counts, (count, bucket) => {
      const value = Math.min(this.max, Math.max(this.min, middleOf(bucket)));
      rises.push({ after: cumulative, upTo: cumulative + count, value });
      cumulative += count;
    });
    return rises;
  }

  /** Counts the records in the buckets above the bucket of a value in µs. */
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
 * Returns the smallest integer that is not below a value in µs, and that quantiles do not report as below this value.
 * Quantiles report the middle of the bucket that contains an integer. The result is at most `MAX_VALUE`.
 */
export function firstReportedAtLeast(microseconds: number): number {
  const value = Math.min(MAX_VALUE, Math.ceil(microseconds));
  let bucket = bucketOf(value);
  if (middleOf(bucket) >= value) return value;
  bucket++;
  return bucket < BUCKETS ? startOf(bucket) : MAX_VALUE;
}

/**
 * Returns the largest integer that does not exceed a value in µs, and that quantiles do not report as exceeding this
 * value. Quantiles report the middle of the bucket that contains an integer.
 */
export function lastReportedAtMost(microseconds: number): number {
  const value = Math.min(MAX_VALUE, Math.max(0, Math.floor(microseconds)));
  const bucket = bucketOf(value);
  return middleOf(bucket) <= value ? value : startOf(bucket) - 1;
}

/** Returns the value in µs of the record with the given rank in a stored histogram: see `Histogram.atRank`. */
export function storedValueAtRank({ min, max, counts }: StoredHistogram, rank: number): number {
  let cumulative = 0;
  for (const [bucket, count] of counts) {
    cumulative += count;
    if (cumulative >= rank) return Math.min(max, Math.max(min, middleOf(bucket)));
  }
  return max;
}

/** Returns the quantile of a stored histogram in µs for a fraction (0 to 1); null if there are no records. */
export function storedQuantile(stored: StoredHistogram, fraction: number): number | null {
  const count = storedCount(stored);
  return count === 0 ? null : storedValueAtRank(stored, rankOf(fraction, count));
}

export function storedCount({ counts }: StoredHistogram): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/**
 * Returns the number of records, and their mean and approximate standard deviation in µs; all are 0 without records.
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
 * Counts the records of a stored histogram that are at most a value in µs: those that certainly, probably and
 * possibly qualify. The counts differ only by records in the bucket of the value.
 */
export function countUpTo(
  { min, max, counts }: StoredHistogram,
  microseconds: number,
): { readonly certain: number; readonly probable: number; readonly possible: number } {
  const value = Math.floor(Math.min(microseconds, MAX_VALUE));
  const last = value < 0 ? -1 : bucketOf(value);
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

/** Returns the bucket of an integer from 0 to 2³¹ − 1. */
export function bucketOf(value: number): number {
  if (value < SUB_BUCKETS) return value;
  const shift = 31 - SUB_BITS - Math.clz32(value);
  return ((shift + 1) << SUB_BITS) + ((value >>> shift) & (SUB_BUCKETS - 1));
}

function startOf(bucket: number): number {
  return bucket < SUB_BUCKETS ? bucket : (SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1))) * widthOf(bucket);
}

function middleOf(bucket: number): number {
  return startOf(bucket) + (widthOf(bucket) - 1) / 2;
}

function widthOf(bucket: number): number {
  return bucket < SUB_BUCKETS ? 1 : 1 << ((bucket >>> SUB_BITS) - 1);
}
