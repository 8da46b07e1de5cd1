/** Services in child processes that tests can kill. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import { onScopeEnd } from './shared.ts';

export interface ServiceChild {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly url: string;
}

/**
 * Starts a service on a data directory.
 * @param clock - speed of its clock, and the time since which it applies, in ms
 */
export type StartChild = (
  dataDirectory: string,
  mode?: 'in-process' | 'serve',
  clock?: { readonly speed: number; readonly since: number },
) => Promise<ServiceChild>;

const ROOT = new URL('../../', import.meta.url);
/** Inside the project, so that the bundle finds its external packages. */
const BUNDLE_DIRECTORY = fileURLToPath(new URL(`.tmp/service-child-${process.pid}/`, ROOT));

/** Builds the program before the tests of a file, and removes it after them. Called once per file. */
export function useServiceChild(): StartChild {
  beforeAll(async () => {
    mkdirSync(BUNDLE_DIRECTORY, { recursive: true });
    await build({
      entryPoints: [fileURLToPath(new URL('test/support/service-child.ts', ROOT))],
      outfile: `${BUNDLE_DIRECTORY}/child.mjs`,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: ['libsql'],
      banner: {
        js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
      },
      logLevel: 'warning',
    });
  });
  afterAll(() => rmSync(BUNDLE_DIRECTORY, { recursive: true, force: true }));
  return async (dataDirectory, mode = 'in-process', clock = { speed: 1, since: 0 }) => {
    const args = [dataDirectory, mode, String(clock.speed), String(clock.since)];
    const child = spawn(process.execPath, [`${BUNDLE_DIRECTORY}/child.mjs`, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onScopeEnd(() => child.kill('SIGKILL'));
    const [line] = (await once(child.stdout, 'data')) as [Buffer]; // a pipe returns bytes
    return { child, url: line.toString().trim() };
  };
}
