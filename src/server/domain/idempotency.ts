/** Answers a write that carries a key once, however often and however much at once it is sent. */
import { createHash } from 'node:crypto';
import { canonical, type Json } from '../../core/canonical.ts';
import { unprocessable } from '../refusal.ts';
import type { IdempotencyStore } from '../store/idempotency-store.ts';

export interface KeyedRequest {
  /** Null: the request carries no key and is simply done. */
  readonly key: string | null;
  /** All that tells one request from another: route, ids, body. */
  readonly content: Json;
}

/** Called within the transaction that does the work, with the answer that will be given. */
export type SaveResponse = (response: Json) => void;

/**
 * Only done work is kept. A refusal did nothing, so asking again with the same key is judged again:
 * a host may have been verified in between.
 */
export class Idempotency {
  readonly #store: IdempotencyStore;
  readonly #now: () => number;
  /** Requests that are being worked on. */
  readonly #pending = new Map<string, { readonly request: string; readonly response: Promise<Json> }>();

  constructor(store: IdempotencyStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Errors: Refusal 422 when the key was used for another request; and those of the work. */
  async once(keyed: KeyedRequest, work: (keep: SaveResponse) => Promise<Json>): Promise<Json> {
    const { key } = keyed;
    if (key === null) return await work(() => undefined);
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw unprocessable('the idempotency key must be 1 to 255 printable ASCII characters without spaces');
    }
    const request = createHash('sha256').update(canonical(keyed.content)).digest('hex');
    const earlier = this.#store.get(key) ?? this.#pending.get(key);
    if (earlier !== undefined && earlier.request !== request) {
      throw unprocessable('the idempotency key was used for another request');
    }
    if (earlier !== undefined) return await parseResponse(earlier.response);
    const response = work((value) => {
      this.#store.insert(key, { request, status: 200, response: JSON.stringify(value) }, this.#now());
    });
    this.#pending.set(key, { request, response });
    try {
      return await response;
    } finally {
      this.#pending.delete(key);
    }
  }
}

async function parseResponse(response: string | Promise<Json>): Promise<Json> {
  return typeof response === 'string' ? (JSON.parse(response) as Json) : await response; // written by `once` alone
}
