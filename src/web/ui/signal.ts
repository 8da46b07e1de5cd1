/** A value that changes, and those who want to know. */
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

  /** @returns what ends it */
  listen(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

/** The value of now; the component is shown anew when it changes. */
export function useSignal<Value>(cell: Signal<Value>): Value {
  const [value, setValue] = useState(cell.value);
  useEffect(() => {
    // It may have changed since the component was shown.
    setValue(() => cell.value);
    return cell.listen((next) => {
      setValue(() => next);
    });
  }, [cell]);
  return value;
}
