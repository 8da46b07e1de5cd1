/**
 * The mailbox of a worker: a queue of its own, so that nobody else can pick its parts up, and none is ever made twice. A
 * part that does not fit into a message lies beside it, in pieces.
 */
import { randomBytes } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { KEY_TTL_MS, mailboxNameOf, chunkKey, KEY_PREFIX } from './redis-keys.ts';
import type { Envelope, ShardOffer } from './cluster-messages.ts';
import { isEnvelope, MALFORMED_MESSAGE, readOffer } from './message-validation.ts';
import type { Seal, SealBinding } from './seal.ts';

const JOB_NAME = 'part';

/** Bytes of a message, and of a piece. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * How long one look into the mailbox may wait, in s: after Redis was away, a look that was lost on the way is given up
 * a second later. And the wait before the next look where one failed, in ms. Both together are shorter than a worker has
 * to get ready.
 */
const POLL_SECONDS = 2;
const POLL_RETRY_MS = 500;

/** What BullMQ keeps for a queue, behind its name. */
const QUEUE_KEYS = [
  ...['id', 'meta', 'wait', 'active', 'paused', 'delayed', 'prioritized', 'completed', 'failed', 'stalled'],
  ...['stalled-check', 'events', 'marker', 'pc', 'limiter', 'waiting-children', 'repeat', 'de'],
];

/** The mailboxes of all workers, as the service sees them. */
export class Mailboxes {
  readonly #redis: Redis;
  readonly #seal: Seal;
  readonly #queues = new Map<string, Queue<Envelope>>();

  constructor(redis: Redis, seal: Seal) {
    this.#redis = redis;
    this.#seal = seal;
  }

  async offer(offer: ShardOffer): Promise<void> {
    const { runId, epoch, workerId, expires } = offer;
    const sealed = this.#seal.seal(shardBindingOf(offer), Buffer.from(JSON.stringify(offer)));
    const whole = sealed.length <= MAX_MESSAGE_BYTES;
    const envelope: Envelope = {
      ...{ runId, epoch, workerId, expires },
      sealed: whole ? sealed.toString('base64') : null,
      chunks: whole ? [] : await this.#putChunks(sealed),
    };
    const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    await this.#queueOf(workerId).add(JOB_NAME, envelope, options);
    await renewMailbox(this.#redis, workerId);
  }

  /** Of a worker that is gone. */
  async remove(workerId: string): Promise<void> {
    const queue = this.#queueOf(workerId);
    this.#queues.delete(workerId);
    await queue.obliterate({ force: true });
    await queue.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  async #putChunks(sealed: Buffer): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let from = 0; from < sealed.length; from += MAX_MESSAGE_BYTES) {
      const id = randomBytes(16).toString('hex');
      const piece = sealed.subarray(from, from + MAX_MESSAGE_BYTES);
      await this.#redis.set(chunkKey(id), piece, 'PX', KEY_TTL_MS.chunk);
      ids.push(id);
    }
    return ids;
  }

  #queueOf(workerId: string): Queue<Envelope> {
    const known = this.#queues.get(workerId);
    if (known !== undefined) return known;
    const queue = new Queue<Envelope>(mailboxNameOf(workerId), {
      connection: this.#redis,
      prefix: KEY_PREFIX,
    });
    // The connection tells of its troubles itself.
    queue.on('error', () => undefined);
    this.#queues.set(workerId, queue);
    return queue;
  }
}

/** A worker's own. */
export interface WorkerMailbox {
  /** Takes nothing more; what it works on goes on. */
  close(): Promise<void>;
}

export interface WorkerMailboxOptions {
  readonly redis: Redis;
  /** Blocks in Redis. */
  readonly blockingRedis: Redis;
  readonly seal: Seal;
  readonly workerId: string;
  /** One at a time: the next one is taken when this is settled. Never rejects. */
  readonly onOffer: (offer: ShardOffer) => Promise<void>;
  /** Something came that is not for this worker, or was not sealed as it should be. */
  readonly onRefusal: (reason: string) => void;
}

export function openWorkerMailbox({
  redis,
  blockingRedis,
  seal,
  workerId,
  onOffer,
  onRefusal,
}: WorkerMailboxOptions): WorkerMailbox {
  const worker = new Worker<unknown>(
    mailboxNameOf(workerId),
    async ({ data }) => {
      const own = isEnvelope(data) && data.workerId === workerId;
      const offer = own ? await openEnvelope(redis, seal, data) : NOT_SEALED;
      if (typeof offer === 'string') onRefusal(offer);
      else await onOffer(offer);
    },
    {
      ...{ connection: blockingRedis, prefix: KEY_PREFIX, concurrency: 1, maxStalledCount: 0 },
      ...{ removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } },
      ...{ drainDelay: POLL_SECONDS, runRetryDelay: POLL_RETRY_MS },
    },
  );
  worker.on('error', () => undefined);
  return {
    close: async () => {
      await worker.close(true);
    },
  };
}

/** Lets a worker's mailbox, and the parts in it, live on for a while. */
export async function renewMailbox(redis: Redis, workerId: string): Promise<void> {
  const name = `${KEY_PREFIX}:${mailboxNameOf(workerId)}`;
  const parts = await Promise.all(['wait', 'active'].map((list) => redis.lrange(`${name}:${list}`, 0, -1)));
  await Promise.all(
    [...QUEUE_KEYS, ...parts.flat()].map((key) => redis.pexpire(`${name}:${key}`, KEY_TTL_MS.mailbox)),
  );
}

function shardBindingOf({ runId, epoch, workerId, expires }: Envelope | ShardOffer): SealBinding {
  return { purpose: 'part', runId, workerId, epoch, ordinal: expires };
}

const NOT_SEALED = 'a part was not sealed for this worker with its secret';

/** Or why there is none. */
async function openEnvelope(redis: Redis, seal: Seal, envelope: Envelope): Promise<ShardOffer | string> {
  const sealed =
    envelope.sealed === null
      ? await readChunks(redis, envelope.chunks)
      : Buffer.from(envelope.sealed, 'base64');
  if (sealed === null) return 'the pieces of a part are not there, or are none';
  const text = seal.open(shardBindingOf(envelope), sealed);
  if (text === null) return NOT_SEALED;
  return readOffer(text) ?? MALFORMED_MESSAGE;
}

/** Null: one of them is gone, larger than a piece can be, or no piece at all. */
async function readChunks(redis: Redis, ids: readonly string[]): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  for (const id of ids) {
    const piece = await redis.getBuffer(chunkKey(id)).catch(() => null);
    if (piece === null || piece.length > MAX_MESSAGE_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
