/**
 * Authenticated encryption of the messages that are sent through Redis, and of data in checkpoints. Each message is
 * bound to its context, so that access to Redis allows neither reading nor forging messages.
 *
 * @remarks AES-256-GCM with a random 96-bit nonce. HKDF (SHA-256) derives a key for each purpose and run from the
 * shared secret. Format: nonce, tag, ciphertext.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { setBounded } from '../core/bounded-map.ts';
import type { Secret } from '../core/model/secret.ts';

/** Context to which a message is bound. */
export interface SealBinding {
  /**
   * Location of the message: the database of the service for `checkpoint`, otherwise a key in Redis (`redis-keys.ts`).
   */
  readonly purpose: 'heartbeat' | 'offer' | 'mailbox' | 'to-workers' | 'from-workers' | 'checkpoint';
  /** ID of the run; empty if the message belongs to no run. */
  readonly runId: string;
  /** ID of the worker that receives or sends the message; empty for messages to several workers and for other data. */
  readonly workerId: string;
  readonly epoch: number;
  /** Sequence number in a stream, expiry of an offer, or time of a heartbeat; 0 for other messages. */
  readonly ordinal: number;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const MAX_CACHED_KEYS = 100;

export class Seal {
  readonly #secret: Secret;
  readonly #keys = new Map<string, Buffer>();

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  seal(binding: SealBinding, plaintext: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keyFor(binding), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(encodeBinding(binding));
    const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** Returns null if the message was modified, or sealed with another secret or for another context. */
  open(binding: SealBinding, sealed: Uint8Array): Buffer | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#keyFor(binding), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(encodeBinding(binding));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  }

  #keyFor({ purpose, runId }: SealBinding): Buffer {
    const info = JSON.stringify(['loadtests', 1, purpose, runId]);
    const cached = this.#keys.get(info);
    if (cached !== undefined) return cached;
    const key = Buffer.from(hkdfSync('sha256', this.#secret.reveal(), '', info, 32));
    setBounded(this.#keys, info, key, MAX_CACHED_KEYS);
    return key;
  }
}

function encodeBinding({ purpose, runId, workerId, epoch, ordinal }: SealBinding): Buffer {
  return Buffer.from(JSON.stringify([purpose, runId, workerId, epoch, ordinal]));
}
