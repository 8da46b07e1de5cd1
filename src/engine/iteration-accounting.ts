/** Counts the iterations of a thread and records their durations. */
import { lastReportedAtMost } from '../core/load/histogram.ts';
import { NO_ITERATION, UNDERWAY, WARMING_UP, type Client } from './client.ts';
import type { SnapshotRecorder } from './snapshot-recorder.ts';

export class IterationAccounting {
  readonly #recorder: SnapshotRecorder;

  constructor(recorder: SnapshotRecorder) {
    this.#recorder = recorder;
  }

  /** @param since - Time from which the duration of the iteration is measured. */
  begin(client: Client, since: number, isWarmup: boolean): void {
    client.iterationState = isWarmup ? WARMING_UP : UNDERWAY;
    client.iterationSince = since;
    client.lacksResponse = false;
    client.hasError = false;
    if (!isWarmup) this.#recorder.iterations(client.iteration.flow).started++;
    if (!this.#recorder.measuresIterations) return;
    client.minDuration = 0;
    client.lastEnd = -1;
  }

  /**
   * Ends the iteration of a client, if the client is in one.
   * @param isCut - True if a failed request ended the iteration early.
   */
  end(client: Client, isCut = false): void {
    const { iterationState } = client;
    if (iterationState === NO_ITERATION) return;
    client.iterationState = NO_ITERATION;
    const tally = this.#recorder.iterations(client.iteration.flow);
    if (iterationState === WARMING_UP) {
      tally.endedInWarmup++;
      return;
    }
    if (client.hasError) tally.withErrors++;
    if (isCut) {
      tally.failed++;
    } else {
      tally.completed++;
      if (!this.#recorder.measuresIterations) return;
      const { lastEnd } = client;
      if (lastEnd < 0 || client.lacksResponse) return;
      const duration = lastEnd - client.iterationSince;
      const min = Math.min(duration, client.minDuration);
      tally.durations.record(duration * 1000);
      if (min > 0) tally.lowerBounds.record(lastReportedAtMost(min * 1000));
    }
  }
}
