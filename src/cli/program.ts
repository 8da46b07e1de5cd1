/** From words to the command that they call. */
import { Command, Option } from 'commander';
import { COMPLETE, ENTRIES, HELP, type Call, type Entry } from './entries.ts';
import type { Context } from './terminal/context.ts';

/** `help COMMAND` is `COMMAND --help`. What is no command is left to be refused as any unknown one is. */
export function withoutHelp(words: readonly string[]): readonly string[] {
  const [first, ...others] = words;
  if (first !== HELP) return words;
  const name = others.find((word) => !word.startsWith('-')) ?? HELP;
  if (name === HELP) return ['--help'];
  return ENTRIES.some((entry) => nameOf(entry) === name)
    ? [name, '--help']
    : [name, ...others.filter((word) => word !== name)];
}

/** The program with all its commands; only the called one has its flags, since making all of them takes time. */
export function createProgram(
  { version, stdout, words }: Pick<Context, 'version' | 'stdout' | 'words'>,
  called: (call: Call) => void,
): Command {
  const program = new Command('loadtests')
    .configureOutput({
      writeOut: (text) => {
        stdout.write(text);
      },
      getOutHelpWidth: () => stdout.columns,
      getOutHasColors: () => false,
      // An error is said once, in our own form.
      outputError: () => undefined,
    })
    // Inherited by every command: descriptions wrap beside their flags on narrow terminals, too.
    .configureHelp({ minWidthToWrap: 20 })
    .description('Load tests as code: plan, apply and judge the load tests in loadtests.yaml.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride();
  // The program itself has no flag that takes a value, so the first plain word is the command.
  const name = words.find((word) => !word.startsWith('-'));
  for (const { usage, about, hidden, define } of ENTRIES) {
    const command = program
      .command(usage, { hidden })
      .description(about)
      .exitOverride()
      .addOption(new Option('--no-color', 'no colours'));
    if (name === command.name() || name === COMPLETE) define(command, called);
  }
  return program;
}

function nameOf({ usage }: Entry): string | undefined {
  return usage.split(' ', 1)[0];
}
