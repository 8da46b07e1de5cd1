/** A program of the rig in a process of its own: bundled as the product is, and measured beside nobody. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BundledChild {
  readonly process: ChildProcess;
  /** What it says next. */
  messages(): Promise<unknown>;
  /** Ends it, once it has nothing left to do. */
  close(): Promise<void>;
}

/** `name`: of its file in this directory. */
export async function startBundledChild(name: string): Promise<BundledChild> {
  const directory = mkdtempSync(join(tmpdir(), 'child-'));
  const program = join(directory, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  const child = fork(program, { serialization: 'advanced', execArgv: [] });
  return {
    process: child,
    messages: () => nextMessage(child),
    close: async () => {
      child.disconnect();
      await once(child, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (): void => {
      reject(new Error('the child ended'));
    };
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
