/** Web UI sessions. A one-time code in a link is exchanged for a session token. Codes and tokens are only in memory. */
import { createHash, randomBytes } from 'node:crypto';
import { setBounded } from '../core/bounded-map.ts';
import { Refusal } from './refusal.ts';
import { createGuessLimiter } from './guess-limiter.ts';

export interface IssuedSecret {
  readonly secret: string;
  /** Expiry time in milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface SessionStore {
  createCode(): IssuedSecret;
  /**
   * Exchanges a one-time code for the token of a new session.
   * @param clientAddress - Address or network of the client, for which wrong codes are counted.
   * @throws Refusal 401 if the code is unknown, used or expired; 429 after too many wrong codes.
   */
  createSession(code: string, clientAddress: string): IssuedSecret;
  isActive(token: string): boolean;
  end(token: string): void;
  endAll(): void;
}

const CODE_BYTES = 16;
const CODE_LIFETIME_MS = 10 * 60 * 1000;
const TOKEN_BYTES = 32;
const TOKEN_LIFETIME_MS = 12 * 60 * 60 * 1000;

const MAX_ENTRIES = 1000;

/**
 * Creates a store that looks up codes and tokens by digest, so that response times do not reveal parts of a secret.
 * @param now - Returns milliseconds since the epoch.
 */
export function createSessionStore(now: () => number): SessionStore {
  const codes = new Map<string, number>();
  const tokens = new Map<string, number>();
  const limiter = createGuessLimiter(now);
  const issue = (into: Map<string, number>, bytes: number, lifeMs: number): IssuedSecret => {
    const secret = randomBytes(bytes).toString('hex');
    const expiresAt = now() + lifeMs;
    setBounded(into, digest(secret), expiresAt, MAX_ENTRIES);
    return { secret, expiresAt };
  };
  const isValid = (entries: ReadonlyMap<string, number>, secret: string) =>
    now() < (entries.get(digest(secret)) ?? -Infinity);
  return {
    createCode: () => issue(codes, CODE_BYTES, CODE_LIFETIME_MS),
    createSession(code, clientAddress) {
      const retryAfter = limiter.waitSecondsOf(clientAddress);
      if (retryAfter !== null) {
        throw new Refusal(429, ['too many invalid links; try again later'], { retryAfter });
      }
      if (!isValid(codes, code)) {
        limiter.recordFailure(clientAddress);
        const text =
          'this link is invalid, has expired, or has been used; run "loadtests open" to get a new link';
        throw new Refusal(401, [text]);
      }
      codes.delete(digest(code));
      return issue(tokens, TOKEN_BYTES, TOKEN_LIFETIME_MS);
    },
    isActive: (token) => isValid(tokens, token),
    end(token) {
      tokens.delete(digest(token));
    },
    endAll() {
      codes.clear();
      tokens.clear();
    },
  };
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
