/** A raw TCP target in a process of its own, so that what measures and what is measured do not wait for each other. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TrueLog } from './truth-child.ts';

export interface TruthTarget {
  readonly port: number;
  /** What came since the last time it was asked, complete as far as it was answered. */
  log(): Promise<TrueLog>;
  /** It stands still until it is thawed; the system goes on taking connections and bytes for it. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** What a path asks for: see `truth-child.ts`. */
export async function startTruthTarget(): Promise<TruthTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'truth-'));
  const program = join(folder, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('truth-child.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  const child = fork(program, { serialization: 'advanced', execArgv: [] });
  const port = Number(await nextMessage(child));
  return {
    port,
    log: async () => {
      child.send('report');
      // What the child sends is what its own type says.
      return (await nextMessage(child)) as TrueLog;
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    close: async () => {
      child.kill('SIGCONT');
      child.disconnect();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (): void => {
      reject(new Error('the target ended'));
    };
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
