/**
 * Alternating runs in pairs (A B A B), so that changes in the speed of the machine affect all subjects
 * equally.
 */

/**
 * Runs the subjects alternately.
 *
 * @param subjects - `{ name, sample: async () => sample }`; the others are compared with the first.
 */
export async function alternate(rounds, subjects) {
  const samples = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, sample } of subjects) samples.get(name).push(await sample());
  }
  return samples;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function medianOf(samples, metric) {
  return median(samples.map((sample) => sample[metric]));
}

/**
 * Returns the median of the ratios within each pair. It is more stable than the ratio of medians while the
 * speed of the machine changes.
 */
export function pairedRatio(samples, to, metric) {
  return median(samples.map((sample, round) => sample[metric] / to[round][metric]));
}

/** Returns the median of the differences within each pair. */
export function pairedDifference(samples, to, metric) {
  return median(samples.map((sample, round) => sample[metric] - to[round][metric]));
}
