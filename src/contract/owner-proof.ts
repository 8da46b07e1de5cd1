/** How the service of a command proves to other commands of its user that it is the one that they look for. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../core/model/secret.ts';

/** Of a request for `/healthz`: 32 random hex digits. */
export const CHALLENGE_HEADER = 'x-loadtests-challenge';
/** Of its answer. */
export const PROOF_HEADER = 'x-loadtests-proof';

/**
 * 64 hex digits, that only who knows the key can make.
 *
 * @param url where the service is asked, so that no proof of one service serves another
 */
export function proofOf(key: Secret, url: string, challenge: string): string {
  return createHmac('sha256', key.reveal()).update(`loadtests owner\n${url}\n${challenge}`).digest('hex');
}

export function isValidProof(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export function isChallenge(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{32}$/.test(text);
}
