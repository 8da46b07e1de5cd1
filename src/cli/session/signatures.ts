/** Signatures and random texts for the layers that have no cryptography of their own. */
import { createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import type { Sign } from '../../apply/saved-plan.ts';
import type { Secret } from '../../core/model/secret.ts';

/** The same for the same key, and nothing of the key can be read from it. */
export function accountFingerprint(key: Secret): string {
  return createHmac('sha256', key.reveal()).update('loadtests account').digest('hex').slice(0, 16);
}

/** Signs the plans of a project. Nothing of the key can be read from a signature. Source: RFC 5869, RFC 2104. */
export function createPlanSigner(key: Secret, project: string): Sign {
  const derived = hkdfSync('sha256', key.reveal(), '', `loadtests saved plan of ${project}`, 32);
  return (text) => createHmac('sha256', new Uint8Array(derived)).update(text).digest('hex');
}

const NONCE_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 8 characters, 47 bits: enough to tell the creations of one account apart. */
export function newNonce(): string {
  return Array.from({ length: 8 }, () => NONCE_ALPHABET.charAt(randomInt(NONCE_ALPHABET.length))).join('');
}

/** 32 hex digits. */
export function newKey(): string {
  return randomBytes(16).toString('hex');
}
