import type { Context } from './context.ts';

/**
 * Formats a loadtests command line that can be pasted into a shell.
 * @param words - The arguments, without the program name.
 */
export function formatCommandLine(words: readonly string[]): string {
  return ['loadtests', ...words]
    .map((word) => (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

const COMMAND_PATTERN = /(?<=: |")loadtests(?= (?:[a-z]|--help))/g;

/**
 * Adds `npx --no-install` to the commands in a text if npm started the current command, because `loadtests` might be
 * missing from the PATH. Without the flag, npx could download another package with this name.
 */
export function withProgramName(text: string, env: Context['env']): string {
  // oxlint-disable-next-line boundaries/wire-names -- a name defined by npm
  return env['npm_command'] === 'exec'
    ? text.replaceAll(COMMAND_PATTERN, 'npx --no-install loadtests')
    : text;
}
