/** Values that must never reach output, and texts that hold them. */

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

export function secretsOf(text: Text): Secret[] {
  return typeof text === 'string' ? [] : text.parts.filter((part) => part instanceof Secret);
}

/** The text as it is sent. Errors: throws when one of its secrets is not set. */
export function revealText(text: Text): string {
  if (typeof text === 'string') return text;
  return text.parts.map((part) => (typeof part === 'string' ? part : part.reveal())).join('');
}

/** The text for people: secrets as `***`. */
export function maskText(text: Text): string {
  if (typeof text === 'string') return text;
  return text.parts.map((part) => (typeof part === 'string' ? part : '***')).join('');
}
