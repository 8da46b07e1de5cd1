/** SHA-256 for the layers that must not import cryptography. */
import { createHash } from 'node:crypto';

/** Returns the digest in hex digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
