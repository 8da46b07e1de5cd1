import type { Context } from './context.ts';

/** A command line of ours that can be pasted into a shell. `words`: without the program's name. */
export function formatCommandLine(words: readonly string[]): string {
  return ['loadtests', ...words]
    .map((word) => (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

const COMMAND_PATTERN = /(?<=: |")loadtests(?= (?:[a-z]|--help))/g;

/** Commands in a text as they work here: what `npx` runs may be on no path. npm says which command of its own it is. */
export function withProgramName(text: string, env: Context['env']): string {
  // oxlint-disable-next-line boundaries/wire-names -- a name of npm's own
  return env['npm_command'] === 'exec' ? text.replaceAll(COMMAND_PATTERN, 'npx loadtests') : text;
}
