/** The caller's key: header only, compared in constant time, and not to be guessed at. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_AUTH_HEADER } from '../contract/routes.ts';
import type { Secret } from '../core/model/secret.ts';
import { Refusal } from './refusal.ts';

/** What a request brings along. */
export interface Credentials {
  readonly header: string | readonly string[] | undefined;
  /** Target of the request, with its query. */
  readonly url: string;
}

/** Why a request is not let in: a Refusal 401, or 429 after too many wrong keys; null when it is. */
export type KeyCheck = (given: Credentials) => Refusal | null;

/** Wrong keys within a minute that are answered as such; the right one is always let in. */
const WRONG_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

/** Names of parameters that callers of the hosted service, or of others, put keys into. */
const IN_QUERY = /^(?:(?:api[-_]?)?key|service-auth)$/i;

/** Gives a check that holds the key's digest, never the key. */
export function openKeyCheck(key: Secret, now: () => number): KeyCheck {
  const wanted = digest(key.reveal());
  let minute = { begun: Number.NEGATIVE_INFINITY, wrong: 0 };
  return ({ header, url }) => {
    if (namesKey(url)) {
      const text = `the API key must be sent in the header "${DEFAULT_AUTH_HEADER}", not in a URL, which others may see`;
      return new Refusal(401, [text]);
    }
    if (header === undefined) {
      return new Refusal(401, [`the API key is missing; send it in the header "${DEFAULT_AUTH_HEADER}"`]);
    }
    if (typeof header === 'string' && timingSafeEqual(digest(header), wanted)) return null;
    const at = now();
    // A clock that was set back begins a new minute too.
    if (Math.abs(at - minute.begun) >= MINUTE_MS) minute = { begun: at, wrong: 0 };
    minute.wrong++;
    if (minute.wrong <= WRONG_PER_MINUTE) return new Refusal(401, ['wrong API key']);
    const retryAfter = Math.max(1, Math.ceil((minute.begun + MINUTE_MS - at) / 1000));
    return new Refusal(429, ['too many wrong API keys within a minute'], { retryAfter });
  };
}

function namesKey(url: string): boolean {
  const query = url.indexOf('?');
  if (query === -1) return false;
  return [...new URLSearchParams(url.slice(query)).keys()].some((name) => IN_QUERY.test(name));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
