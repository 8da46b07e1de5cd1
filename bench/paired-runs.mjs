/** Runs in turn and in pairs: A B A B, so that a noisy minute of the machine meets all of them. */

/** @param subjects `{ name, sample: async () => sample }`, the one that the others are compared with first. */
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

export function medianOf(samples, figure) {
  return median(samples.map((sample) => sample[figure]));
}

/** The median of the ratios within each pair: steadier than the ratio of medians while a machine's speed drifts. */
export function pairedRatio(samples, to, figure) {
  return median(samples.map((sample, round) => sample[figure] / to[round][figure]));
}

/** The median of the differences within each pair. */
export function pairedDifference(samples, to, figure) {
  return median(samples.map((sample, round) => sample[figure] - to[round][figure]));
}
