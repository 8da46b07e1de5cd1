/** Creates the command-line parser from the table of commands. */
import { Command, Option } from 'commander';
import { COMPLETE_COMMAND, COMMANDS, HELP_COMMAND, type CommandCall } from './commands.ts';
import type { Context } from './terminal/context.ts';

/** Replaces `help COMMAND` with `COMMAND --help`. An unknown command is left to the parser, which rejects it. */
export function resolveHelp(words: readonly string[]): readonly string[] {
  const [first, ...others] = words;
  if (first !== HELP_COMMAND) return words;
  const name = others.find((word) => !word.startsWith('-')) ?? HELP_COMMAND;
  if (name === HELP_COMMAND) return ['--help'];
  return COMMANDS.some(({ usage }) => usage.split(' ', 1)[0] === name)
    ? [name, '--help']
    : [name, ...others.filter((word) => word !== name)];
}

/**
 * Creates the parser. To save time, defines only the flags of the called command; for `complete`, those of
 * all commands.
 */
export function createProgram(
  { version, stdout, args }: Pick<Context, 'version' | 'stdout' | 'args'>,
  onCall: (call: CommandCall) => void,
): Command {
  const program = new Command('loadtests')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      getOutHelpWidth: () => stdout.columns,
      getOutHasColors: () => false,
      // Nothing is printed here, because parser errors are printed as problems.
      outputError: () => undefined,
    })
    // All commands inherit this setting. On narrow terminals, it makes wrapped descriptions stay in their column.
    .configureHelp({ minWidthToWrap: 20 })
    .description('Load tests as code: plan, apply and evaluate the load tests in loadtests.yaml.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride();
  // The program itself has no flag with a value, so the first word without a dash is the command.
  const name = args.find((word) => !word.startsWith('-'));
  for (const { usage, summary, hidden, define } of COMMANDS) {
    const command = program
      .command(usage, { hidden })
      .description(summary)
      .exitOverride()
      .addOption(new Option('--no-color', 'disable colors'));
    if (name === command.name() || name === COMPLETE_COMMAND) define(command, onCall);
  }
  return program;
}
