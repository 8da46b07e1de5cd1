/**
 * Follows docs/get-started.md in an empty directory: writes its files, runs its commands, and compares their
 * output with the page.
 * @remarks A block of `js` or `yaml` begins with a comment that names its file. A block of `text` is the
 * output of the preceding commands to stdout, in which `…` replaces lines. Numbers, times and spaces may
 * differ.
 */
// @module-tag load
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withProgramName } from '../../src/cli/terminal/command-line.ts';
import {
  blocksOf,
  installPackage,
  shellEnvironment,
  type DocumentBlock,
} from '../support/document-commands.ts';
import { findFreePort } from '../support/free-port.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/get-started.md');

/** Port in the tutorial; the test uses a free port instead. */
const PORT = '8080';

async function shell(line: string, directory: string): Promise<string> {
  const env = shellEnvironment(directory);
  return await new Promise((resolve) => {
    execFile('sh', ['-c', line], { cwd: directory, env }, (_, stdout) => {
      resolve(stdout);
    });
  });
}

/** A line that only runs a command of the package, and may print its exit code. */
const COMMAND = /^npx --no-install loadtests ([^;&|>'"]*)(; echo "exit code \$\?")?$/;

/** Commands that start the program, once each, because that is slow: one that prints a hint with its name, and one with load. */
const STARTED = ['init', 'apply'];

/** Runs a line of the tutorial, and returns its output. */
async function runLine(line: string, { directory, started }: { directory: string; started: Set<string> }) {
  const [, command = '', printsExit] = COMMAND.exec(line) ?? [];
  const args = command.trim().split(/\s+/);
  const [name = ''] = args;
  if (command === '' || (STARTED.includes(name) && !started.has(name))) {
    started.add(name);
    return await shell(line, directory);
  }
  const { stdout, exit } = await runInProcess(args, { directory, env: shellEnvironment(directory) });
  // As if npx had started the command.
  const output = withProgramName(stdout, { npm_command: 'exec' });
  return output + (printsExit === undefined ? '' : `exit code ${String(exit)}\n`);
}

/**
 * Removes the differences between two runs: numbers with their units, dates, and the spaces that align
 * columns.
 */
function comparable(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/g, 'DATE')
    .replaceAll(/[-+]?\d[\d,.]*(?: ?(?:µs|ms|kB|MB|GB|B)\b| ?(?:[smhd]\b|%))?(?:\d+[smh]\b)*/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Lines that a busy machine adds to an output. */
const ADDED = /load generator|stalled|^connect pN/;

/** Requires the lines in this order; `…` matches any further lines. */
function expectOutput(output: string, { line, text }: DocumentBlock): void {
  const [actual, expected] = [output, text].map((all) =>
    all
      .trim()
      .split('\n')
      .map(comparable)
      .filter((one) => one !== '' && !ADDED.test(one)),
  ) as [string[], string[]];
  let at = 0;
  let mayDiffer = false;
  for (const one of expected) {
    if (one === '…') {
      mayDiffer = true;
      continue;
    }
    const found: number = mayDiffer ? actual.indexOf(one, at) : actual[at] === one ? at : -1;
    if (found === -1) expect(output, `docs/get-started.md, block at line ${line}`).toBe(text);
    at = found + 1;
    mayDiffer = false;
  }
  if (!mayDiffer && at < actual.length)
    expect(output, `docs/get-started.md, block at line ${line}`).toBe(text);
}

test('in an empty directory, the commands of the tutorial produce the output that the tutorial shows', async () => {
  const directory = createTestDirectory();
  const started = new Set<string>();
  const port = `${await findFreePort()}`;
  const blocks = blocksOf(
    readFileSync(PAGE, 'utf8').replaceAll(`:${PORT}`, `:${port}`).replaceAll(`(${PORT},`, `(${port},`),
  );
  expect(blocks.filter(({ kind }) => kind === 'sh').length).toBeGreaterThan(5);
  let output = '';
  for (const block of blocks) {
    const { kind, text } = block;
    if (kind === 'sh') {
      output = '';
      for (const line of text.trim().split('\n')) {
        // The release is not downloaded.
        if (line.startsWith('curl ')) continue;
        if (/ npm i -D \.\/loadtests-.*\.tgz$/.test(line)) installPackage(directory);
        else output += await runLine(line, { directory, started });
      }
    } else if (kind === 'text') {
      expectOutput(output, block);
    } else {
      const [, name] = /^(?:#|\/\/) ([\w./-]+)\n/.exec(text) ?? [];
      if (name === undefined) throw new Error(`the block at line ${block.line} does not name its file`);
      writeFileSync(join(directory, name), text);
    }
  }
});
