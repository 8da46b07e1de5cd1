/** SHA-256, which layers without access to Node.js modules receive as a parameter. */
import { createHash } from 'node:crypto';

/** Returns the digest as lowercase hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
