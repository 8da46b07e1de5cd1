/** Latencies in fixed memory. Mutable on purpose: it is written to for every request. */

/** Sub-buckets per power of two, as an exponent: a bucket is at most 1/128 = 0.78 % wide. */
export const SUB_BITS = 7;
const SUB_BUCKETS = 1 << SUB_BITS;
/** About 35 minutes in µs; more is recorded as this. */
const MAX_VALUE = 2 ** 31 - 1;
export const BUCKETS = (31 - SUB_BITS + 1) * SUB_BUCKETS;
const MAX_STEPS = 1000;

/** What a histogram holds, as it travels between threads. */
export interface HistogramData {
  readonly counts: Uint32Array | Float64Array;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
}

/**
 * What a histogram holds, as it is kept: percentiles of any kind come from it, and are those that were told.
 *
 * Shape: non-empty buckets only, ascending; see `Histogram` for their values.
 */
export interface StoredHistogram {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly counts: readonly (readonly [bucket: number, count: number])[];
}

/** The value of the records with a rank above `after`, up to `upTo`. */
export interface Rise {
  readonly after: number;
  readonly upTo: number;
  /** In µs. */
  readonly value: number;
}

/**
 * A log-linear histogram of whole microseconds.
 *
 *     value   0 … 127 | 128 … 255 | 256 … 511 | 512 … 1023 | …
 *     width      1          1           2           4        …     128 buckets in each column
 *
 * Shape: quantiles are within 0.4 % of a recorded value; count, min, max and sum are exact.
 */
export class Histogram implements HistogramData {
  readonly counts: Uint32Array | Float64Array;
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = 0;
  sum = 0;

  private constructor(counts: Uint32Array | Float64Array) {
    this.counts = counts;
  }

  /** For recording: 32-bit counts, meant to be emptied every second. */
  static createRecorder(): Histogram {
    return new Histogram(new Uint32Array(BUCKETS));
  }

  /** For adding up a whole run: counts that do not wrap. */
  static createTotal(): Histogram {
    return new Histogram(new Float64Array(BUCKETS));
  }

  /** What was kept, as it was. Errors: null for what no histogram has kept. */
  static fromStored(kept: StoredHistogram): Histogram | null {
    const histogram = Histogram.createTotal();
    for (const [bucket, count] of kept.counts) {
      if (!Number.isInteger(bucket) || bucket < 0 || bucket >= BUCKETS || !(count > 0)) return null;
      histogram.counts[bucket] = count;
      histogram.count += count;
    }
    histogram.min = kept.min;
    histogram.max = kept.max;
    histogram.sum = kept.sum;
    return histogram;
  }

  /** Null without records. */
  toStored(): StoredHistogram | null {
    if (this.count === 0) return null;
    const counts: [bucket: number, count: number][] = [];
    this.counts.forEach((count, bucket) => {
      if (count > 0) counts.push([bucket, count]);
    });
    const { min, max, sum } = this;
    return { min, max, sum, counts };
  }

  /** Records a value in µs; fractions are cut, values outside the range are recorded as its ends. */
  record(microseconds: number): void {
    const value = microseconds >= MAX_VALUE ? MAX_VALUE : microseconds > 0 ? microseconds | 0 : 0;
    const bucket = bucketOf(value);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.count++;
    this.sum += value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Records so many values in µs, evenly from one down to another; a great many of them in a thousand steps. */
  recordEvenly(count: number, from: number, to: number): void {
    const steps = Math.min(count, MAX_STEPS);
    let recorded = 0;
    for (let step = 0; step < steps; step++) {
      const upTo = Math.round((count * (step + 1)) / steps);
      this.recordMany(upTo - recorded, Math.floor(from - ((from - to) * step) / steps));
      recorded = upTo;
    }
  }

  /** Records a value in whole µs so many times. */
  recordMany(count: number, value: number): void {
    const bucket = bucketOf(value);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
    this.count += count;
    this.sum += count * value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Adds all that another one holds. */
  add(other: HistogramData): void {
    if (other.count === 0) return;
    const { counts } = other;
    const last = bucketOf(other.max);
    for (let bucket = bucketOf(other.min); bucket <= last; bucket++) {
      const count = counts[bucket] ?? 0;
      if (count !== 0) this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
    }
    this.count += other.count;
    this.sum += other.sum;
    if (other.min < this.min) this.min = other.min;
    if (other.max > this.max) this.max = other.max;
  }

  /** Adds the records of up to a value in µs, as far as whole buckets tell them; sum and ends are then those of buckets. */
  addUpTo(other: HistogramData, largest: number): void {
    if (other.count === 0 || other.min > largest) return;
    if (other.max <= largest) {
      this.add(other);
      return;
    }
    for (let bucket = bucketOf(other.min); bucket < bucketOf(Math.min(largest, MAX_VALUE)); bucket++) {
      const count = other.counts[bucket] ?? 0;
      if (count === 0) continue;
      const value = Math.max(other.min, middleOf(bucket));
      this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
      this.count += count;
      this.sum += count * value;
      if (value < this.min) this.min = value;
      if (value > this.max) this.max = value;
    }
  }

  /** A copy, with all records that one histogram has and another, which is a part of it, has not. */
  with(whole: Histogram, part: Histogram): Histogram {
    const rest = Histogram.createTotal();
    rest.add(this);
    whole.counts.forEach((count, bucket) => {
      const more = count - (part.counts[bucket] ?? 0);
      if (more > 0) rest.counts[bucket] = (rest.counts[bucket] ?? 0) + more;
    });
    rest.count += whole.count - part.count;
    rest.sum += whole.sum - part.sum;
    rest.min = Math.min(rest.min, whole.min);
    rest.max = Math.max(rest.max, whole.max);
    return rest;
  }

  /** The value in µs below or at which a share of all records lies, 0 to 1; null without records. */
  quantile(share: number): number | null {
    return this.count === 0 ? null : this.atRank(rankOf(share, this.count));
  }

  /** The value in µs of a record, counted from 1 upwards in their order; of the largest beyond that. */
  atRank(rank: number): number {
    let seen = 0;
    for (let bucket = 0; bucket < this.counts.length; bucket++) {
      seen += this.counts[bucket] ?? 0;
      if (seen >= rank) return Math.min(this.max, Math.max(this.min, middleOf(bucket)));
    }
    return this.max;
  }

  /** The values in µs by rank, ascending, where so many records of no time at all come first. */
  rises(before: number): readonly Rise[] {
    const rises: Rise[] = [];
    let seen = before;
    this.counts.forEach((count, bucket) => {
      if (count === 0) return;
      const value = Math.min(this.max, Math.max(this.min, middleOf(bucket)));
      rises.push({ after: seen, upTo: seen + count, value });
      seen += count;
    });
    return rises;
  }

  /** Records whose bucket lies above a value in µs. */
  countAbove(microseconds: number): number {
    let count = 0;
    for (let bucket = bucketOf(microseconds) + 1; bucket < this.counts.length; bucket++) {
      count += this.counts[bucket] ?? 0;
    }
    return count;
  }

  mean(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }
}

/** The first value in µs, from one on, that no quantile tells as less than that one. */
export function firstReportedAtLeast(microseconds: number): number {
  const value = Math.min(MAX_VALUE, Math.ceil(microseconds));
  let bucket = bucketOf(value);
  if (middleOf(bucket) >= value) return value;
  bucket++;
  return bucket < BUCKETS ? startOf(bucket) : MAX_VALUE;
}

/** The last value in whole µs, up to one, that no quantile tells as more than that one. */
export function lastReportedAtMost(microseconds: number): number {
  const value = Math.min(MAX_VALUE, Math.max(0, Math.floor(microseconds)));
  const bucket = bucketOf(value);
  return middleOf(bucket) <= value ? value : startOf(bucket) - 1;
}

/** The value in µs of a record of what was kept, counted from 1 upwards in their order: as `atRank` tells it. */
export function storedValueAtRank({ min, max, counts }: StoredHistogram, rank: number): number {
  let seen = 0;
  for (const [bucket, count] of counts) {
    seen += count;
    if (seen >= rank) return Math.min(max, Math.max(min, middleOf(bucket)));
  }
  return max;
}

/** Which of so many records, in their order and counted from 1, a quantile is. */
export function rankOf(share: number, count: number): number {
  // Rounding the product first keeps 0.07 · 100 from asking for the eighth.
  return Math.min(count, Math.max(1, Math.ceil(Number((share * count).toFixed(6)))));
}

/** Of a value in whole µs. */
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
  return bucket < SUB_BUCKETS ? 1 : 2 ** ((bucket >>> SUB_BITS) - 1);
}
