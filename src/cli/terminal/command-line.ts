import type { Context } from './context.ts';

/** A command line of ours that can be pasted into a shell. `words`: without the program's name. */
export function commandLine(words: readonly string[]): string {
  return ['loadtests', ...words]
    .map((word) => (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

const COMMAND = /(?<=: |")loadtests(?= (?:[a-z]|--help))/g;

/** Commands in a text as they work here: what `npx` runs may be on no path. npm says which command of its own it is. */
export function withProgram(text: string, env: Context['env']): string {
  // oxlint-disable-next-line walls/wire-names -- a name of npm's own
  return env['npm_command'] === 'exec' ? text.replaceAll(COMMAND, 'npx loadtests') : text;
}
