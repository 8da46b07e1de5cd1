/** Adds numbers. Skips the holes of a sparse array. */
export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Adds numbers; returns null if one of them is null. */
export function sumOrNull(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length < numbers.length ? null : sumOf(known);
}
