/** Signatures and random strings, for layers without access to `node:crypto`. */
import { createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import type { Sign } from '../../apply/saved-plan.ts';
import type { Secret } from '../../core/model/secret.ts';

/** Returns a stable fingerprint that does not reveal the key. */
export function accountFingerprint(key: Secret): string {
  return createHmac('sha256', key.reveal()).update('loadtests account').digest('hex').slice(0, 16);
}

/**
 * Returns a function that signs the plans of a project with a key derived from `key`.
 * @see RFC 5869, RFC 2104
 */
export function createPlanSigner(key: Secret, project: string): Sign {
  const derived = hkdfSync('sha256', key.reveal(), '', `loadtests saved plan of ${project}`, 32);
  return (text) => createHmac('sha256', new Uint8Array(derived)).update(text).digest('hex');
}

const NONCE_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns 8 random characters (47 bits). */
export function newNonce(): string {
  return Array.from({ length: 8 }, () => NONCE_ALPHABET.charAt(randomInt(NONCE_ALPHABET.length))).join('');
}

export function newKey(): string {
  return randomBytes(16).toString('hex');
}
