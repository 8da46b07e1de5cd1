/** The examples and the file at the root of the repository, in folders in which nothing was applied yet. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyExamples, run, temporaryFolder } from './cli.ts';
import { freePort } from './free-port.ts';
import { runInThisProcess } from './same-process.ts';

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** What a command prints with `--json`, as far as tests of examples look at it. */
export interface Document {
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
function shortened(text: string): string {
  return text.replaceAll(/(test_type: cycling\n(?: {4}.*\n)*? {4}duration: )\d+s\n/g, '$11s\n');
}

/** For the same reason: a server of an example takes 10 ms for each answer. */
function slowed(program: string): string {
  const slow = program.replace(/response\.end\((.*)\);/, 'setTimeout(() => response.end($1), 10);');
  if (slow === program)
    throw new Error(`a server of an example does not answer with response.end:\n${program}`);
  return slow;
}

/** Edits the files below a folder in which examples were copied. */
function lightened(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('loadtests.yaml')) editFile(join(folder, name), shortened);
    if (name.endsWith('server.mjs')) editFile(join(folder, name), slowed);
  }
}

export function editFile(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

export function copyOfExamples() {
  const folder = temporaryFolder();
  copyExamples(EXAMPLES, folder.path);
  lightened(folder.path);
  return folder;
}

/** The file at the root of the repository, with its shop. */
export async function openShipped(change: (text: string) => string = (text) => text) {
  const { path: folder, remove } = temporaryFolder();
  copyExamples(join(EXAMPLES, 'shop'), join(folder, 'examples/shop'));
  const text = readFileSync(join(EXAMPLES, '../loadtests.yaml'), 'utf8');
  writeFileSync(join(folder, 'loadtests.yaml'), text);
  lightened(folder);
  editFile(join(folder, 'loadtests.yaml'), change);
  const port = await freePort();
  const applyBy =
    (how: typeof run) =>
    async (...flags: string[]) => {
      const args = ['apply', '--yes', '--json', '--var', `host=127.0.0.1:${port}`, ...flags];
      const ran = await how(args, { folder, env: { SHOP_PORT: String(port) } });
      return { ...ran, document: JSON.parse(ran.stdout) as Document }; // as its schema has it
    };
  // The second is for what has nothing to run.
  return { apply: applyBy(run), applyAgain: applyBy(runInThisProcess), remove };
}
