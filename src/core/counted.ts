/** A count with its noun in the right number: `1 test`, `2 tests`, `1,200 tests`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
