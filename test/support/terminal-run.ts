/** Runs the built program on a real terminal (a pty of `script`), and renders its screen. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testEnvironment, PROGRAM, type RunOptions } from './cli.ts';
import { waitUntil } from './test-service.ts';

const scriptVersion = spawnSync('script', ['--version'], { encoding: 'utf8' });
/** True for `script` of util-linux; other versions have other flags. */
export const HAS_TERMINAL = scriptVersion.error === undefined && scriptVersion.stdout.includes('util-linux');

export interface TerminalOptions extends Pick<RunOptions, 'directory' | 'env'> {
  readonly columns: number;
  /** Typed once the text has appeared. */
  readonly types?: { readonly after: string; readonly keys: string };
  /** Called once the text has appeared. */
  readonly acts?: { readonly after: string; readonly act: () => void };
}

export interface TerminalResult {
  /** The visible lines at the end, without erased text. */
  readonly screen: readonly string[];
  /** The complete output, with control codes. */
  readonly written: string;
  readonly exit: number | null;
}

export async function runOnTerminal(
  args: readonly string[],
  options: TerminalOptions,
): Promise<TerminalResult> {
  const { directory, env = {}, columns, types, acts } = options;
  const line = `stty cols ${columns} rows 50; exec ${commandLine(args)}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: directory,
    env: testEnvironment({ TERM: 'xterm', ...env }),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let written = '';
  let [typed, acted] = [false, false];
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    if (acts !== undefined && !acted && written.includes(acts.after)) {
      acted = true;
      acts.act();
    }
    if (types === undefined || typed || !written.includes(types.after)) return;
    typed = true;
    child.stdin.write(types.keys);
  });
  const exit = await new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.destroy();
  return { screen: renderScreen(written), written, exit };
}

/** Runs the program and closes its terminal when a text appears. Returns the exit code that the shell sees. */
export async function runOnClosedTerminal(
  args: readonly string[],
  options: Pick<RunOptions, 'directory' | 'env'> & { readonly after: string },
): Promise<number> {
  const { directory, env = {}, after } = options;
  const status = join(directory, 'status');
  // The shell passes SIGHUP on, which interrupts the first `wait`. The file appears complete.
  const line = `stty cols 80 rows 50; exec 3<&0; ${commandLine(args)} <&3 & trap "kill -HUP $!" HUP; wait $!; wait $!; echo $? > new; mv new status`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: directory,
    env: testEnvironment({ TERM: 'xterm', ...env }),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    if (written.includes(after)) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('close', resolve));
  if (!written.includes(after)) throw new Error(`the program did not print "${after}":\n${written}`);
  return await waitUntil(() => (existsSync(status) ? Number(readFileSync(status, 'utf8')) : null));
}

function commandLine(args: readonly string[]): string {
  return [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
}

// oxlint-disable-next-line no-control-regex -- control sequences begin with an escape character
const OUTPUT_TOKENS = /\u001b\[([?\d;]*)([A-Za-z])|\r|\n|[^\u001b\r\n]/gu;

/** Renders an unlimited screen, with the features that our output uses: text, cursor movement, erasing. */
function renderScreen(written: string): readonly string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  for (const [piece, count = '', code] of written.matchAll(OUTPUT_TOKENS)) {
    const by = count === '' ? 1 : Number(count);
    if (piece === '\n') row += 1;
    else if (piece === '\r' || code === 'G') column = 0;
    else if (code === 'A') row = Math.max(0, row - by);
    else if (code === 'B') row += by;
    else if (code === 'D') column = Math.max(0, column - by);
    while (lines.length <= row) lines.push('');
    const line = lines[row] ?? '';
    if (code === 'K') lines[row] = count === '2' ? '' : line.slice(0, column);
    else if (code === 'J') lines.splice(row, lines.length, line.slice(0, column));
    else if (code === undefined && piece !== '\n' && piece !== '\r') {
      lines[row] = line.slice(0, column).padEnd(column) + piece + line.slice(column + 1);
      column += 1;
    }
  }
  return lines.map((line) => line.trimEnd());
}
