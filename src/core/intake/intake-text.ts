/** Strings of an intake: literal text, variables, expressions and secrets. */

export type IntakeTextPart =
  | string
  /** `{{name}}` */
  | { readonly variable: string }
  /** `%{…}` */
  | { readonly expression: string }
  /** `${secret:NAME}` */
  | { readonly secret: string };

export type IntakeText = readonly IntakeTextPart[];

export function literalOf(text: IntakeText): string | null {
  return text.every((part) => typeof part === 'string') ? text.join('') : null;
}

/** Reports whether the text is a single variable with one of the given names. */
export function isOneOf([part, ...others]: IntakeText, variables: ReadonlySet<string>): boolean {
  return (
    others.length === 0 && typeof part === 'object' && 'variable' in part && variables.has(part.variable)
  );
}

export function literalStart(text: IntakeText): string {
  let start = '';
  for (const part of text) {
    if (typeof part !== 'string') break;
    start += part;
  }
  return start;
}

/** Splits a text at each occurrence of a separator in its literal parts. */
export function splitText(text: IntakeText, separator: string): readonly IntakeText[] {
  const pieces: IntakeTextPart[][] = [[]];
  for (const part of text) {
    if (typeof part !== 'string') {
      pieces.at(-1)?.push(part);
      continue;
    }
    part.split(separator).forEach((literal, index) => {
      if (index > 0) pieces.push([]);
      if (literal !== '') pieces.at(-1)?.push(literal);
    });
  }
  return pieces;
}

export function joinTexts(texts: readonly IntakeText[], separator: string): IntakeText {
  return texts.flatMap((text, index) => (index === 0 ? text : [separator, ...text]));
}

/** Splits a text at the first occurrence of a separator. Returns null if the separator does not occur. */
export function cutText(text: IntakeText, separator: string): readonly [IntakeText, IntakeText] | null {
  const [first, ...rest] = splitText(text, separator);
  return first === undefined || rest.length === 0 ? null : [first, joinTexts(rest, separator)];
}

/** Placeholders are characters of the private use area of Unicode; `PLACEHOLDERS_END` is excluded. */
const FIRST_PLACEHOLDER = 0xe000;
const PLACEHOLDERS_END = 0xf900;

/**
 * A text as one string, in which a placeholder character replaces each non-literal part. String functions can be
 * applied to this string.
 */
export class FlatText {
  readonly flat: string;
  readonly #parts = new Map<string, IntakeTextPart>();
  readonly #literals: string;
  #next = FIRST_PLACEHOLDER;

  constructor(text: IntakeText) {
    this.#literals = text.filter((part) => typeof part === 'string').join('');
    this.flat = text.map((part) => (typeof part === 'string' ? part : this.placeholder(part))).join('');
  }

  placeholder(part: IntakeTextPart): string {
    let character = String.fromCharCode(this.#next++);
    while (this.#literals.includes(character)) character = String.fromCharCode(this.#next++);
    if (this.#next > PLACEHOLDERS_END) throw new RangeError('too many variables in one string');
    this.#parts.set(character, part);
    return character;
  }

  hasPlaceholder(flat: string): boolean {
    return Array.from(flat).some((character) => this.#parts.has(character));
  }

  toText(flat: string): IntakeText {
    const parts: IntakeTextPart[] = [];
    let literal = '';
    for (const character of flat) {
      const part = this.#parts.get(character);
      if (part === undefined) {
        literal += character;
        continue;
      }
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(part);
    }
    if (literal !== '') parts.push(literal);
    return parts;
  }
}

export function jsonStringOf(text: IntakeText): IntakeText {
  return [
    '"',
    ...text.map((part) => (typeof part === 'string' ? JSON.stringify(part).slice(1, -1) : part)),
    '"',
  ];
}

/** Decodes the content of a JSON string, without its quotes. Returns invalid content unchanged. */
export function decodedJson(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string; // JSON in quotes is a string.
  } catch {
    return text;
  }
}

/** Decodes a name or value in a query or form. Returns null if the percent-encoding is invalid. */
export function decodeFormText(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Like `decodeFormText`, but returns invalid text unchanged. */
export function decodedFormText(text: string): string {
  return decodeFormText(text) ?? text;
}

/** Percent-encodes the literal parts of a text for use as a URL component. */
export function encodedText(text: IntakeText): IntakeText {
  return text.map((part) =>
    typeof part === 'string' ? encodeURIComponent(part.replaceAll(/\p{Cs}/gu, '\ufffd')) : part,
  );
}
