import { createHash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_AUTH_HEADER } from '../contract/routes.ts';
import type { Secret } from '../core/model/secret.ts';
import { Refusal } from './refusal.ts';
import { createGuessLimiter } from './guess-limiter.ts';

export interface Credentials {
  readonly header: string | readonly string[] | undefined;
  readonly url: string;
  /** Address or network of the client, for which wrong keys are counted. */
  readonly clientAddress: string;
}

/** Returns the refusal of a request: 401, or 429 after too many wrong keys; null to admit the request. */
export type KeyCheck = (credentials: Credentials) => Refusal | null;

/** Matches names of query parameters that contain API keys in requests to other services. */
const KEY_PARAMETERS = /^(?:(?:api[-_]?)?key|service-auth)$/i;

/**
 * Creates a check that stores only the digest of the key. While a client is rate limited, its keys are not checked, so
 * that responses do not reveal the right key.
 */
export function createKeyCheck(key: Secret, now: () => number): KeyCheck {
  const expected = digest(key.reveal());
  const limiter = createGuessLimiter(now);
  return ({ header, url, clientAddress }) => {
    if (hasKeyParameter(url)) {
      const text = `send the API key in the header "${DEFAULT_AUTH_HEADER}", not in the URL, because URLs are often logged`;
      return new Refusal(401, [text]);
    }
    if (header === undefined) {
      return new Refusal(401, [`the API key is missing; send it in the header "${DEFAULT_AUTH_HEADER}"`]);
    }
    const retryAfter = limiter.waitSecondsOf(clientAddress);
    if (retryAfter !== null) {
      return new Refusal(429, ['too many wrong API keys; try again later'], { retryAfter });
    }
    if (typeof header === 'string' && timingSafeEqual(digest(header), expected)) return null;
    limiter.recordFailure(clientAddress);
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
