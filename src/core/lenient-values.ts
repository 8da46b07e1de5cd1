/** Readers for JSON values that services encode differently, such as numbers in strings. */

/** Returns a finite number, which may be encoded as a string; null for any other value. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() === '') return null;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Like `readNumber`, but returns null for negative numbers. */
export function readCount(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}

export function readString(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
