/**
 * Mailbox of a worker: a queue of its own, so that no other worker takes its shards and none is run twice. An
 * offer that is too large for one message is stored in chunks.
 */
import { randomBytes } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { KEY_TTL_MS, mailboxNameOf, chunkKey, KEY_PREFIX } from './redis-keys.ts';
import type { Envelope, ShardOffer } from './cluster-messages.ts';
import { isEnvelope, MALFORMED_MESSAGE, readOffer } from './message-validation.ts';
import type { Seal, SealBinding } from './seal.ts';

const JOB_NAME = 'part';

/** Maximum size of a message and of a chunk. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Timeout of one poll of the mailbox, in s, and delay after a failed poll, in ms. A poll that is lost while
 * Redis is unavailable is abandoned one second after its timeout. Together they are shorter than the time a
 * worker has to get ready.
 */
const POLL_SECONDS = 2;
const POLL_RETRY_MS = 500;

/** Suffixes of the keys that BullMQ uses for a queue. */
const QUEUE_KEYS = [
  ...['id', 'meta', 'wait', 'active', 'paused', 'delayed', 'prioritized', 'completed', 'failed', 'stalled'],
  ...['stalled-check', 'events', 'marker', 'pc', 'limiter', 'waiting-children', 'repeat', 'de'],
];

/** Mailboxes of all workers, as seen by the service. */
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
    const fits = sealed.length <= MAX_MESSAGE_BYTES;
    const envelope: Envelope = {
      runId,
      epoch,
      workerId,
      expires,
      sealed: fits ? sealed.toString('base64') : null,
      chunks: fits ? [] : await this.#putChunks(sealed),
    };
    const options = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    await this.#queueOf(workerId).add(JOB_NAME, envelope, options);
    await renewMailbox(this.#redis, workerId);
  }

  /** Deletes the mailbox of a worker that is gone. */
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
      const chunk = sealed.subarray(from, from + MAX_MESSAGE_BYTES);
      await this.#redis.set(chunkKey(id), chunk, 'PX', KEY_TTL_MS.chunk);
      ids.push(id);
    }
    return ids;
  }

  #queueOf(workerId: string): Queue<Envelope> {
    const existing = this.#queues.get(workerId);
    if (existing !== undefined) return existing;
    const queue = new Queue<Envelope>(mailboxNameOf(workerId), {
      connection: this.#redis,
      prefix: KEY_PREFIX,
    });
    // The connection reports its own errors.
    queue.on('error', () => undefined);
    this.#queues.set(workerId, queue);
    return queue;
  }
}

/** Mailbox of one worker, as seen by the worker. */
export interface WorkerMailbox {
  /** Stops accepting offers. An offer in progress continues. */
  close(): Promise<void>;
}

export interface WorkerMailboxOptions {
  readonly redis: Redis;
  /** Connection that blocks in Redis. */
  readonly blockingRedis: Redis;
  readonly seal: Seal;
  readonly workerId: string;
  /** Handles one offer; the next is taken after this promise settles. Must not reject. */
  readonly onOffer: (offer: ShardOffer) => Promise<void>;
  /** Reports an offer that is invalid, incorrectly sealed or addressed to another worker. */
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
      const isOwn = isEnvelope(data) && data.workerId === workerId;
      const offer = isOwn ? await openEnvelope(redis, seal, data) : NOT_SEALED;
      if (typeof offer === 'string') onRefusal(offer);
      else await onOffer(offer);
    },
    {
      connection: blockingRedis,
      prefix: KEY_PREFIX,
      concurrency: 1,
      maxStalledCount: 0,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      drainDelay: POLL_SECONDS,
      runRetryDelay: POLL_RETRY_MS,
    },
  );
  worker.on('error', () => undefined);
  return {
    close: async () => {
      await worker.close(true);
    },
  };
}

/** Extends the lifetime of a worker's mailbox and of the offers in it. */
export async function renewMailbox(redis: Redis, workerId: string): Promise<void> {
  const name = `${KEY_PREFIX}:${mailboxNameOf(workerId)}`;
  const jobIds = await Promise.all(['wait', 'active'].map((list) => redis.lrange(`${name}:${list}`, 0, -1)));
  await Promise.all(
    [...QUEUE_KEYS, ...jobIds.flat()].map((key) => redis.pexpire(`${name}:${key}`, KEY_TTL_MS.mailbox)),
  );
}

function shardBindingOf({ runId, epoch, workerId, expires }: Envelope | ShardOffer): SealBinding {
  return { purpose: 'part', runId, workerId, epoch, ordinal: expires };
}

const NOT_SEALED = 'the shard offer is not sealed for this worker with its secret';

/** Opens a sealed offer. Returns a reason if it cannot be opened. */
async function openEnvelope(redis: Redis, seal: Seal, envelope: Envelope): Promise<ShardOffer | string> {
  const sealed =
    envelope.sealed === null
      ? await readChunks(redis, envelope.chunks)
      : Buffer.from(envelope.sealed, 'base64');
  if (sealed === null) return 'chunks of the shard offer are missing or invalid';
  const text = seal.open(shardBindingOf(envelope), sealed);
  if (text === null) return NOT_SEALED;
  return readOffer(text) ?? MALFORMED_MESSAGE;
}

/** Joins the chunks of an offer. Returns null if a chunk is missing or too large. */
async function readChunks(redis: Redis, ids: readonly string[]): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for (const id of ids) {
    const chunk = await redis.getBuffer(chunkKey(id)).catch(() => null);
    if (chunk === null || chunk.length > MAX_MESSAGE_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
