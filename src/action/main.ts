/** What action.yml runs: the command, then the summary of the job, the outputs of the step and the comment. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '../core/report/generated/documents.ts';
import { markdown } from '../report/markdown.ts';
import { keepComment } from './comment.ts';
import { commentTexts, pullRequestOf, subjectOf } from './job.ts';

const { env } = process;
const COMMANDS = ['validate', 'plan', 'apply', 'run'];

process.exit(await main(env['INPUT_COMMAND'] ?? ''));

async function main(command: string): Promise<number> {
  const wrong = wrongInput(command);
  if (wrong !== null) {
    // What was given is not repeated: a line of it could be read as a command to the runner.
    process.stdout.write(`::error::${wrong}\n`);
    append('GITHUB_OUTPUT', outputs(3, null, ''));
    return 3;
  }
  const path = join(mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'loadtests-')), 'document.json');
  const exitCode = await run([command, ...inputWords(path)]);
  const report = readReport(path);
  append('GITHUB_OUTPUT', outputs(exitCode, report, path));
  const text = summary(command, exitCode, report);
  append('GITHUB_STEP_SUMMARY', text);
  if (env['INPUT_COMMENT'] === 'true') await comment(command, text);
  return exitCode;
}

function wrongInput(command: string): string | null {
  if (!COMMANDS.includes(command)) return `The input "command" is none of ${COMMANDS.join(', ')}.`;
  if (!['true', 'false', ''].includes(env['INPUT_COMMENT'] ?? ''))
    return 'The input "comment" is neither true nor false.';
  return null;
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

/** A notice says why there is none; the command has its own exit code. */
async function comment(command: string, markdown: string): Promise<void> {
  const pull = pullRequestOf(env, readJson(env['GITHUB_EVENT_PATH'] ?? ''));
  const told =
    typeof pull === 'string'
      ? { kind: 'not-written' as const, reason: pull }
      : await keepComment(pull, subjectOf(env, command, process.cwd()), commentTexts(env, markdown));
  if (told.kind === 'not-written')
    process.stdout.write(
      `::notice::No comment on the pull request: ${told.reason}. The job summary has it all.\n`,
    );
}

/** The child hears the signals too, so that it stops its runs; what it ends with is what counts. */
async function run(args: readonly string[]): Promise<number> {
  const program = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  // What the file starts gets the environment of the program, and has no use for the token.
  const { INPUT_TOKEN: _, ...others } = env;
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: others,
  });
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
  // The command of this very build has written it.
  return readJson(path) as Report | null;
}

/** Null where there is none. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
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
