/** Runs a command whose requests are recorded. */
import { spawn } from 'node:child_process';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { failureOf, forwardOutput } from './command-output.ts';

export interface RecordedEnvironment {
  readonly proxyOrigin: string;
  /** Variables of the environment of the command. `{url}` in a value is the address of the proxy. */
  readonly variables: readonly (readonly [name: string, value: string])[];
}

/** The end of a command: null if it succeeded, otherwise the reason. */
export async function runRecordedCommand(
  context: Context,
  [program = '', ...args]: readonly string[],
  { proxyOrigin, variables }: RecordedEnvironment,
): Promise<string | null> {
  const url = (text: string) => text.replaceAll('{url}', proxyOrigin);
  const child = spawn(program, args.map(url), {
    cwd: context.directory,
    env: {
      ...childEnvironment(context.env),
      LOADTESTS_RECORD_URL: proxyOrigin,
      ...Object.fromEntries(variables.map(([name, value]) => [name, url(value)])),
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  forwardOutput(child, {
    write: (text: string) => {
      if (!context.quiet) context.stderr.write(text);
    },
  });
  const stop = () => {
    if (child.pid !== undefined) context.killGroup(child.pid, 'SIGTERM');
  };
  const removeAction = context.onExit(stop);
  context.interruption.signal.addEventListener('abort', stop, { once: true });
  return await new Promise((resolve) => {
    const end = (reason: string | null) => {
      removeAction();
      context.interruption.signal.removeEventListener('abort', stop);
      resolve(reason);
    };
    child.once('error', (error) => {
      end(error.message);
    });
    child.once('close', (code, signal) => {
      end(failureOf(code, signal));
    });
  });
}
