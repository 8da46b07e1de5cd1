/** The caller's key: header only, compared in constant time, and not to be guessed at. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_AUTH_HEADER } from '../contract/routes.ts';
import type { Secret } from '../core/model/secret.ts';
import { Refusal } from './refusal.ts';
import { createGuessLimiter } from './guess-limiter.ts';

/** What a request brings along. */
export interface Credentials {
  readonly header: string | readonly string[] | undefined;
  /** Target of the request, with its query. */
  readonly url: string;
  /** Whom wrong keys are counted against: an address, or a network of one owner. */
  readonly clientAddress: string;
}

/** Why a request is not let in: a Refusal 401, or 429 while wrong keys come; null when it is. */
export type KeyCheck = (given: Credentials) => Refusal | null;

/** Names of parameters that callers of the hosted service, or of others, put keys into. */
const KEY_PARAMETERS = /^(?:(?:api[-_]?)?key|service-auth)$/i;

/**
 * Gives a check that holds the key's digest, never the key.
 *
 * Shape: while a visitor's wrong keys come too fast, none of its keys is looked at before its turn, so that the right
 *        one cannot be told from others by how it is answered. Other visitors notice nothing.
 */
export function createKeyCheck(key: Secret, now: () => number): KeyCheck {
  const wanted = digest(key.reveal());
  const turns = createGuessLimiter(now);
  return ({ header, url, clientAddress }) => {
    if (hasKeyParameter(url)) {
      const text = `the API key must be sent in the header "${DEFAULT_AUTH_HEADER}", not in a URL, which others may see`;
      return new Refusal(401, [text]);
    }
    if (header === undefined) {
      return new Refusal(401, [`the API key is missing; send it in the header "${DEFAULT_AUTH_HEADER}"`]);
    }
    const retryAfter = turns.waitSecondsOf(clientAddress);
    if (retryAfter !== null) {
      return new Refusal(429, ['too many wrong API keys; wait for your turn'], { retryAfter });
    }
    if (typeof header === 'string' && timingSafeEqual(digest(header), wanted)) return null;
    turns.recordFailure(clientAddress);
    return new Refusal(401, ['wrong API key']);
  };
}

function hasKeyParameter(url: string): boolean {
  const query = url.indexOf('?');
  if (query === -1) return false;
  return [...new URLSearchParams(url.slice(query)).keys()].some((name) => KEY_PARAMETERS.test(name));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
