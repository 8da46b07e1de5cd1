/** Returns a count with its noun in the singular or plural: `1 test`, `2 tests`, `1,200 tests`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${withCommas(count)} ${count === 1 ? singular : plural}`;
}

/** Formats a number or a lower bound: `1,204`, `≥ 1,204`. Returns a dash for null and undefined. */
export function countText(count: number | null | undefined, isMinimum = false): string {
  return count == null ? '–' : `${isMinimum ? '≥ ' : ''}${withCommas(count)}`;
}

/** Joins names as a list in a sentence: `a`, `a and b`, `a, b, and c`. */
export function listText(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ');
  return names.map((name, at) => (at === names.length - 1 ? `and ${name}` : name)).join(', ');
}

/**
 * Formats a number with commas: `1,204`. Does not use `toLocaleString('en-US')`, whose first call takes 10 ms and 7 MiB
 * of memory.
 */
export function withCommas(count: number): string {
  return String(count).replaceAll(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ',');
}
