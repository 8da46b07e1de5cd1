/** Variables of a k6 script. */
import type { Value } from './k6-values.ts';

export class Scope {
  readonly #outer: Scope | null;
  readonly #values = new Map<string, Value>();

  constructor(outer: Scope | null = null) {
    this.#outer = outer;
  }

  declare(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  /** Assigns a value to a declared variable. */
  assign(name: string, value: Value): void {
    if (this.#values.has(name) || this.#outer === null) this.#values.set(name, value);
    else this.#outer.assign(name, value);
  }

  find(name: string): Value | undefined {
    return this.#values.get(name) ?? this.#outer?.find(name);
  }
}
