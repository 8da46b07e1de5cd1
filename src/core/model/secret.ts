/** Types for values that must never appear in output, and for strings that contain them. */
import { counted } from '../counted.ts';

/** A value from `${secret:NAME}`, or a key, such as the API key. Its string and JSON forms are `***`. */
export class Secret {
  readonly name: string;
  readonly #value: string | null;

  /** @param value - null if the secret is not set; a plan may contain a test with such a secret */
  constructor(name: string, value: string | null) {
    this.name = name;
    this.#value = value;
  }

  get present(): boolean {
    return this.#value !== null;
  }

  /**
   * Returns the value of the secret.
   * @throws Error if the secret is not set.
   */
  reveal(): string {
    if (this.#value === null)
      throw new Error(`Bug: the value of the secret ${this.name} is read, but the secret is not set`);
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }
}

export interface SecretText {
  readonly parts: readonly (string | Secret)[];
}

/** A string that may contain secrets; without secrets, a plain string. */
export type Text = string | SecretText;

/**
 * A string from a service that may contain secrets. Its string and JSON forms show only its length: `‹11 characters›`.
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

/** A string that may contain secrets, either declared or returned by a service. */
export type KnownText = Text | ReturnedText;

export function secretsOf(text: KnownText): Secret[] {
  return typeof text === 'string' || text instanceof ReturnedText
    ? []
    : text.parts.filter((part) => part instanceof Secret);
}

/**
 * Returns the string with its secrets in plain text.
 * @throws Error if one of the secrets is not set
 */
export function revealText(text: KnownText): string {
  if (typeof text === 'string') return text;
  if (text instanceof ReturnedText) return text.reveal();
  return text.parts.map((part) => (typeof part === 'string' ? part : part.reveal())).join('');
}

/** Returns the string for display: secrets become `***`, and a string from a service becomes its length. */
export function maskText(text: KnownText): string {
  if (typeof text === 'string' || text instanceof ReturnedText) return String(text);
  return text.parts.map((part) => (typeof part === 'string' ? part : '***')).join('');
}
