/**
 * Mailbox of a worker: a stream of messages from the service to one worker. A shard offer may be large, so the stream
 * contains only a reference to the offer. The offer is sealed and stored in chunks.
 */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { KEY_TTL_MS, chunkKey, mailboxKey } from './redis-keys.ts';
import type { MailboxMessage, OfferReference, ShardOffer } from './cluster-messages.ts';
import { encodeJson, MALFORMED_MESSAGE, readOffer } from './message-codec.ts';
import type { Seal, SealBinding } from './seal.ts';
import { sendSealed, type MessageBinding, type SealedStream } from './sealed-stream.ts';

/** Maximum size of a chunk; limited so that a large offer does not delay other messages. */
const MAX_CHUNK_BYTES = 1024 * 1024;

/** Approximate maximum number of messages in a mailbox; high enough that a valid offer is not normally trimmed. */
const MAX_MAILBOX_MESSAGES = 100;

export function mailboxOf(workerId: string): SealedStream {
  return {
    key: mailboxKey(workerId),
    purpose: 'mailbox',
    runId: '',
    maxLength: MAX_MAILBOX_MESSAGES,
    isReplaceable: true,
    ttlMs: KEY_TTL_MS.mailbox,
  };
}

export async function sendOffer(redis: Redis, seal: Seal, offer: ShardOffer): Promise<void> {
  const { runId, epoch, workerId, expires } = offer;
  const binding = { epoch, workerId, ordinal: expires };
  const sealed = seal.seal(offerBindingOf(runId, binding), encodeJson(offer));
  const chunks = await storeChunks(redis, sealed);
  await sendToMailbox(redis, seal, binding, { kind: 'offer', runId, chunks });
}

export async function sendDrain(redis: Redis, seal: Seal, workerId: string): Promise<void> {
  await sendToMailbox(redis, seal, { epoch: 0, workerId, ordinal: 0 }, { kind: 'drain' });
}

/** Returns the offer that a mailbox message refers to, or the reason if the offer cannot be read. */
export async function fetchOffer(
  redis: Redis,
  seal: Seal,
  binding: MessageBinding,
  { runId, chunks }: OfferReference,
): Promise<ShardOffer | string> {
  const sealed = await fetchChunks(redis, chunks);
  const text = sealed && seal.open(offerBindingOf(runId, binding), sealed);
  if (text === null) return 'the chunks of the shard offer are missing or invalid';
  return readOffer(text) ?? MALFORMED_MESSAGE;
}

async function sendToMailbox(
  redis: Redis,
  seal: Seal,
  binding: MessageBinding,
  message: MailboxMessage,
): Promise<void> {
  const to = { seal, stream: mailboxOf(binding.workerId) };
  await sendSealed(redis, to, binding, encodeJson(message));
}

function offerBindingOf(runId: string, { epoch, workerId, ordinal }: MessageBinding): SealBinding {
  return { purpose: 'offer', runId, epoch, workerId, ordinal };
}

async function storeChunks(redis: Redis, sealed: Buffer): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let from = 0; from < sealed.length; from += MAX_CHUNK_BYTES) {
    const id = randomBytes(16).toString('hex');
    await redis.set(chunkKey(id), sealed.subarray(from, from + MAX_CHUNK_BYTES), 'PX', KEY_TTL_MS.mailbox);
    ids.push(id);
  }
  return ids;
}

/** Returns null if a chunk is missing, too large or unreadable. */
async function fetchChunks(redis: Redis, ids: readonly string[]): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for (const id of ids) {
    const chunk = await redis.getrangeBuffer(chunkKey(id), 0, MAX_CHUNK_BYTES).catch(() => null);
    if (chunk === null || chunk.length === 0 || chunk.length > MAX_CHUNK_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
