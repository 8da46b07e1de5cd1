/** Creates valid and unique names for imported entries: keys of tests and apps, and names of secrets. */
import { REFUSED_KEYS } from './yaml-parser.ts';

/** Reports whether a string is a valid key. Keys that begin with `x-` are invalid, because the file ignores them. */
export function isKey(text: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(text) && !text.startsWith('x-') && !REFUSED_KEYS.includes(text);
}

/** Removes the user information, query and fragment of a URL, because they may contain secrets. */
export function withoutSecrets(name: string): string {
  if (!/^https?:\/\//i.test(name)) return name;
  return name.replace(/\/\/[^/?#]*@/, '//').replace(/[?#][^]*$/, '');
}

/** Converts a name to a key: `Checkout smoke` → `checkout-smoke`. */
export function keyOf(name: string, fallback: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/^https?:\/\//i, '')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9_.]+/g, '-')
    .replaceAll(/^[-_.]+|[-_.]+$/g, '')
    .slice(0, 60)
    .replace(/[-_.]+$/, '');
  return isKey(words) ? words : fallback;
}

/** Converts a host to the key of its app: `www.shop.example.com:8080` → `shop`. */
export function appKeyOf(host: string): string {
  const word = host.replace(/^www\./, '').replace(/[^a-z0-9-].*$/, '');
  return /^[a-z]/.test(word) && isKey(word) ? word : 'app';
}

/** Generator of unique names: the second `home` becomes `home-2`. */
export class UniqueNames {
  readonly #taken: Set<string>;
  readonly #separator: string;

  constructor(taken: Iterable<string>, separator: string) {
    this.#taken = new Set(taken);
    this.#separator = separator;
  }

  take(preferred: string): string {
    for (let count = 1; ; count++) {
      const suffix = count === 1 ? '' : `${this.#separator}${count}`;
      const name = preferred.slice(0, 64 - suffix.length) + suffix;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }
}

/**
 * Generator of names for secrets, such as `LT_CHECKOUT_PASSWORD`. Equal values of one kind in a test have the same
 * name.
 */
export class SecretNames {
  readonly #names = new UniqueNames([], '_');
  readonly #assigned = new Map<string, string>();

  nameOf(key: string, kind: string, identity: string): string {
    const id = JSON.stringify([key, kind, identity]);
    const assigned = this.#assigned.get(id);
    if (assigned !== undefined) return assigned;
    const word = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    const name = this.#names.take(`LT_${word(key)}_${word(kind)}`);
    this.#assigned.set(id, name);
    return name;
  }

  get all(): readonly string[] {
    return [...this.#assigned.values()];
  }
}
