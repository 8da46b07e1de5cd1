/** The examples and the file at the root of the repository, in directories in which nothing was applied yet. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyExamples, runCli, createTemporaryDirectory } from './cli.ts';
import { findFreePort } from './free-port.ts';
import { runInProcess } from './in-process-cli.ts';

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** What a command prints with `--json`, as far as tests of examples look at it. */
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
 * A cycling test takes all of the machine for as long as it lasts, and other tests run beside it: of whatever its file
 * asks for, one second tells the same.
 */
function shortenTests(text: string): string {
  return text.replaceAll(/(test_type: cycling\n(?: {4}.*\n)*? {4}duration: )\d+s\n/g, '$11s\n');
}

/** For the same reason: a server of an example takes 10 ms for each answer. */
function slowDownServer(program: string): string {
  const slow = program.replace(/response\.end\((.*)\);/, 'setTimeout(() => response.end($1), 10);');
  if (slow === program)
    throw new Error(`a server of an example does not answer with response.end:\n${program}`);
  return slow;
}

/** Edits the files below a directory in which examples were copied. */
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

/** The file at the root of the repository, with its shop. */
export async function openRootExample(change: (text: string) => string = (text) => text) {
  const { path: directory, remove } = createTemporaryDirectory();
  copyExamples(join(EXAMPLES, 'shop'), join(directory, 'examples/shop'));
  const text = readFileSync(join(EXAMPLES, '../loadtests.yaml'), 'utf8');
  writeFileSync(join(directory, 'loadtests.yaml'), text);
  reduceLoad(directory);
  editFile(join(directory, 'loadtests.yaml'), change);
  const port = await findFreePort();
  const applyBy =
    (how: typeof runCli) =>
    async (...flags: string[]) => {
      const args = ['apply', '--yes', '--json', '--var', `host=127.0.0.1:${port}`, ...flags];
      const ran = await how(args, { directory, env: { SHOP_PORT: String(port) } });
      return { ...ran, document: JSON.parse(ran.stdout) as ExampleDocument }; // as its schema has it
    };
  // The second is for what has nothing to run.
  return { apply: applyBy(runCli), applyAgain: applyBy(runInProcess), remove };
}
