/** Iteration accounting: it counts the iterations of a thread and records their durations. */
import { lastReportedAtMost } from '../core/load/histogram.ts';
import type { Client } from './client.ts';
import type { SnapshotRecorder } from './snapshot-recorder.ts';

export class IterationAccounting {
  readonly #recorder: SnapshotRecorder;

  constructor(recorder: SnapshotRecorder) {
    this.#recorder = recorder;
  }

  /**
   * Counts an iteration that begins.
   * @param since - Instant from which its duration is measured.
   */
  begin(client: Client, since: number, isWarmup: boolean): void {
    client.iterationState = isWarmup ? 'warmup' : 'measured';
    client.iterationSince = since;
    client.minDuration = 0;
    client.lastEnd = -1;
    client.lacksResponse = false;
    if (!isWarmup) this.#recorder.iterations(client.iteration.flow).started++;
  }

  /**
   * Counts the client's iteration, which has ended, once.
   * @param isCut - True if a failed request ended it early.
   */
  end(client: Client, isCut = false): void {
    const { iterationState, lastEnd } = client;
    if (iterationState === 'ended') return;
    client.iterationState = 'ended';
    const tally = this.#recorder.iterations(client.iteration.flow);
    if (iterationState === 'warmup') {
      tally.endedInWarmup++;
    } else if (isCut) {
      tally.failed++;
    } else {
      tally.completed++;
      if (!this.#recorder.measuresIterations || lastEnd < 0 || client.lacksResponse) return;
      const duration = lastEnd - client.iterationSince;
      const min = Math.min(duration, client.minDuration);
      tally.durations.record(duration * 1000);
      if (min > 0) tally.lowerBounds.record(lastReportedAtMost(min * 1000));
    }
  }
}
