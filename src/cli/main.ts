#!/usr/bin/env node
/** Entry point of the `loadtests` command. */
import { isatty } from 'node:tty';
import { problem, type SignalExitCode } from '../core/problem.ts';
import { runCommand } from './run-command.ts';
import type { Context, Interruption, LiveLines, Output } from './terminal/context.ts';
import { reasonOf } from './terminal/errors.ts';
import { exitCodeOfLoss } from './terminal/outcome.ts';
import { createProcessControl } from './terminal/process-control.ts';
import { resolveHelp } from './program.ts';
import { loadPaint } from './render/paint.ts';
import { NO_PAINT } from '../report/paint.ts';
import { renderProblem } from './render/problem.ts';
import { readEnvironment } from '../disk/passed-environment.ts';
import { openOutputs, readInput, toVisibleText } from './terminal/standard-streams.ts';

/** The build defines this constant. */
declare const PACKAGE_VERSION: string;

/** File descriptors of the standard streams that were terminals when the process started. */
const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
const env = readOwnEnvironment();
const hasColors = wantsColors(process.argv, process.stdout.isTTY);
const outputs = openOutputs(process, hasColors);
const { finish } = outputs;
/** Live lines on stdout or stderr; null until they are created. */
let liveOutputs: LiveLines | null = null;
const [stdout, stderr] = [withLiveLines(outputs.stdout), withLiveLines(outputs.stderr)];

async function createContext(args: readonly string[]): Promise<Context> {
  return {
    args,
    env,
    directory: process.cwd(),
    stdout,
    stderr,
    stdin: {
      get isTerminal() {
        return process.stdin.isTTY;
      },
      read: (maxBytes) => readInput(process.stdin, maxBytes),
    },
    quiet: false,
    warnings: [],
    paint: hasColors ? await loadPaint() : NO_PAINT,
    liveLines: async (on) => {
      if (!outputs[on].isTerminal) return null;
      const { createLiveLines } = await import('./terminal/interactive.ts');
      liveOutputs = createLiveLines(process[on], (text) => toVisibleText(text, hasColors));
      return liveOutputs;
    },
    confirm: async (question) => {
      const { askConfirmation } = await import('./terminal/interactive.ts');
      // At the prompt, standard input ends only if the terminal is closed.
      process.stdin.once('end', () => endProcess(129));
      return await askConfirmation(process.stderr, question);
    },
    interruption: createInterruption(),
    version: PACKAGE_VERSION,
    ...createProcessControl(process),
  };
}

/** Each write to a terminal clears the live lines, because stdout and stderr may be the same terminal. */
function withLiveLines(output: Output): Output {
  return {
    write: (text) => {
      if (output.isTerminal) liveOutputs?.clear();
      output.write(text);
    },
    command: (text) => {
      if (output.isTerminal) liveOutputs?.clear();
      output.command(text);
    },
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
  };
}

function readOwnEnvironment(): Context['env'] {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    process.stderr.write(
      `error LT_CLI_USAGE: the environment cannot be read from the file descriptor in LOADTESTS_ENV_FD: ${reasonOf(error)}\n`,
    );
    process.exit(3);
  }
}

function wantsColors(argv: readonly string[], isTerminal: boolean): boolean {
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const refused = argv.includes('--no-color') || (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '');
  return !refused && (forced || (isTerminal && env['TERM'] !== 'dumb'));
}

/**
 * The first signal aborts `signal` if the command has called `handleGracefully`; otherwise, the first signal ends the
 * process. The second signal always ends the process.
 */
function createInterruption(): Interruption {
  const controller = new AbortController();
  let code: SignalExitCode | null = null;
  let graceful = false;
  const onSignal = (exitCode: SignalExitCode) => {
    if (code !== null || !graceful) endProcess(exitCode);
    code = exitCode;
    controller.abort();
  };
  process.on('SIGINT', () => onSignal(130));
  process.on('SIGTERM', () => onSignal(143));
  process.on('SIGHUP', () => onSignal(129));
  return {
    signal: controller.signal,
    exitCode: () => code,
    handleGracefully: () => {
      graceful = true;
    },
  };
}

const exitCode = await runCommand(await createContext(resolveHelp(process.argv.slice(2))));
const outputLoss = await finish();
// Exits explicitly, because an open socket or timer would keep the process alive. The output has been flushed.
endProcess(exitCodeWithLoss(exitCode, outputLoss));

/**
 * If the terminal has been closed, the process sends SIGHUP to itself, because `process.exit` would abort in this case.
 */
function endProcess(code: number): void {
  if (terminals.some((descriptor) => !isatty(descriptor))) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(code);
}

function exitCodeWithLoss(code: number, error: NodeJS.ErrnoException | null): number {
  if (error === null) return code;
  const outputProblem = problem(
    'LT_CLI_DISK',
    `the output cannot be written to standard output: ${reasonOf(error)}`,
  );
  stderr.write(renderProblem(outputProblem, NO_PAINT));
  return exitCodeOfLoss(code);
}
