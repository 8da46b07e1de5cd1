import type { EvaluatedThreshold } from '../model/run-verdict.ts';
import { parseThreshold, verdictWithin, type ValueRange } from '../model/threshold.ts';
import type { MachineRecord } from '../run-record/run-record.ts';
import { isSaturated, NOT_DELIVERED } from './uncertainty.ts';

/** Reason for a missing verdict: the load generator, or too few responses. */
export type DoubtCause = 'generator' | 'samples';

export const ADVICE: Readonly<Record<DoubtCause, string>> = {
  generator: 'reduce the load, or use a load generator with more cores or fewer other processes',
  samples:
    'run the test longer or with more load, use a lower percentile, or set "min_samples" to a lower number',
};

type DoubtfulThreshold = Pick<EvaluatedThreshold, 'metric' | 'limit' | 'value' | 'verdict'> & {
  readonly bounds?: ValueRange;
  readonly reason?: string | null;
};

/**
 * Returns the reason why a run is inconclusive; null if neither the load generator nor the number of responses is the
 * reason.
 * @param reason - reason that applies to the whole run
 */
export function doubtCause({
  reason,
  thresholds,
}: {
  readonly reason: string | null;
  readonly thresholds: readonly DoubtfulThreshold[];
}): DoubtCause | null {
  const doubtful = thresholds.filter(
    (one) => one.verdict === 'inconclusive' && one.reason != null && conditionOf(one) !== null,
  );
  if (reason?.startsWith(NOT_DELIVERED) === true || !doubtful.every(lacksSamples)) return 'generator';
  return doubtful.length > 0 ? 'samples' : null;
}

/** Returns the parsed condition of a threshold; null for a regression threshold. */
function conditionOf({ metric, limit }: DoubtfulThreshold) {
  return parseThreshold(metric, limit);
}

/** Reports whether a threshold is inconclusive only because there are too few responses. */
export function lacksSamples(threshold: DoubtfulThreshold): boolean {
  const { value, bounds, verdict } = threshold;
  const condition = conditionOf(threshold);
  if (verdict !== 'inconclusive' || value === null || condition === null) return false;
  return verdictWithin(bounds ?? { low: value, high: value }, condition) !== 'inconclusive';
}

/** Returns advice for a run that has no verdict because of its load generator. */
export function lessLoadAdvice(machine: MachineRecord | null): string {
  if (machine === null || !isSaturated(machine)) return ADVICE.generator;
  const { threadReason, threadLoads, quota } = machine;
  const cores = machine.cores ?? 0;
  switch (threadReason) {
    case 'asked':
    case 'load':
      return threadLoads.length < Math.floor(Math.min(cores, quota ?? cores))
        ? `reduce the load, or use more threads: --threads ${threadLoads.length + 1} or higher`
        : ADVICE.generator;
    case 'target':
      return 'reduce the load, or run the load generator and the target on different machines';
    case 'quota':
      return 'reduce the load, or raise the CPU limit of the container or service';
    case 'cores':
    case 'runs':
    case null:
      return ADVICE.generator;
  }
}
