/**
 * Runs a command in the process of the test, from the source, which takes a tenth of the time of a child
 * process. Tests of the process itself, such as its signals, standard streams and environment, run the built program.
 */
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolveHelp } from '../../src/cli/program.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { createProcessControl } from '../../src/cli/terminal/process-control.ts';
import { toVisibleText } from '../../src/cli/terminal/standard-streams.ts';
import type { SignalExitCode } from '../../src/core/problem.ts';
import { NO_PAINT } from '../../src/report/paint.ts';
import { testEnvironment, expectValidReports, printsJson, type CliResult, type RunOptions } from './cli.ts';
import { onScopeEnd } from './shared.ts';

/** The version of the built program, which can apply plans of the same version. */
const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

export interface InProcessOptions extends Pick<RunOptions, 'directory' | 'env'> {
  /** Answers the questions of the command, as on a terminal. Without it, the command has no terminal. */
  readonly confirm?: (question: string) => boolean;
  /** Sends SIGINT to the command if it aborts. */
  readonly interrupt?: AbortSignal;
}

export async function runInProcess(
  args: readonly string[],
  { interrupt, ...options }: InProcessOptions,
): Promise<CliResult> {
  const started = startInProcess(args, options);
  if (interrupt?.aborted === true) started.interrupt();
  interrupt?.addEventListener('abort', () => started.interrupt());
  return await started.ended;
}

/** Starts a command that continues until it is interrupted, or whose output a test waits for. */
export function startInProcess(
  args: readonly string[],
  { directory, env = {}, confirm }: Omit<InProcessOptions, 'interrupt'>,
) {
  const written = { stdout: '', stderr: '' };
  const changed = new EventEmitter();
  const append = (name: keyof typeof written, text: string) => {
    written[name] += text;
    changed.emit('change');
  };
  const output = (name: keyof typeof written) => ({
    write: (text: string) => append(name, toVisibleText(text, false)),
    command: (text: string) => append(name, text),
    isTerminal: confirm !== undefined,
    columns: confirm === undefined ? 80 : 300,
  });
  const interruption = new AbortController();
  let signalExit: SignalExitCode | null = null;
  const atExit = new Set<() => void>();
  let isRunning = true;
  const run = async (): Promise<CliResult> => {
    const exit = await runCommand({
      ...createProcessControl(process),
      args: resolveHelp(args),
      env: testEnvironment(env),
      directory,
      stdout: output('stdout'),
      stderr: output('stderr'),
      stdin: { isTerminal: confirm !== undefined, read: () => Promise.resolve(new Uint8Array()) },
      quiet: false,
      warnings: [],
      paint: NO_PAINT,
      liveLines: () => Promise.resolve(null),
      confirm: (question) => Promise.resolve(confirm?.(question) ?? false),
      interruption: {
        signal: interruption.signal,
        exitCode: () => signalExit,
        handleGracefully: () => undefined,
      },
      version: VERSION,
      onExit: (action) => {
        atExit.add(action);
        return () => atExit.delete(action);
      },
    }).finally(() => {
      for (const action of atExit) action();
      isRunning = false;
      changed.emit('change');
    });
    if (printsJson(args)) expectValidReports(written.stdout);
    return { ...written, exit };
  };
  return {
    ended: run(),
    /** The current output of both streams. */
    output: () => written.stdout + written.stderr,
    /** Resolves when the string has appeared on either stream. */
    saw: async (text: string): Promise<void> => {
      while (!(written.stdout + written.stderr).includes(text)) {
        if (!isRunning)
          throw new Error(
            `the command ended without printing "${text}":\n${written.stdout}${written.stderr}`,
          );
        await once(changed, 'change');
      }
    },
    /** Sends a signal with this exit code to the command. */
    interrupt: (exit: SignalExitCode = 130): void => {
      signalExit ??= exit;
      interruption.abort();
    },
  };
}

/** Starts a service, which ends with the test or group. Returns the output of its start. */
export async function serveInProcess(
  args: readonly string[],
  options: Pick<InProcessOptions, 'directory' | 'env'>,
) {
  const server = startInProcess(args, options);
  onScopeEnd(async () => {
    server.interrupt();
    await server.ended;
  });
  await server.saw('"listening"');
  return server;
}
