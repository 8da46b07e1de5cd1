/** Opens a link in the browser of whoever sits in front of this machine. */
import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeOutputFile } from '../../disk/output-file.ts';
import { makeTemporaryDirectory } from '../../disk/temporary-directory.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { isCi } from './connect.ts';

/** A program, and the words before what it is to open. */
export type BrowserCommand = readonly [program: string, ...words: string[]];

/** Null: this is no terminal of somebody who would see a browser open. */
export function findBrowser({ env, stdout }: Pick<Context, 'env' | 'stdout'>): BrowserCommand | null {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  if (!stdout.isTerminal || isCi(env) || isSet('SSH_CONNECTION')) return null;
  const system = platform();
  if (system === 'darwin') return ['open'];
  if (system === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? ['xdg-open'] : null;
}

/** Some hand the file to a browser that runs and end, others become the browser. */
const MAX_LAUNCH_MS = 10_000;
/** What a browser has to read it, from when it was told to. */
const READ_GRACE_MS = 2000;

/**
 * Gives why it could not be opened; null where it was, as far as anybody can tell.
 *
 * Shape: everybody on the machine can read command lines, and whoever is first uses the link. So the browser is told to
 *        open a file that only this user can read, and the file leads on. It is there until the browser has read it.
 */
export async function openInBrowser(
  context: Pick<Context, 'env' | 'interruption' | 'onExit'>,
  [program, ...words]: BrowserCommand,
  link: string,
): Promise<string | null> {
  const directory = makeTemporaryDirectory();
  const takeBack = context.onExit(directory.remove);
  context.interruption.handleGracefully();
  try {
    const file = join(directory.path, 'open.html');
    writeOutputFile(file, redirectPageOf(link), 0o600);
    const env = childEnvironment(context.env);
    const child = spawn(program, [...words, file], { env, stdio: 'ignore', detached: true });
    const ended = new Promise<string | null>((resolve) => {
      child.once('error', (error) => {
        resolve(`${program}: ${reasonOf(error)}`);
      });
      child.once('exit', (code) => {
        resolve(code === 0 ? null : `${program} exited with ${String(code)}`);
      });
    });
    const { signal } = context.interruption;
    const waited = new AbortController();
    const failure = await Promise.race([
      ended,
      pause(MAX_LAUNCH_MS, AbortSignal.any([signal, waited.signal])),
    ]);
    waited.abort();
    // It may be the browser by now, which outlives this command.
    child.unref();
    if (failure === null) await pause(READ_GRACE_MS, signal);
    return failure;
  } catch (error) {
    return reasonOf(error);
  } finally {
    takeBack();
    directory.remove();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<null> {
  return await sleep(ms, null, { signal }).catch(() => null);
}

/** A page of one link. */
function redirectPageOf(link: string): string {
  const href = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}">
<title>loadtests</title>
<a href="${href}">Open the page of loadtests</a>
`;
}
