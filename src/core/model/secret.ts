/** Values that must never reach output, and texts that hold them. */
import { counted } from '../counted.ts';

/**
 * A value from `${secret:NAME}`, or a key.
 *
 * Shape:  prints as `***` wherever it is written by accident; only `reveal` gives the value.
 */
export class Secret {
  readonly name: string;
  readonly #value: string | null;

  /** @param value null when it is not set (then it can be planned with, and not sent). */
  constructor(name: string, value: string | null) {
    this.name = name;
    this.#value = value;
  }

  get present(): boolean {
    return this.#value !== null;
  }

  /** Errors: throws when the secret is not set; callers check `present` first. */
  reveal(): string {
    if (this.#value === null) throw new Error(`Bug: secret ${this.name} is used but not set`);
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }
}

/** A text of which some parts are secret. */
export interface SecretText {
  readonly parts: readonly (string | Secret)[];
}

/** A text that may hold secrets. Without secrets it is a plain string. */
export type Text = string | SecretText;

/**
 * A text that a service gave back in a field that can hold secrets: it may have been one when it was sent.
 *
 * Shape:  prints as `‹11 characters›`, wherever it is written; only `reveal` gives the text, for comparing.
 */
export class ReturnedText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get empty(): boolean {
    return this.#text === '';
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return `‹${counted(Array.from(this.#text).length, 'character')}›`;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** What is known of a text that may hold secrets: what was declared, or what a service gave back. */
export type KnownText = Text | ReturnedText;

export function secretsOf(text: KnownText): Secret[] {
  return typeof text === 'string' || text instanceof ReturnedText
    ? []
    : text.parts.filter((part) => part instanceof Secret);
}

/** The text as it is sent. Errors: throws when one of its secrets is not set. */
export function revealText(text: KnownText): string {
  if (typeof text === 'string') return text;
  if (text instanceof ReturnedText) return text.reveal();
  return text.parts.map((part) => (typeof part === 'string' ? part : part.reveal())).join('');
}

/** The text for people: secrets as `***`, and nothing but the length of what was read back. */
export function maskText(text: KnownText): string {
  if (typeof text === 'string' || text instanceof ReturnedText) return String(text);
  return text.parts.map((part) => (typeof part === 'string' ? part : '***')).join('');
}
