#!/usr/bin/env node
/** The entry: the only file that touches `process`, and the only one that ends it. */
import { CommanderError } from 'commander';
import { problem, ProblemError } from '../core/problem.ts';
import type { Context, Interruption } from './terminal/context.ts';
import { reasonOf, RefusedOutput, usageError } from './terminal/errors.ts';
import { exitCodeOfLoss, outcome, type Outcome } from './terminal/outcome.ts';
import { ownProcess } from './terminal/own-process.ts';
import { report } from './terminal/report.ts';
import type { Call } from './entries.ts';
import { createProgram, withoutHelp } from './program.ts';
import { loadPaint } from './render/paint.ts';
import { NO_PAINT } from '../report/paint.ts';
import { renderProblem } from './render/problem.ts';
import { openOutputs, readInput, visible } from './terminal/standard-streams.ts';

/** Put in by the build. */
declare const PACKAGE_VERSION: string;

const painted = wantsColours(process);
const { stdout, stderr, finish } = openOutputs(process, painted);

async function main(): Promise<number> {
  const words = withoutHelp(process.argv.slice(2));
  const context = await createContext(words);
  const json = words.includes('--json');
  const calls: Call[] = [];
  const program = createProgram(context, (call) => {
    calls.push(call);
  });
  try {
    refuseKeys(words);
    refuseBoth(words, '--run', '--no-run');
    refuseBoth(words, '--wait', '--no-wait');
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === 'commander.help') {
      context.stderr.write(program.helpInformation());
      return 3;
    }
    const { outputOfWords } = await import('./files/output-files.ts');
    const { jsonInto, reads } = outputOfWords(words);
    const flags = { json, ...jsonInto };
    return await carry(
      { command: words[0] ?? '', flags, reads, streams: false, act: () => ended(usage(error, words[0])) },
      context,
    );
  }
  const [call] = calls;
  if (call !== undefined) return await carry(call, context);
  context.stderr.write(program.helpInformation());
  return 3;
}

async function carry(call: Call, context: Context): Promise<number> {
  const { command, flags, reads, act, streams } = call;
  try {
    if (flags.jsonInto !== undefined || flags.out !== undefined) {
      const { checkOutputFiles } = await import('./files/output-files.ts');
      checkOutputFiles(context.folder, flags, reads);
    }
    const done = withWarnings(await act(context), context);
    return report(context, command, done, streams ? { quiet: flags.quiet === true } : flags);
  } catch (error) {
    const { jsonInto, ...others } = flags;
    const refused = jsonInto === undefined || error instanceof RefusedOutput;
    return report(context, command, withWarnings(ended(error), context), refused ? others : flags);
  }
}

/** What was noticed beside the command's own work stands before what it tells itself. */
function withWarnings(done: Outcome, { warnings }: Context): Outcome {
  return { ...done, problems: [...warnings, ...done.problems] };
}

/** What was thrown, as an outcome. A bug is told with its stack; a user's mistake never is. */
function ended(error: unknown): Outcome {
  if (error instanceof ProblemError) return outcome({ problems: [error.problem] });
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  stderr.write(`${stack}\n`);
  const message = error instanceof Error ? error.message : String(error);
  return outcome({
    problems: [problem('LT_CLI_BUG', message, { hint: 'please report it with the lines above' })],
  });
}

/** @param command the first word, which may be none of the commands */
function usage(error: unknown, command = ''): unknown {
  if (!(error instanceof CommanderError)) return error;
  const [first = '', ...more] = error.message
    .replace(/^error: /, '')
    .replaceAll("'", '"')
    .split('\n');
  const hint = more.join(' ').replace(/^\(Did you mean (.*)\?\)$/, 'did you mean "$1"?');
  const unknown = error.code === 'commander.unknownCommand' || command.startsWith('-');
  const help = unknown
    ? 'run "loadtests --help" for a list of commands'
    : `run "loadtests ${command} --help" for its arguments and flags`;
  return usageError(first, hint === '' ? help : hint);
}

/** A key on the command line would be in the shell's history and in the list of processes. */
function refuseKeys(words: readonly string[]): void {
  const given = words.find((word) => /^--?(api-?)?key(=|$)/i.test(word));
  if (given === undefined) return;
  throw usageError(
    'an API key on the command line is not allowed',
    'set the environment variable LOADTESTS_API_KEY',
  );
}

/** Of two flags that contradict each other none is chosen silently. */
function refuseBoth(words: readonly string[], one: string, other: string): void {
  if (words.includes(one) && words.includes(other))
    throw usageError(`${one} and ${other} cannot be combined`);
}

async function createContext(words: readonly string[]): Promise<Context> {
  const { env } = process;
  return {
    words,
    env,
    folder: process.cwd(),
    stdout,
    stderr,
    stdin: {
      get isTerminal() {
        return process.stdin.isTTY;
      },
      read: (most) => readInput(process.stdin, most),
    },
    warnings: [],
    paint: painted ? await loadPaint() : NO_PAINT,
    liveLines: async () =>
      stderr.isTerminal
        ? (await import('./terminal/interactive.ts')).liveLines(process.stderr, (text) =>
            visible(text, painted),
          )
        : null,
    interruption: createInterruption(),
    version: PACKAGE_VERSION,
    ...ownProcess(process),
  };
}

function wantsColours({ argv, env, stdout }: NodeJS.Process): boolean {
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const refused = argv.includes('--no-color') || (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '');
  return !refused && (forced || (stdout.isTTY && env['TERM'] !== 'dumb'));
}

/** The first signal is for the command to answer; the second one ends the process at once. */
function createInterruption(): Interruption {
  const controller = new AbortController();
  let code: 130 | 143 | null = null;
  let graceful = false;
  const onSignal = (exitCode: 130 | 143) => {
    if (code !== null || !graceful) process.exit(exitCode);
    code = exitCode;
    controller.abort();
  };
  process.on('SIGINT', () => {
    onSignal(130);
  });
  process.on('SIGTERM', () => {
    onSignal(143);
  });
  process.on('SIGHUP', () => {
    onSignal(143);
  });
  return {
    signal: controller.signal,
    exitCode: () => code,
    handleGracefully: () => {
      graceful = true;
    },
  };
}

const exitCode = await main();
const lost = await finish();
// What still waits for its end (a socket, a timer) must not hold the command; what was written is out by now.
process.exit(exitOf(exitCode, lost));

function exitOf(code: number, lost: NodeJS.ErrnoException | null): number {
  if (lost === null) return code;
  const told = problem('LT_CLI_DISK', `standard output cannot be written: ${reasonOf(lost)}`);
  stderr.write(renderProblem(told, NO_PAINT));
  return exitCodeOfLoss(code);
}
