/** What action.yml runs: the command, then the summary of the job and the outputs of the step. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '../core/report/generated/documents.ts';
import { markdown } from '../report/markdown.ts';

const { env } = process;
const COMMANDS = ['plan', 'apply', 'run'];

process.exit(await main(env['INPUT_COMMAND'] ?? ''));

async function main(command: string): Promise<number> {
  if (!COMMANDS.includes(command)) {
    // What was given is not repeated: a line of it could be read as a command to the runner.
    process.stdout.write(`::error::The input "command" is none of ${COMMANDS.join(', ')}.\n`);
    append('GITHUB_OUTPUT', outputs(3, null, ''));
    return 3;
  }
  const path = join(mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'loadtests-')), 'document.json');
  const exitCode = await run([command, ...inputWords(path)]);
  const report = readReport(path);
  append('GITHUB_OUTPUT', outputs(exitCode, report, path));
  append('GITHUB_STEP_SUMMARY', summary(command, exitCode, report));
  return exitCode;
}

/** Inputs that were left out are empty. */
function inputWords(path: string): readonly string[] {
  const { INPUT_FILE: file = '', INPUT_ENVIRONMENT: environment = '', INPUT_ARGS: args = '' } = env;
  return [
    ...(file === '' ? [] : [`--file=${file}`]),
    ...(environment === '' ? [] : [`--env=${environment}`]),
    `--json-into=${path}`,
    ...args.split(/\s+/).filter((word) => word !== ''),
  ];
}

/** The child hears the signals too, so that it stops its runs; what it ends with is what counts. */
async function run(args: readonly string[]): Promise<number> {
  const program = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

/** Null when the command ended before it could write one: its arguments were wrong. */
function readReport(path: string): Report | null {
  try {
    // The command of this very build has written it.
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return null;
  }
}

function outputs(exitCode: number, report: Report | null, path: string): string {
  const changes = report !== null && 'has_changes' in report ? String(report.has_changes) : '';
  return `exit-code=${exitCode}\nhas-changes=${changes}\ndocument=${report === null ? '' : path}\n`;
}

function summary(command: string, exitCode: number, report: Report | null): string {
  if (report !== null) return markdown(report);
  return `### loadtests ${command}\n\nExit code ${exitCode}. The log has the reason.\n`;
}

/** Where the runner asks for it. */
function append(variable: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const path = env[variable] ?? '';
  if (path !== '') appendFileSync(path, text);
}
