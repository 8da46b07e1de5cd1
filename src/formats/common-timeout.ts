import type { Milliseconds } from '../core/units.ts';

/** The timeout of all requests of a test, which is the first timeout of the source. */
export class CommonTimeout {
  value: Milliseconds | null = null;

  /** Adds the timeout of a request; null if the request has none. */
  add(timeout: Milliseconds | null, lose: (message: string) => void): void {
    if (timeout === null || timeout <= 0) return;
    this.value ??= timeout;
    if (this.value !== timeout)
      lose('the timeout of this request is not converted; all requests use the first timeout of the source');
  }
}
