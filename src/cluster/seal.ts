/**
 * What travels through Redis is sealed: encrypted, and bound to what it is, whom it is for and when, so that whoever can
 * read and write there learns nothing and commands nobody.
 *
 * Shape: AES-256-GCM with a random nonce of 96 bits; the keys come from the one secret by HKDF (SHA-256), another one for
 *        each purpose and run. A sealed text is nonce, tag, ciphertext.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from '../core/model/secret.ts';

/** What a text is bound to. Opened as anything else it is refused. */
export interface SealBinding {
  /** `to`, `of`: the streams of a run, see `keys.ts`. */
  readonly purpose: 'presence' | 'part' | 'to' | 'of' | 'orders';
  /** Empty where it belongs to no run. */
  readonly runId: string;
  /** Whom it is for, or of whom it is; empty: for all. */
  readonly workerId: string;
  readonly epoch: number;
  /** Of a stream: its sequence. Of a part: when it expires. */
  readonly ordinal: number;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys of the newest runs; others are derived again. */
const MAX_CACHED_KEYS = 100;

export class Seal {
  readonly #secret: Secret;
  readonly #keys = new Map<string, Buffer>();

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  seal(about: SealBinding, text: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keyFor(about), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(encodeBinding(about));
    const body = Buffer.concat([cipher.update(text), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** Null: it was not sealed with this secret, or for something else, or was changed since. */
  open(about: SealBinding, sealed: Uint8Array): Buffer | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#keyFor(about), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(encodeBinding(about));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  }

  #keyFor({ purpose, runId }: SealBinding): Buffer {
    const info = JSON.stringify(['loadtests', 1, purpose, runId]);
    const known = this.#keys.get(info);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync('sha256', this.#secret.reveal(), '', info, 32));
    const [oldest] = this.#keys.keys();
    if (this.#keys.size >= MAX_CACHED_KEYS && oldest !== undefined) this.#keys.delete(oldest);
    this.#keys.set(info, key);
    return key;
  }
}

function encodeBinding({ purpose, runId, workerId, epoch, ordinal }: SealBinding): Buffer {
  return Buffer.from(JSON.stringify([purpose, runId, workerId, epoch, ordinal]));
}
