/** Names of runs that are compared, as an address of the page and the query of the service have them. */

/** One solid line, and four dashed ones beside it. */
export const MAX_COMPARED_RUNS = 5;

export interface NamedRun {
  readonly test: string;
  readonly result: string;
}

/** `TEST:RESULT` */
export function runName({ test, result }: NamedRun): string {
  return `${test}:${result}`;
}

/** Null: it is no name of a run. */
export function parseRunName(text: string): NamedRun | null {
  const [test = '', result = '', ...more] = text.split(':');
  return test === '' || result === '' || more.length > 0 ? null : { test, result };
}

/** Whether so many of them can be compared: from two to five, and none twice. */
export function areComparable(names: readonly string[]): boolean {
  return names.length >= 2 && names.length <= MAX_COMPARED_RUNS && new Set(names).size === names.length;
}
