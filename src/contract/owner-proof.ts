/** Proof that an embedded service has the key of its owner. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../core/model/secret.ts';

/** Request header for `/healthz`, with 32 random hexadecimal digits. */
export const CHALLENGE_HEADER = 'x-loadtests-challenge';
export const PROOF_HEADER = 'x-loadtests-proof';

/**
 * Returns 64 hexadecimal digits that can only be computed with the key.
 * @param url - URL of the service. The proof is valid only for this URL.
 */
export function proofOf(key: Secret, url: string, challenge: string): string {
  return createHmac('sha256', key.reveal()).update(`loadtests owner\n${url}\n${challenge}`).digest('hex');
}

export function isValidProof(proof: string, expected: string): boolean {
  const [actualBytes, expectedBytes] = [Buffer.from(proof), Buffer.from(expected)];
  return actualBytes.length === expectedBytes.length && timingSafeEqual(actualBytes, expectedBytes);
}

export function isChallenge(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{32}$/.test(text);
}
