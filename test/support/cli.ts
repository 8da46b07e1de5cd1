/** Runs the built program as a user does: in its own process and directory. */
import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  /** True to keep standard input open without data. */
  readonly stdinStaysOpen?: boolean;
  /**
   * True to run as a user with restricted permissions, because root, who runs tests in containers, has none.
   */
  readonly unprivileged?: boolean;
}

const ROOT = process.getuid?.() === 0;
/** The user id of `nobody` on most systems. */
const NOBODY_UID = 65_534;

/** Directory of the key that signs saved plans, so that no test uses the key of the user. */
const STATE_DIRECTORY = join(tmpdir(), `loadtests-test-state-${process.getuid?.() ?? ''}`);

/** Returns the environment of the program, which does not include that of the tests. */
export function testEnvironment(variables: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), XDG_STATE_HOME: STATE_DIRECTORY, ...variables };
}

/** Starts the program. Output with `--json` is always checked against its schema. */
export function startCli(args: readonly string[], options: RunOptions) {
  const started = startProcess(process.execPath, [PROGRAM, ...args], options);
  if (!printsJson(args)) return started;
  const checked = started.ended.then((ran) => {
    // A killed program may have printed incomplete output.
    if (ran.exit !== null) expectValidReports(ran.stdout);
    return ran;
  });
  return { ...started, ended: checked };
}

/** Reports whether a command prints JSON. The arguments after `--` are those of another program. */
export function printsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).includes('--json');
}

/** Checks a document, or one event per line. Help is plain text, even with `--json`. */
export function expectValidReports(stdout: string): void {
  if (stdout.startsWith('Usage: ')) return;
  for (const text of stdout.startsWith('{"event"') ? stdout.split('\n') : [stdout]) {
    const mismatch = text === '' ? null : reportMismatch(JSON.parse(text));
    if (mismatch !== null) throw new Error(`the output does not match its schema:\n${mismatch}\n${text}`);
  }
}

/** Runs a line of bash in which `loadtests` is the program, for setups that only a shell supports. */
export function startShell(line: string, options: RunOptions) {
  const program = `loadtests() { '${process.execPath}' '${PROGRAM}' "$@"; }`;
  return startProcess('bash', ['-c', `${program}\n${line}`], options);
}

/** Returns the URL in the log of a service that is listening. */
export function listeningUrlOf(output: string): string {
  return /"url":"([^"]+)"/.exec(output)?.[1] ?? '';
}

export function startProcess(command: string, args: readonly string[], options: RunOptions) {
  const child = spawn(command, args, {
    cwd: options.directory,
    env: testEnvironment(options.env ?? {}),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.unprivileged === true && ROOT ? { uid: NOBODY_UID, gid: NOBODY_UID } : {}),
  });
  let stdout = '';
  let stderr = '';
  // A character may arrive in two chunks.
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  const taken = new Promise<void>((resolve) => {
    child.stdin.write(options.stdin ?? '', () => resolve());
  });
  if (options.stdinStaysOpen !== true) child.stdin.end();
  // Output may still arrive after the exit of the process.
  let isClosed = false;
  const ended = new Promise<CliResult>((resolve) => {
    child.once('close', (exit) => {
      isClosed = true;
      resolve({ stdout, stderr, exit });
    });
  });
  return {
    pid: child.pid,
    ended,
    /** Resolves when the process has read all of `stdin` that does not fit in buffers. */
    taken,
    /** The current output of both streams. */
    output: () => stdout + stderr,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Resolves when the string has appeared on either stream. */
    saw: async (text: string): Promise<void> => {
      while (!(stdout + stderr).includes(text)) {
        if (isClosed) throw new Error(`the process exited without printing "${text}":\n${stdout}${stderr}`);
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

/** Copies examples without the files of an earlier apply. */
export function copyExamples(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !/\/(public|\.loadtests)$/.test(path) });
}
