/** Parses the command line, executes the command and writes its outcome. */
import { CommanderError } from 'commander';
import type { CommandCall } from './commands.ts';
import { quote } from '../core/quote.ts';
import { createProgram } from './program.ts';
import type { Context } from './terminal/context.ts';
import { RefusedOutput, usageError } from './terminal/errors.ts';
import { listOutputFiles, withoutFiles, type OutputFlags } from './terminal/flags.ts';
import { outcomeOfError, type Outcome } from './terminal/outcome.ts';
import { writeOutcome } from './terminal/report.ts';

/** @returns The exit code of the process. */
export async function runCommand(context: Context): Promise<number> {
  const { args } = context;
  const json = args.includes('--json');
  const calls: CommandCall[] = [];
  const program = createProgram(context, (call) => calls.push(call));
  try {
    refuseKeyArguments(args);
    refuseContradiction(args, '--run', '--no-run');
    refuseContradiction(args, '--wait', '--no-wait');
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help') {
      context.stderr.write(program.helpInformation());
      return 3;
    }
    const { outputFilesOfArgs } = await import('./files/output-files.ts');
    const { files, reads: inputFiles } = outputFilesOfArgs(args);
    const flags = { json, ...files };
    return await executeCall(
      {
        command: args[0] ?? '',
        flags,
        inputFiles,
        streams: false,
        run: () => outcomeOfError(toUsageError(error, args[0]), context),
      },
      context,
    );
  }
  const [call] = calls;
  if (call !== undefined) return await executeCall(call, context);
  context.stderr.write(program.helpInformation());
  return 3;
}

async function executeCall(call: CommandCall, original: Context): Promise<number> {
  const { command, flags, inputFiles, run, streams } = call;
  const context: Context = { ...original, quiet: flags.quiet === true };
  try {
    refuseSharedStdout(flags);
    if (listOutputFiles(flags).length > 0) {
      const { checkOutputFiles } = await import('./files/output-files.ts');
      checkOutputFiles(context.directory, flags, inputFiles);
    }
    const outcome = withWarnings(await run(context), context);
    return await writeOutcome(context, command, outcome, streams ? {} : flags);
  } catch (error) {
    const outputFlags = error instanceof RefusedOutput ? withoutFiles(flags) : flags;
    return await writeOutcome(
      context,
      command,
      withWarnings(outcomeOfError(error, context), context),
      outputFlags,
    );
  }
}

function refuseSharedStdout({ json, markdown }: OutputFlags): void {
  if (json === true && markdown === true)
    throw usageError('--json and --markdown both print to stdout', 'use --markdown=FILE or --json-into FILE');
}

function withWarnings(outcome: Outcome, { warnings }: Context): Outcome {
  return { ...outcome, problems: [...warnings, ...outcome.problems] };
}

/**
 * Converts a parser error to a usage error. Returns other errors unchanged.
 * @param command - First word of the command line; may be a flag or an unknown command.
 */
function toUsageError(error: unknown, command = ''): unknown {
  if (!(error instanceof CommanderError)) return error;
  const [first = '', ...more] = error.message
    .replace(/^error: /, '')
    .replaceAll("'", '"')
    .split('\n');
  const suggested = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(more.join(' '))?.[1]?.split(', ') ?? [];
  const unknown = error.code === 'commander.unknownCommand' || command.startsWith('-');
  const help = unknown
    ? 'run "loadtests --help" for a list of commands'
    : `run "loadtests ${command} --help" for its arguments and flags`;
  return usageError(
    first,
    suggested.length === 0 ? help : `did you mean ${suggested.map(quote).join(' or ')}?`,
  );
}

/** Rejects an API key on the command line, because the key would appear in the shell history and the process list. */
function refuseKeyArguments(words: readonly string[]): void {
  const keyArgument = words.find((word) => /^--?(api-?)?key(=|$)/i.test(word));
  if (keyArgument === undefined) return;
  throw usageError(
    'an API key on the command line is not allowed',
    'set the environment variable LOADTESTS_API_KEY',
  );
}

/** Rejects two contradictory flags. Otherwise, the last one would silently take precedence. */
function refuseContradiction(words: readonly string[], one: string, other: string): void {
  if (words.includes(one) && words.includes(other))
    throw usageError(`${one} and ${other} cannot be combined`, 'remove one of these flags');
}
