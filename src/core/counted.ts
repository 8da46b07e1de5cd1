/** A count with its noun in the right number: `1 test`, `2 tests`, `1,200 tests`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${withCommas(count)} ${count === 1 ? one : many}`;
}

/** As `toLocaleString('en-US')` writes it, which takes 10 ms and 7 MiB at its first call, for tables of languages. */
export function withCommas(count: number): string {
  return String(count).replaceAll(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ',');
}
