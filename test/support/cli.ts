/** Runs the built program as a user does: a process of its own, in a directory of its own. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { reportMismatch } from './schema-checks.ts';

export const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
}

export interface RunOptions {
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Nothing follows on standard input, and it does not end either. */
  readonly stdinStaysOpen?: boolean;
  /** As a user whom permissions hold for: they do not hold for root, who runs tests in containers. */
  readonly unprivileged?: boolean;
}

const ROOT = process.getuid?.() === 0;
/** `nobody`, as most systems number it. */
const NOBODY_UID = 65_534;

/** The environment of the tests does not reach the program. */
export function testEnvironment(given: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), ...given };
}

/** What it prints with `--json` is judged by its schema, whatever the test looks at. */
export function startCli(args: readonly string[], options: RunOptions) {
  const started = startProcess(process.execPath, [PROGRAM, ...args], options);
  if (!args.includes('--json')) return started;
  const judged = started.ended.then((ran) => {
    // What was killed may have printed a part.
    if (ran.exit !== null) expectValidReports(ran.stdout);
    return ran;
  });
  return { ...started, ended: judged };
}

/** One document, or an event a line. Help is a text, also with `--json`. */
export function expectValidReports(stdout: string): void {
  if (stdout.startsWith('Usage: ')) return;
  for (const text of stdout.startsWith('{"event"') ? stdout.split('\n') : [stdout]) {
    const misfit = text === '' ? null : reportMismatch(JSON.parse(text));
    if (misfit !== null) throw new Error(`this does not fit its schema:\n${misfit}\n${text}`);
  }
}

/** A line of bash in which `loadtests` is the program: for what only a shell can set up. */
export function startShell(line: string, options: RunOptions) {
  const program = `loadtests() { '${process.execPath}' '${PROGRAM}' "$@"; }`;
  return startProcess('bash', ['-c', `${program}\n${line}`], options);
}

function startProcess(command: string, args: readonly string[], options: RunOptions) {
  const child = spawn(command, args, {
    cwd: options.directory,
    env: testEnvironment(options.env ?? {}),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.unprivileged === true && ROOT ? { uid: NOBODY_UID, gid: NOBODY_UID } : {}),
  });
  let stdout = '';
  let stderr = '';
  // A character may come in two pieces.
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  const taken = new Promise<void>((resolve) => {
    child.stdin.write(options.stdin ?? '', () => {
      resolve();
    });
  });
  if (options.stdinStaysOpen !== true) child.stdin.end();
  const ended = new Promise<CliResult>((resolve) => {
    child.once('close', (exit) => {
      resolve({ stdout, stderr, exit });
    });
  });
  return {
    pid: child.pid,
    ended,
    /** Resolves when all of `stdin` is on its way: the process has read what no buffer holds. */
    taken,
    /** Both streams, as far as they came. */
    output: () => stdout + stderr,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Resolves when the text has appeared on either stream. */
    saw: async (text: string): Promise<void> => {
      while (!(stdout + stderr).includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended without "${text}":\n${stdout}${stderr}`);
        await new Promise((resolve) => {
          child.stdout.once('data', resolve);
          child.stderr.once('data', resolve);
          child.once('close', resolve);
        });
      }
    },
  };
}

export async function runCli(args: readonly string[], options: RunOptions): Promise<CliResult> {
  return await startCli(args, options).ended;
}

export async function runInShell(line: string, options: RunOptions): Promise<CliResult> {
  return await startShell(line, options).ended;
}

/** Copies examples in which nothing was applied yet, whatever was applied here. */
export function copyExamples(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !/\/(public|\.loadtests)$/.test(path) });
}

/** A directory that is removed when the test is over; its path. */
export function createTestDirectory(): string {
  const { path, remove } = createTemporaryDirectory();
  onTestFinished(remove);
  return path;
}

/** A directory for more than one test. */
export function createTemporaryDirectory(from: string | null = null): {
  readonly path: string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), 'loadtests-'));
  if (from !== null) cpSync(from, path, { recursive: true });
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
