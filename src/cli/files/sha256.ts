/** The digest of a text, for the layers that have no cryptography of their own. */
import { createHash } from 'node:crypto';

/** In hex digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
