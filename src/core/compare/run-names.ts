/** Maximum number of runs in a comparison. Equals the number of line styles in charts. */
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
