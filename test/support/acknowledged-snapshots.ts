/**
 * When the newest second that a service acknowledged had arrived in Redis: from then on leases run. Whoever reads along
 * may be slow, and may miss what is trimmed or lost: then it is told as later than it was, never as earlier.
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

/** Times are Redis', in ms. */
export class AcknowledgedTimes {
  readonly #arrived = new Map<string, number>();
  readonly #named = new Map<string, number>();
  #atLeast = 0;

  /** Something that a worker told lies in Redis. What is sent once more, or forged, comes later than it did. */
  arrived(workerId: string, ordinal: number, at: number): void {
    recordFirst(this.#arrived, `${workerId} ${ordinal}`, at);
  }

  acknowledge(message: ServiceMessage, at: number): void {
    if (message.kind === 'start') this.#atLeast = Math.max(this.#atLeast, message.startAt);
    if (message.kind !== 'acknowledged') return;
    for (const [workerId, ordinal] of Object.entries(message.merged)) {
      if (ordinal >= 0) recordFirst(this.#named, `${workerId} ${ordinal}`, at);
    }
  }

  /** Redis was there until then, and has forgotten what was said in it. */
  lost(until: number): void {
    this.#atLeast = Math.max(this.#atLeast, until);
  }

  /** What was acknowledged had arrived before, even where nobody saw it arrive. */
  newest(): number {
    const times = [...this.#named].map(([which, named]) => this.#arrived.get(which) ?? named);
    return Math.max(this.#atLeast, ...times);
  }
}

function recordFirst(times: Map<string, number>, which: string, at: number): void {
  const known = times.get(which);
  if (known === undefined || at < known) times.set(which, at);
}

/** Follows both streams of a run, as far as Redis lets it. */
export function followStreams(
  port: number,
  runId: string,
  seal: Seal,
): { readonly stop: () => Promise<number> } {
  const redis = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: 0, retryStrategy: () => 100 });
  redis.on('error', () => undefined);
  const [of, to] = [fromWorkersStream(runId), toWorkersStream(runId)];
  const seen = new AcknowledgedTimes();
  const after = { of: STREAM_START, to: STREAM_START };
  /** Since when Redis has been away. */
  let away: number | null = null;
  const look = async (): Promise<void> => {
    if (away !== null && after.to !== STREAM_START) {
      const [last] = await redis.xrange(to.key, after.to, after.to);
      if (last === undefined) seen.lost(away);
    }
    away = null;
    const said = await receiveSealed(redis, { seal, box: to }, after.to, 1);
    after.to = said.last;
    for (const { id, body } of said.letters) {
      // Sealed by the service.
      seen.acknowledge(JSON.parse(body.toString('utf8')) as ServiceMessage, streamTimeOf(id));
    }
    const told = await receiveSealed(redis, { seal, box: of }, after.of, BLOCK_MS);
    after.of = told.last;
    for (const { id, workerId, ordinal } of told.letters) seen.arrived(workerId, ordinal, streamTimeOf(id));
  };
  const stopping = new AbortController();
  const following = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => (away ??= Date.now()));
      await sleep(30);
    }
    await look().catch(() => undefined);
    redis.disconnect();
  })();
  return {
    stop: async () => {
      stopping.abort();
      await following;
      return seen.newest();
    },
  };
}

/** How long one look waits for what workers tell. */
const BLOCK_MS = 100;

/** Of an entry of a stream: its id begins with it. */
function streamTimeOf(id: string): number {
  return Number(id.split('-')[0]);
}
