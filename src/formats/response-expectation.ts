import type { IntakeText } from '../core/intake/intake-text.ts';
import type { ExpectedValue } from '../core/model/condition.ts';
import {
  nullIfEmpty,
  parseExpectedStatus,
  type Expectation,
  type ExpectedHeader,
  type ExpectedJson,
  type StatusClass,
} from '../core/model/expectation.ts';

export class ResponseExpectation {
  readonly #status: (number | StatusClass)[] = [];
  readonly #headers: ExpectedHeader[] = [];
  readonly #json: ExpectedJson[] = [];
  readonly #body = {
    contains: new Array<string>(),
    notContains: new Array<string>(),
    matches: new Array<string>(),
  };

  constructor(before: Expectation | null = null) {
    this.#status.push(...(before?.status ?? []));
    this.#headers.push(...(before?.headers ?? []));
    this.#json.push(...(before?.json ?? []));
    this.body('contains', before?.body?.contains ?? []);
    this.body('notContains', before?.body?.notContains ?? []);
    this.body('matches', before?.body?.matches ?? []);
  }

  /** Adds accepted status codes and classes. If a code cannot be expected, adds nothing and returns false. */
  status(codes: readonly (string | number)[]): boolean {
    const known = codes.map(parseExpectedStatus).filter((code) => code !== null);
    if (known.length < codes.length || codes.length === 0) return false;
    this.#status.push(...known.filter((code) => !this.#status.includes(code)));
    return true;
  }

  get hasStatus(): boolean {
    return this.#status.length > 0;
  }

  /** Adds a condition on a header. Returns false if there already is a condition on this header. */
  header(name: string, value: string): boolean {
    if (this.#headers.some((one) => one.name.toLowerCase() === name.toLowerCase())) return false;
    this.#headers.push({ name, value });
    return true;
  }

  /** Adds a condition on a JSON value. Returns false if there already is a condition on this location. */
  json(pointer: string, value: ExpectedValue): boolean {
    if (this.#json.some((one) => one.pointer === pointer)) return false;
    this.#json.push({ pointer, value });
    return true;
  }

  body(kind: 'contains' | 'notContains' | 'matches', texts: readonly string[]): void {
    this.#body[kind].push(...texts);
  }

  build(): Expectation | null {
    const { contains, notContains, matches } = this.#body;
    const hasBody = contains.length + notContains.length + matches.length > 0;
    if (!hasBody && this.#status.length + this.#headers.length + this.#json.length === 0) return null;
    return {
      status: nullIfEmpty(this.#status),
      headers: nullIfEmpty(this.#headers),
      json: nullIfEmpty(this.#json),
      body: hasBody ? { contains, notContains, matches } : null,
    };
  }
}

/**
 * Changes the expected status codes so that the test follows redirects, or accepts redirects without following them,
 * as the source does.
 */
export function withRedirects(
  expected: Expectation | null,
  isFollowed: boolean,
  lose: (message: string) => void,
): Expectation | null {
  const status = expected?.status ?? null;
  if (expected === null || status === null)
    return isFollowed
      ? expected
      : { headers: null, body: null, json: null, ...expected, status: ['2xx', '3xx'] };
  const kept = status.filter((one) => !String(one).startsWith('3'));
  const acceptsRedirects = kept.length < status.length;
  if (acceptsRedirects !== isFollowed) return expected;
  if (!isFollowed) {
    lose(
      'the test follows redirects, because "expect.status" contains no 3xx code; to prevent this, add a code such as 302',
    );
    return expected;
  }
  lose('the test follows redirects, so the 3xx codes of the source are not in "expect.status"');
  const left = { ...expected, status: nullIfEmpty(kept) };
  return Object.values(left).every((value) => value === null) ? null : left;
}

/** Returns texts with variables as `{{name}}`; null if a text contains a generated value or a secret. */
export function expectedTexts(texts: readonly IntakeText[]): readonly string[] | null {
  if (texts.flat().some((part) => typeof part !== 'string' && !('variable' in part))) return null;
  return texts.map((text) =>
    text
      .map((part) =>
        typeof part === 'string'
          ? part.replaceAll('{{', String.raw`\{{`)
          : 'variable' in part
            ? `{{${part.variable}}}`
            : '',
      )
      .join(''),
  );
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
