/** Names that `import` makes: keys of tests and apps, and names of secrets. Legal, and each given once. */

/** Keys that no map of the file may have, whatever their letters. */
const REFUSED_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Whether a text can be a key as it is; keys that begin with `x-` are passed over when the file is read. */
export function isKey(text: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(text) && !text.startsWith('x-') && !REFUSED_KEYS.includes(text);
}

/** A URL, which may serve as a name, without user part and query: both may hold passwords and keys. */
export function withoutSecrets(name: string): string {
  if (!/^https?:\/\//i.test(name)) return name;
  return name.replace(/\/\/[^/?#]*@/, '//').replace(/[?#][^]*$/, '');
}

/** A key made of a name: `Checkout smoke` → `checkout-smoke`. */
export function keyOf(name: string, otherwise: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/^https?:\/\//i, '')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9_.]+/g, '-')
    .replaceAll(/^[-_.]+|[-_.]+$/g, '')
    .slice(0, 60)
    .replace(/[-_.]+$/, '');
  return isKey(words) ? words : otherwise;
}

/** `www.shop.example.com:8080` → `shop`. */
export function appKeyOf(host: string): string {
  const word = host.replace(/^www\./, '').replace(/[^a-z0-9-].*$/, '');
  return /^[a-z]/.test(word) && isKey(word) ? word : 'app';
}

/** Gives each name once: the second `home` becomes `home-2`. */
export class UniqueNames {
  readonly #taken: Set<string>;
  readonly #separator: string;

  constructor(taken: Iterable<string>, separator: string) {
    this.#taken = new Set(taken);
    this.#separator = separator;
  }

  take(wanted: string): string {
    for (let count = 1; ; count++) {
      const ending = count === 1 ? '' : `${this.#separator}${count}`;
      const name = wanted.slice(0, 64 - ending.length) + ending;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }
}

/** `LT_CHECKOUT_PASSWORD` and its kin; the same one for the same value of the same test. */
export class SecretNames {
  readonly #names = new UniqueNames([], '_');
  readonly #given = new Map<string, string>();

  /** @param same what tells two values of the same kind apart */
  nameOf(key: string, kind: string, same: string): string {
    const place = JSON.stringify([key, kind, same]);
    const before = this.#given.get(place);
    if (before !== undefined) return before;
    const word = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    const name = this.#names.take(`LT_${word(key)}_${word(kind)}`);
    this.#given.set(place, name);
    return name;
  }

  get all(): readonly string[] {
    return [...this.#given.values()];
  }
}
