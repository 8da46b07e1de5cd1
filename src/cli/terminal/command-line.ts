/** A command line of ours that can be pasted into a shell. `words`: without the program's name. */
export function commandLine(words: readonly string[]): string {
  return ['loadtests', ...words]
    .map((word) => (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
