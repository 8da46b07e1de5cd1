#!/usr/bin/env node
/** The entry: the only file that touches `process`, and the only one that ends it. */
import { problem } from '../core/problem.ts';
import { answer } from './answer.ts';
import type { Context, Interruption, LiveLines, Output } from './terminal/context.ts';
import { reasonOf } from './terminal/errors.ts';
import { exitCodeOfLoss } from './terminal/outcome.ts';
import { ownProcess } from './terminal/own-process.ts';
import { withoutHelp } from './program.ts';
import { loadPaint } from './render/paint.ts';
import { NO_PAINT } from '../report/paint.ts';
import { renderProblem } from './render/problem.ts';
import { openOutputs, readInput, visible } from './terminal/standard-streams.ts';

/** Put in by the build. */
declare const PACKAGE_VERSION: string;

const painted = wantsColours(process);
const outputs = openOutputs(process, painted);
const { finish } = outputs;
/** What stands on the terminal and is not to last. */
let live: LiveLines | null = null;
const [stdout, stderr] = [overLiveLines(outputs.stdout), overLiveLines(outputs.stderr)];

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
    quiet: false,
    warnings: [],
    paint: painted ? await loadPaint() : NO_PAINT,
    liveLines: async (on) => {
      if (!outputs[on].isTerminal) return null;
      const { liveLines } = await import('./terminal/interactive.ts');
      live = liveLines(process[on], (text) => visible(text, painted));
      return live;
    },
    confirm: async (question) =>
      await (await import('./terminal/interactive.ts')).confirmed(process.stderr, question),
    interruption: createInterruption(),
    version: PACKAGE_VERSION,
    ...ownProcess(process),
  };
}

/** Both streams may be one terminal: what is written there stands where the live lines stood. */
function overLiveLines(output: Output): Output {
  return {
    write: (text) => {
      if (output.isTerminal) live?.clear();
      output.write(text);
    },
    command: (text) => {
      if (output.isTerminal) live?.clear();
      output.command(text);
    },
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
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

const exitCode = await answer(await createContext(withoutHelp(process.argv.slice(2))));
const lost = await finish();
// What still waits for its end (a socket, a timer) must not hold the command; what was written is out by now.
process.exit(exitOf(exitCode, lost));

function exitOf(code: number, lost: NodeJS.ErrnoException | null): number {
  if (lost === null) return code;
  const told = problem('LT_CLI_DISK', `standard output cannot be written: ${reasonOf(lost)}`);
  stderr.write(renderProblem(told, NO_PAINT));
  return exitCodeOfLoss(code);
}
