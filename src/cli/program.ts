/** Creates the command-line parser from the table of commands. */
import { Command, Option } from 'commander';
import { COMPLETE_COMMAND, COMMANDS, HELP_COMMAND, type CommandCall } from './commands.ts';
import type { Context } from './terminal/context.ts';

/** Replaces `help COMMAND` with `COMMAND --help`. Leaves an unknown command to the parser, which rejects it. */
export function resolveHelp(words: readonly string[]): readonly string[] {
  const [first, ...others] = words;
  if (first !== HELP_COMMAND) return words;
  const name = others.find((word) => !word.startsWith('-')) ?? HELP_COMMAND;
  if (name === HELP_COMMAND) return ['--help'];
  return COMMANDS.some(({ usage }) => usage.split(' ', 1)[0] === name)
    ? [name, '--help']
    : [name, ...others.filter((word) => word !== name)];
}

/** To save time, flags are added only to the called command. For `complete`, flags are added to all commands. */
export function createProgram(
  { version, stdout, args }: Pick<Context, 'version' | 'stdout' | 'args'>,
  onCall: (call: CommandCall) => void,
): Command {
  const program = new Command('loadtests')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      getOutHelpWidth: () => stdout.columns,
      getOutHasColors: () => false,
      // Suppresses parser errors, which are printed as problems.
      outputError: () => undefined,
    })
    // On narrow terminals, keeps wrapped descriptions in their column. All commands inherit this setting.
    .configureHelp({ minWidthToWrap: 20 })
    .description('Load tests as code: plan, apply and evaluate the load tests in loadtests.yaml.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride();
  // The first word without a dash is the command, because no flag before the command has a value.
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
