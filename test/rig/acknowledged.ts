/**
 * When the newest second that a service acknowledged had arrived in Redis: from then on leases run. Whoever reads along
 * may be slow, and may miss what is trimmed or lost: then it is told as later than it was, never as earlier.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { BEGINNING, ofWorkersBox, receive, toWorkersBox } from '../../src/cluster/letters.ts';
import type { ToWorkers } from '../../src/cluster/messages.ts';
import type { Seal } from '../../src/cluster/seal.ts';

/** Times are Redis', in ms. */
export class Acknowledged {
  readonly #arrived = new Map<string, number>();
  readonly #named = new Map<string, number>();
  #atLeast = 0;

  /** Something that a worker told lies in Redis. What is sent once more, or forged, comes later than it did. */
  arrived(workerId: string, mark: number, at: number): void {
    keepFirst(this.#arrived, `${workerId} ${mark}`, at);
  }

  said(message: ToWorkers, at: number): void {
    if (message.kind === 'go') this.#atLeast = Math.max(this.#atLeast, message.startAt);
    if (message.kind !== 'acknowledged') return;
    for (const [workerId, mark] of Object.entries(message.merged)) {
      if (mark >= 0) keepFirst(this.#named, `${workerId} ${mark}`, at);
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

function keepFirst(times: Map<string, number>, which: string, at: number): void {
  const known = times.get(which);
  if (known === undefined || at < known) times.set(which, at);
}

/** Follows both streams of a run, as far as Redis lets it. */
export function readAlong(port: number, runId: string, seal: Seal): { readonly stop: () => Promise<number> } {
  const redis = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: 0, retryStrategy: () => 100 });
  redis.on('error', () => undefined);
  const [of, to] = [ofWorkersBox(runId), toWorkersBox(runId)];
  const seen = new Acknowledged();
  const after = { of: BEGINNING, to: BEGINNING };
  /** Since when Redis has been away. */
  let away: number | null = null;
  const look = async (): Promise<void> => {
    if (away !== null && after.to !== BEGINNING) {
      const [last] = await redis.xrange(to.key, after.to, after.to);
      if (last === undefined) seen.lost(away);
    }
    away = null;
    const said = await receive(redis, { seal, box: to }, after.to, 1);
    after.to = said.last;
    for (const { id, body } of said.letters) {
      // Sealed by the service.
      seen.said(JSON.parse(body.toString('utf8')) as ToWorkers, timeOf(id));
    }
    const told = await receive(redis, { seal, box: of }, after.of, LISTEN_MS);
    after.of = told.last;
    for (const { id, workerId, mark } of told.letters) seen.arrived(workerId, mark, timeOf(id));
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
const LISTEN_MS = 100;

/** Of an entry of a stream: its id begins with it. */
function timeOf(id: string): number {
  return Number(id.split('-')[0]);
}
