/** What action.yml runs: the command, then the summary of the job, the outputs of the step and the comment. */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REPORTER_NAMES, REPORTERS, type ReporterName } from '../report/reporters.ts';
import { upsertComment } from './pull-request-comment.ts';
import { member } from './github-api.ts';
import { commentTexts, pullRequestOf, subjectOf } from './job-context.ts';

const { env } = process;
const COMMANDS = ['validate', 'plan', 'apply', 'run'];
/** Where a format has an ending that is not its name. */
const FILE_EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['document', 'json'],
  ['junit', 'xml'],
  ['markdown', 'md'],
]);

process.exit(await main(env['INPUT_COMMAND'] ?? ''));

async function main(command: string): Promise<number> {
  const wrong = findInvalidInput(command);
  if (wrong !== null) {
    // What was given is not repeated: a line of it could be read as a command to the runner.
    process.stdout.write(`::error::${wrong}\n`);
    appendToFile('GITHUB_OUTPUT', writeOutputs(3, null));
    return 3;
  }
  const directory = mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'loadtests-'));
  const exitCode = await runCommand([command, ...inputArgs(command, directory)]);
  appendToFile('GITHUB_OUTPUT', writeOutputs(exitCode, directory));
  const text = writeSummary(command, exitCode, directory);
  appendToFile('GITHUB_STEP_SUMMARY', text);
  if (env['INPUT_COMMENT'] === 'true') await writeComment(command, text);
  return exitCode;
}

function findInvalidInput(command: string): string | null {
  if (!COMMANDS.includes(command)) return `The input "command" is none of ${COMMANDS.join(', ')}.`;
  if (!['true', 'false', ''].includes(env['INPUT_COMMENT'] ?? ''))
    return 'The input "comment" is neither true nor false.';
  return null;
}

/** Inputs that were left out are empty. What `args` says of a file is said last, and so it holds. */
function inputArgs(command: string, directory: string): readonly string[] {
  const { INPUT_FILE: file = '', INPUT_ENVIRONMENT: environment = '', INPUT_ARGS: args = '' } = env;
  return [
    ...(file === '' ? [] : [`--file=${file}`]),
    ...(environment === '' ? [] : [`--env=${environment}`]),
    `--json-into=${pathOf(directory, 'document')}`,
    ...reportersOf(command).map((name) =>
      REPORTERS[name].destination === 'runner' ? `--${name}` : `--${name}=${pathOf(directory, name)}`,
    ),
    ...args.split(/\s+/).filter((word) => word !== ''),
  ];
}

function reportersOf(command: string): readonly ReporterName[] {
  const plans = command === 'plan' || command === 'validate';
  return REPORTER_NAMES.filter((name) => !plans || REPORTERS[name].documents === 'runs and plans');
}

function pathOf(directory: string, name: string): string {
  return join(directory, `${name}.${FILE_EXTENSIONS.get(name) ?? name}`);
}

/** A notice says why there is none; the command has its own exit code. */
async function writeComment(command: string, markdown: string): Promise<void> {
  const pull = pullRequestOf(env, readJson(env['GITHUB_EVENT_PATH'] ?? ''));
  const told =
    typeof pull === 'string'
      ? { kind: 'not-written' as const, reason: pull }
      : await upsertComment(pull, subjectOf(env, command, process.cwd()), commentTexts(env, markdown));
  if (told.kind === 'not-written')
    process.stdout.write(
      `::notice::No comment on the pull request: ${told.reason}. The job summary has it all.\n`,
    );
}

/** The child hears the signals too, so that it stops its runs; what it ends with is what counts. */
async function runCommand(args: readonly string[]): Promise<number> {
  const program = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  // What the file starts gets the environment of the program, and has no use for the token. The summary is written here.
  const { INPUT_TOKEN: _, GITHUB_STEP_SUMMARY: __, ...others } = env;
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

/** Null where there is none. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Null where it holds none. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readText(path) ?? '');
  } catch {
    return null;
  }
}

/** @param directory with the files of the command; null: it was not called */
function writeOutputs(exitCode: number, directory: string | null): string {
  const changes =
    directory === null ? undefined : member(readJson(pathOf(directory, 'document')), 'has_changes');
  const files = ['document', ...REPORTER_NAMES.filter((name) => REPORTERS[name].destination !== 'runner')];
  const lines = files.map((name) => {
    const path = directory === null ? '' : pathOf(directory, name);
    return `${name}=${existsSync(path) ? path : ''}\n`;
  });
  return `exit-code=${exitCode}\nhas-changes=${typeof changes === 'boolean' ? changes : ''}\n${lines.join('')}`;
}

/** The command ends before it writes any where its arguments are wrong. */
function writeSummary(command: string, exitCode: number, directory: string): string {
  const nothing = `### loadtests ${command}\n\nExit code ${exitCode}. The log has the reason.\n`;
  return readText(pathOf(directory, 'markdown')) ?? nothing;
}

/** Where the runner asks for it. */
function appendToFile(variable: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const path = env[variable] ?? '';
  if (path !== '') appendFileSync(path, text);
}
