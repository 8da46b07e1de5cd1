/** Latencies in fixed memory. Mutable on purpose: it is written to for every request. */

/** Sub-buckets per power of two: a bucket is at most 1/128 = 0.78 % wide. */
const SUB_BITS = 7;
const SUB = 1 << SUB_BITS;
/** About 35 minutes in µs; more is recorded as this. */
const LARGEST = 2 ** 31 - 1;
const BUCKETS = (31 - SUB_BITS + 1) * SUB;

/** What a histogram holds, as it travels between threads. */
export interface HistogramData {
  readonly counts: Uint32Array | Float64Array;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
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

  /** Records a value in µs; fractions are cut, values outside the range are recorded as its ends. */
  record(microseconds: number): void {
    const value = microseconds >= LARGEST ? LARGEST : microseconds > 0 ? microseconds | 0 : 0;
    const bucket = bucketOf(value);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.count++;
    this.sum += value;
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

  /** The value in µs below or at which a share of all records lies, 0 to 1; null without records. */
  quantile(share: number): number | null {
    if (this.count === 0) return null;
    // Rounding the product first keeps 0.07 · 100 from asking for the eighth.
    const wanted = Math.min(this.count, Math.max(1, Math.ceil(Number((share * this.count).toFixed(6)))));
    let seen = 0;
    for (let bucket = 0; bucket < this.counts.length; bucket++) {
      seen += this.counts[bucket] ?? 0;
      if (seen >= wanted) return Math.min(this.max, Math.max(this.min, middleOf(bucket)));
    }
    return this.max;
  }

  mean(): number | null {
    return this.count === 0 ? null : this.sum / this.count;
  }
}

function bucketOf(value: number): number {
  if (value < SUB) return value;
  const shift = 31 - SUB_BITS - Math.clz32(value);
  return ((shift + 1) << SUB_BITS) + ((value >>> shift) & (SUB - 1));
}

function middleOf(bucket: number): number {
  if (bucket < SUB) return bucket;
  const shift = (bucket >>> SUB_BITS) - 1;
  const width = 2 ** shift;
  return (SUB + (bucket & (SUB - 1))) * width + (width - 1) / 2;
}
