/** The caller's key: header only, compared in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../core/model/secret.ts';

/** Gives a check that holds the key's digest, never the key. */
export function keyCheck(key: Secret): (given: string) => boolean {
  const wanted = digest(key.reveal());
  return (given) => timingSafeEqual(digest(given), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
