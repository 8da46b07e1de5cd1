/** Names of compared runs, as used in web UI addresses and queries of the service. */

/** Maximum number of runs in a comparison, which is the number of line styles in charts: one solid and four dashed. */
export const MAX_COMPARED_RUNS = 5;

export interface NamedRun {
  readonly test: string;
  readonly result: string;
}

export function runName({ test, result }: NamedRun): string {
  return `${test}:${result}`;
}

export function parseRunName(text: string): NamedRun | null {
  const [test = '', result = '', ...more] = text.split(':');
  return test === '' || result === '' || more.length > 0 ? null : { test, result };
}

export function areComparable(names: readonly string[]): boolean {
  return names.length >= 2 && names.length <= MAX_COMPARED_RUNS && new Set(names).size === names.length;
}
