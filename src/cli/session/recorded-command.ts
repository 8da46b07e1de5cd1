/** Runs a command whose requests are recorded. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';

/** The end of a command: null if it succeeded, otherwise the reason. */
export async function runRecordedCommand(
  context: Context,
  [program = '', ...args]: readonly string[],
  proxyOrigin: string,
): Promise<string | null> {
  const url = (text: string) => text.replaceAll('{url}', proxyOrigin);
  const child = spawn(program, args.map(url), {
    cwd: context.directory,
    env: { ...childEnvironment(context.env), LOADTESTS_RECORD_URL: proxyOrigin },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (!context.quiet) context.stderr.write(`${stripVTControlCharacters(line)}\n`);
    });
  }
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
      end(code === 0 ? null : signal === null ? `exit code ${code ?? ''}` : `terminated by ${signal}`);
    });
  });
}
