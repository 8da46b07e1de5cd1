/** Idempotent writes. Repeated and concurrent requests with one idempotency key share one successful execution. */
import { createHash } from 'node:crypto';
import { canonical, type Json } from '../../core/canonical.ts';
import { unprocessable } from '../refusal.ts';
import type { IdempotencyStore } from '../store/idempotency-store.ts';

export interface KeyedRequest {
  readonly key: string | null;
  /** Route, IDs and body, which identify the request. */
  readonly content: Json;
}

/**
 * Stores the response for the idempotency key of the request, if any. Must be called in the transaction that performs
 * the work.
 */
export type SaveResponse = (response: Json) => void;

/**
 * Performs requests and stores their responses by idempotency key. Errors are not stored, because refused requests
 * change nothing and may succeed later, for example after a host is verified.
 */
export class Idempotency {
  readonly #store: IdempotencyStore;
  readonly #now: () => number;
  readonly #pending = new Map<string, { readonly request: string; readonly response: Promise<Json> }>();

  constructor(store: IdempotencyStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Performs the work, or returns the response to the earlier request with the same key.
   * @throws Refusal 422 if the key is malformed or was used for a different request; errors of the work.
   */
  async once(keyed: KeyedRequest, work: (saveResponse: SaveResponse) => Promise<Json>): Promise<Json> {
    const { key } = keyed;
    if (key === null) return await work(() => undefined);
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw unprocessable(
        'the idempotency key must consist of 1 to 255 printable ASCII characters other than spaces',
      );
    }
    const request = createHash('sha256').update(canonical(keyed.content)).digest('hex');
    const earlier = this.#store.get(key) ?? this.#pending.get(key);
    if (earlier !== undefined && earlier.request !== request) {
      throw unprocessable('the idempotency key was used for a different request; use a new key');
    }
    if (earlier !== undefined) return await parseResponse(earlier.response);
    const response = work((value) =>
      this.#store.insert(key, { request, status: 200, response: JSON.stringify(value) }, this.#now()),
    );
    this.#pending.set(key, { request, response });
    try {
      return await response;
    } finally {
      this.#pending.delete(key);
    }
  }
}

async function parseResponse(response: string | Promise<Json>): Promise<Json> {
  // Only `once` stores responses, as JSON text.
  return typeof response === 'string' ? (JSON.parse(response) as Json) : await response;
}
