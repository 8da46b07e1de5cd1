/**
 * Arrival times in Redis of the latest second that a service acknowledged, from which leases run. A slow
 * reader, or one that misses removed or lost messages, reports a later time, never an earlier one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  STREAM_START,
  fromWorkersStream,
  receiveSealed,
  toWorkersStream,
} from '../../src/cluster/sealed-stream.ts';
import type { ServiceMessage } from '../../src/cluster/cluster-messages.ts';
import type { Seal } from '../../src/cluster/seal.ts';

/** Arrival times and acknowledgments. Times are those of Redis, in ms. */
export class AcknowledgedTimes {
  readonly #arrived = new Map<string, number>();
  readonly #acknowledged = new Map<string, number>();
  #atLeast = 0;

  /** Records a message of a worker. A repeated or forged message has a later time. */
  arrived(workerId: string, ordinal: number, at: number): void {
    recordFirst(this.#arrived, `${workerId} ${ordinal}`, at);
  }

  acknowledge(message: ServiceMessage, at: number): void {
    if (message.kind === 'start') this.#atLeast = Math.max(this.#atLeast, message.startAt);
    if (message.kind !== 'acknowledged') return;
    for (const [workerId, ordinal] of Object.entries(message.merged)) {
      if (ordinal >= 0) recordFirst(this.#acknowledged, `${workerId} ${ordinal}`, at);
    }
  }

  /** Records that Redis lost its messages; it was available until then. */
  lost(until: number): void {
    this.#atLeast = Math.max(this.#atLeast, until);
  }

  /**
   * Returns the latest arrival time of an acknowledged message, or the time of its acknowledgment if its
   * arrival was not recorded.
   */
  newest(): number {
    const times = [...this.#acknowledged].map(
      ([key, acknowledgedAt]) => this.#arrived.get(key) ?? acknowledgedAt,
    );
    return Math.max(this.#atLeast, ...times);
  }
}

function recordFirst(times: Map<string, number>, key: string, at: number): void {
  const known = times.get(key);
  if (known === undefined || at < known) times.set(key, at);
}

/** Follows both streams of a run while Redis is available. */
export function followStreams(
  port: number,
  runId: string,
  seal: Seal,
): { readonly stop: () => Promise<number> } {
  const redis = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: 0, retryStrategy: () => 100 });
  redis.on('error', () => undefined);
  const [fromWorkers, toWorkers] = [fromWorkersStream(runId), toWorkersStream(runId)];
  const times = new AcknowledgedTimes();
  const after = { fromWorkers: STREAM_START, toWorkers: STREAM_START };
  /** Time since which Redis has been unavailable. */
  let unavailableSince: number | null = null;
  const readStreams = async (): Promise<void> => {
    if (unavailableSince !== null && after.toWorkers !== STREAM_START) {
      const [last] = await redis.xrange(toWorkers.key, after.toWorkers, after.toWorkers);
      if (last === undefined) times.lost(unavailableSince);
    }
    unavailableSince = null;
    const serviceMessages = await receiveSealed(redis, { seal, stream: toWorkers }, after.toWorkers, 1);
    after.toWorkers = serviceMessages.last;
    for (const { id, body } of serviceMessages.messages) {
      // The service sealed the message.
      times.acknowledge(JSON.parse(body.toString('utf8')) as ServiceMessage, streamTimeOf(id));
    }
    const workerMessages = await receiveSealed(
      redis,
      { seal, stream: fromWorkers },
      after.fromWorkers,
      BLOCK_MS,
    );
    after.fromWorkers = workerMessages.last;
    for (const { id, workerId, ordinal } of workerMessages.messages)
      times.arrived(workerId, ordinal, streamTimeOf(id));
  };
  const stopping = new AbortController();
  const following = (async () => {
    while (!stopping.signal.aborted) {
      await readStreams().catch(() => (unavailableSince ??= Date.now()));
      await sleep(READ_INTERVAL_MS);
    }
    await readStreams().catch(() => undefined);
    redis.disconnect();
  })();
  return {
    stop: async () => {
      stopping.abort();
      await following;
      return times.newest();
    },
  };
}

/** Pause between two readings. Messages contain their times, so a pause delays only the detection of an outage. */
const READ_INTERVAL_MS = 100;

/** Time for which one reading waits for messages of workers. */
const BLOCK_MS = 100;

/** Returns the time of a stream entry, which is the start of its id. */
function streamTimeOf(id: string): number {
  return Number(id.split('-')[0]);
}
