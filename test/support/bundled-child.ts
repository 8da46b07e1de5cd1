/** Support programs in child processes, bundled like the product, so that their load is not measured. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BundledChild {
  readonly process: ChildProcess;
  /** Resolves with the next message. */
  messages(): Promise<unknown>;
  /** Waits until the process has exited after its remaining work. */
  close(): Promise<void>;
}

/**
 * Starts a program.
 * @param name - name of its file in this directory
 */
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
    const ended = (): void => reject(new Error('the child process exited'));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
