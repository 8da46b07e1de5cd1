import { shellQuote } from '../../core/quote.ts';
import type { Context } from './context.ts';
import type { FileFlags } from './flags.ts';

/**
 * Returns a command line that can be pasted into a shell.
 * @param words - The arguments, without the program name.
 */
export function formatCommandLine(words: readonly string[]): string {
  return ['loadtests', ...words].map(shellQuote).join(' ');
}

export interface NamedConfig {
  readonly file: { readonly path: string };
  readonly desired: { readonly environment: string | null };
}

/** Returns the command line that runs a test of the file, or records its baseline. */
export function testCommand(
  words: readonly ['baseline' | 'run', string, ...string[]],
  { file: { path }, desired: { environment } }: NamedConfig,
): string {
  return formatCommandLine([
    ...words,
    ...sourceArgs({
      ...(['loadtests.yaml', '<stdin>'].includes(path) ? {} : { file: path }),
      ...(environment === null ? {} : { env: environment }),
    }),
  ]);
}

/** Returns the arguments that select the file, its environment and its variables. */
export function sourceArgs({ file, env, var: variables }: FileFlags): readonly string[] {
  return [
    ...(file === undefined ? [] : ['-f', file]),
    ...(env === undefined ? [] : ['--env', env]),
    ...[...(variables ?? [])].flatMap(([name, value]) => ['--var', `${name}=${value}`]),
  ];
}

const COMMAND_PATTERN = /(?<=: |")loadtests(?= (?:[a-z]|--help))/g;

/**
 * Prefixes loadtests commands in the text with `npx --no-install` if `npm exec` or `npx` started this command. In this
 * case, `loadtests` may be missing from PATH. `--no-install` prevents npx from downloading a package.
 */
export function withProgramName(text: string, env: Context['env']): string {
  // oxlint-disable-next-line boundaries/wire-names -- a name defined by npm
  return env['npm_command'] === 'exec'
    ? text.replaceAll(COMMAND_PATTERN, 'npx --no-install loadtests')
    : text;
}
