import { useEffect, useState } from 'preact/hooks';

export class Signal<Value> {
  #value: Value;
  readonly #listeners = new Set<(value: Value) => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  /**
   * Adds a listener that is called after each change of the value.
   * @returns A function that removes the listener.
   */
  listen(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export function useSignal<Value>(signal: Signal<Value>): Value {
  const [value, setValue] = useState(signal.value);
  useEffect(() => {
    // The value may have changed since the render.
    setValue(() => signal.value);
    return signal.listen((next) => setValue(() => next));
  }, [signal]);
  return value;
}
