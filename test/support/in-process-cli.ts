/**
 * Runs a command in the process of the test, from the source, which takes a tenth of the time of a child
 * process. For the steps before the tested command, and for tests that compare the output of many command
 * lines.
 */
import { resolveHelp } from '../../src/cli/program.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { createProcessControl } from '../../src/cli/terminal/process-control.ts';
import { NO_PAINT } from '../../src/report/paint.ts';
import { testEnvironment, expectValidReports, printsJson, type CliResult, type RunOptions } from './cli.ts';

export interface InProcessOptions extends Pick<RunOptions, 'directory' | 'env'> {
  /** Answers the questions of the command, as on a terminal. Without it, the command has no terminal. */
  readonly confirm?: (question: string) => boolean;
  /** Sends SIGINT to the command if it aborts. */
  readonly interrupt?: AbortSignal;
}

export async function runInProcess(
  args: readonly string[],
  { directory, env = {}, confirm, interrupt }: InProcessOptions,
): Promise<CliResult> {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
    command: (text: string) => {
      written[name] += text;
    },
    isTerminal: confirm !== undefined,
    columns: confirm === undefined ? 80 : 300,
  });
  const atExit = new Set<() => void>();
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
      signal: interrupt ?? new AbortController().signal,
      exitCode: () => (interrupt?.aborted === true ? 130 : null),
      handleGracefully: () => undefined,
    },
    version: '0.0.0',
    onExit: (action) => {
      atExit.add(action);
      return () => atExit.delete(action);
    },
  });
  for (const action of atExit) action();
  if (printsJson(args)) expectValidReports(written.stdout);
  return { ...written, exit };
}
