/** The examples and the file at the root of the repository, copied without the files of an earlier apply. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyExamples, runCli } from './cli.ts';
import { findFreePort } from './free-port.ts';
import { runInProcess } from './in-process-cli.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** The members of a `--json` document that tests of examples use. */
export interface ExampleDocument {
  readonly problems: readonly { readonly code: string; readonly severity: string }[];
  readonly has_changes: boolean;
  readonly environment: string | null;
  readonly summary: Readonly<Record<string, number>>;
  readonly load: { readonly peak_connections: Readonly<Record<string, number>> };
  readonly runs: readonly {
    readonly address: string;
    readonly verdict: string;
    readonly started_by_us: boolean;
    readonly result_id: string;
    readonly result: { readonly success: number; readonly requests: number };
  }[];
}

/**
 * Shortens cycling tests to one second. They use all available CPU time, and other tests run concurrently; a
 * longer run does not test anything more.
 */
function shortenTests(text: string): string {
  return text.replaceAll(/(test_type: cycling\n(?: {4}.*\n)*? {4}duration: )\d+s\n/g, '$11s\n');
}

/** Delays the responses of an example's server by 20 ms, so that a cycling test uses less CPU time. */
function slowDownServer(program: string): string {
  const slow = program.replace(/response\.end\((.*)\);/, 'setTimeout(() => response.end($1), 20);');
  if (slow === program) throw new Error(`the server of the example does not call response.end:\n${program}`);
  return slow;
}

/** Reduces the load of copied examples. */
function reduceLoad(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('loadtests.yaml')) editFile(join(directory, name), shortenTests);
    if (name.endsWith('server.mjs')) editFile(join(directory, name), slowDownServer);
  }
}

export function editFile(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

export function copyAllExamples() {
  const directory = createTemporaryDirectory();
  copyExamples(EXAMPLES, directory.path);
  reduceLoad(directory.path);
  return directory;
}

/** Opens the file at the root of the repository, with its shop. */
export async function openRootExample(change: (text: string) => string = (text) => text) {
  const { path: directory, remove } = createTemporaryDirectory();
  copyExamples(join(EXAMPLES, 'shop'), join(directory, 'examples/shop'));
  const text = readFileSync(join(EXAMPLES, '../loadtests.yaml'), 'utf8');
  writeFileSync(join(directory, 'loadtests.yaml'), text);
  reduceLoad(directory);
  editFile(join(directory, 'loadtests.yaml'), change);
  const port = await findFreePort();
  const applyBy =
    (run: typeof runCli) =>
    async (...flags: string[]) => {
      const args = ['apply', '--yes', '--json', '--var', `host=127.0.0.1:${port}`, ...flags];
      const ran = await run(args, { directory, env: { SHOP_PORT: String(port) } });
      return { ...ran, document: JSON.parse(ran.stdout) as ExampleDocument }; // according to its schema
    };
  // A command in this process is cheaper, but much load needs its own process.
  return { apply: applyBy(runCli), applyInProcess: applyBy(runInProcess), remove };
}
