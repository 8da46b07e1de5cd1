import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeOutputFile } from '../../disk/output-file.ts';
import { makeTemporaryDirectory } from '../../disk/temporary-directory.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { onceAtExit } from '../terminal/process-control.ts';
import { failureOf } from './command-output.ts';
import { isCi } from './connect.ts';

/** Program that opens a file in the browser, and its arguments before the file name. */
export type BrowserCommand = readonly [program: string, ...words: string[]];

/** Returns the command that opens the browser; null in CI, over SSH, or if there is no terminal or desktop. */
export function findBrowser({ env, stdout }: Pick<Context, 'env' | 'stdout'>): BrowserCommand | null {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  if (!stdout.isTerminal || isCi(env) || isSet('SSH_CONNECTION')) return null;
  const system = platform();
  if (system === 'darwin') return ['open'];
  if (system === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? ['xdg-open'] : null;
}

/** Maximum wait for the program, which may run until the browser is closed. */
const MAX_LAUNCH_MS = 10_000;
/** Wait before the file is deleted, so that the browser can read it. */
const READ_GRACE_MS = 2000;

/**
 * Other users can read command lines, so the command line contains only the path of a private file that redirects to
 * the link.
 * @returns The reason if the browser could not be opened; null otherwise.
 */
export async function openInBrowser(
  context: Pick<Context, 'env' | 'interruption' | 'onExit'>,
  [program, ...words]: BrowserCommand,
  link: string,
): Promise<string | null> {
  const directory = makeTemporaryDirectory();
  const remove = onceAtExit(context, directory.remove);
  context.interruption.handleGracefully();
  try {
    const file = join(directory.path, 'open.html');
    writeOutputFile(file, redirectPageOf(link), 0o600);
    const env = childEnvironment(context.env);
    const child = spawn(program, [...words, file], { env, stdio: 'ignore', detached: true });
    const ended = new Promise<string | null>((resolve) => {
      child.once('error', (error) => resolve(`${program}: ${reasonOf(error)}`));
      child.once('exit', (code, signal) => {
        const failure = failureOf(code, signal);
        resolve(failure === null ? null : `${program}: ${failure}`);
      });
    });
    const { signal } = context.interruption;
    const exited = new AbortController();
    const failure = await Promise.race([
      ended,
      pause(MAX_LAUNCH_MS, AbortSignal.any([signal, exited.signal])),
    ]);
    exited.abort();
    // The program may be the browser itself, which must not keep this process alive.
    child.unref();
    if (failure === null) await pause(READ_GRACE_MS, signal);
    return failure;
  } catch (error) {
    return reasonOf(error);
  } finally {
    remove();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<null> {
  return await sleep(ms, null, { signal }).catch(() => null);
}

function redirectPageOf(link: string): string {
  const href = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}">
<title>loadtests</title>
<a href="${href}">Open the loadtests web UI</a>
`;
}
