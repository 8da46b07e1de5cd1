/** Who may use the page without the key: a link that is good once becomes a token that lives in memory alone. */
import { createHash, randomBytes } from 'node:crypto';
import { Refusal } from './refusal.ts';
import { createGuessLimiter } from './guess-limiter.ts';

export interface IssuedSecret {
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface SessionStore {
  /** What a link ends in. */
  createCode(): IssuedSecret;
  /**
   * Trades a code for a token.
   *
   * @param visitor whom wrong codes are counted against
   * Errors: Refusal 401 for a code that is not good any more, or never was; 429 while wrong ones come.
   */
  createSession(code: string, visitor: string): IssuedSecret;
  isActive(token: string): boolean;
  end(token: string): void;
  /** Codes that nobody has used yet are good for nothing any more, too. */
  endAll(): void;
}

const CODE_BYTES = 16;
const CODE_LIFETIME_MS = 10 * 60 * 1000;
const TOKEN_BYTES = 32;
const TOKEN_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** Of either: the oldest goes where there would be more. Whoever has the key can make as many links as he likes. */
const MAX_ENTRIES = 1000;

/**
 * Gives sessions that a restart forgets.
 *
 * Shape: codes and tokens are looked up by their digest, so that how long it takes tells nothing about them.
 * @param now milliseconds since the epoch
 */
export function createSessionStore(now: () => number): SessionStore {
  const codes = new Map<string, number>();
  const tokens = new Map<string, number>();
  const turns = createGuessLimiter(now);
  const issue = (into: Map<string, number>, bytes: number, lifeMs: number): IssuedSecret => {
    const secret = randomBytes(bytes).toString('hex');
    const expiresAt = now() + lifeMs;
    into.set(digest(secret), expiresAt);
    const [oldest] = into.keys();
    if (into.size > MAX_ENTRIES && oldest !== undefined) into.delete(oldest);
    return { secret, expiresAt };
  };
  const isGood = (among: ReadonlyMap<string, number>, secret: string) =>
    now() < (among.get(digest(secret)) ?? -Infinity);
  return {
    createCode: () => issue(codes, CODE_BYTES, CODE_LIFETIME_MS),
    createSession(code, visitor) {
      const retryAfter = turns.waitSecondsOf(visitor);
      if (retryAfter !== null) {
        throw new Refusal(429, ['too many wrong links; wait for your turn'], { retryAfter });
      }
      if (!isGood(codes, code)) {
        turns.recordFailure(visitor);
        const text = 'this link has expired or was used before; "loadtests open" prints a new one';
        throw new Refusal(401, [text]);
      }
      codes.delete(digest(code));
      return issue(tokens, TOKEN_BYTES, TOKEN_LIFETIME_MS);
    },
    isActive: (token) => isGood(tokens, token),
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
