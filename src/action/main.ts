/**
 * Entry point of the GitHub Action in action.yml. Without an argument, this program runs the command and writes the job
 * summary, the outputs of the step, and a report for the comment. With the argument `comment`, this program writes the
 * comment and the labels. Only this call receives the token, because it starts no commands of the configuration file.
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pullRequestCommit } from '../core/pull-request-event.ts';
import { readEnvironment, splitEnvironment } from '../disk/passed-environment.ts';
import { REPORTER_NAMES, REPORTERS, type ReporterName } from '../report/reporters.ts';
import { setLabels, upsertComment, type CommentResult } from './pull-request-comment.ts';
import { member, type PullRequest } from './github-api.ts';
import {
  commentTexts,
  planFindings,
  pullRequestOf,
  readReport,
  subjectOf,
  type CommentReport,
} from './job-context.ts';

const env = readEnvironment(process.env);
const COMMANDS = ['validate', 'plan', 'apply', 'run'];
const COMMENT_FILE = 'comment.json';
const FETCH_TIMEOUT_MS = 60_000;
/** File extensions by the name of the output. The default extension is the name. */
const FILE_EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['document', 'json'],
  ['junit', 'xml'],
  ['markdown', 'md'],
]);

process.exit(process.argv[2] === 'comment' ? await writeComment() : await main(env['INPUT_COMMAND'] ?? ''));

async function main(command: string): Promise<number> {
  const invalidInput = findInvalidInput(command);
  if (invalidInput !== null) {
    // Omits the value, because the runner could interpret its text as a workflow command.
    process.stdout.write(`::error::${invalidInput}\n`);
    appendToFile('GITHUB_OUTPUT', writeOutputs(3, null));
    return 3;
  }
  const directory = mkdtempSync(join(env['RUNNER_TEMP'] ?? tmpdir(), 'loadtests-'));
  if (command === 'plan') fetchBase();
  const exitCode = await runCommand([command, ...inputArgs(command, directory)]);
  appendToFile('GITHUB_OUTPUT', writeOutputs(exitCode, directory));
  const text = writeSummary(command, exitCode, directory);
  appendToFile('GITHUB_STEP_SUMMARY', text);
  const plan = planFindings(readJson(pathOf(directory, 'document')));
  const report: CommentReport = { ...subjectOf(env, command, process.cwd()), markdown: text, plan };
  writeFileSync(join(directory, COMMENT_FILE), JSON.stringify(report));
  return exitCode;
}

function findInvalidInput(command: string): string | null {
  if (!COMMANDS.includes(command)) return `The input "command" must be ${COMMANDS.join(', ')} or comment.`;
  const invalid = ['comment', 'labels'].find(
    (name) => !['true', 'false', ''].includes(env[`INPUT_${name.toUpperCase()}`] ?? ''),
  );
  return invalid === undefined ? null : `The input "${invalid}" must be true or false.`;
}

/** Fetches the base commit of a pull request, which a shallow clone may lack. Ignores errors. */
function fetchBase(): void {
  const commit = pullRequestCommit(readJson(env['GITHUB_EVENT_PATH'] ?? ''), 'base');
  if (commit === null) return;
  const safe = ['-c', `core.hooksPath=${devNull}`, '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'];
  const options = {
    env: { PATH: env['PATH'], HOME: env['HOME'], GIT_TERMINAL_PROMPT: '0' },
    timeout: FETCH_TIMEOUT_MS,
  } as const;
  const git = (...args: string[]) =>
    spawnSync('git', [...safe, ...args], { ...options, stdio: 'ignore' }).status;
  if (git('cat-file', '-e', `${commit}^{commit}`) === 0) return;
  git('fetch', '--quiet', '--no-tags', '--depth=1', 'origin', commit);
}

/** Returns the arguments for the command. Those from the input `args` are last, so that they override other inputs. */
function inputArgs(command: string, directory: string): readonly string[] {
  const { INPUT_FILE: file = '', INPUT_ENVIRONMENT: environment = '', INPUT_ARGS: args = '' } = env;
  return [
    ...file.split(/\s*\n\s*/).flatMap((path) => (path === '' ? [] : [`--file=${path}`])),
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

/** Prints a failure as a notice. Returns exit code 0. */
async function writeComment(): Promise<number> {
  const { INPUT_REPORT: given = '', REPORT_DIRECTORY: own = '' } = env;
  const directory = given === '' ? own : given;
  const report = directory === '' ? null : readReport(readJson(join(directory, COMMENT_FILE)));
  const pull = await pullRequestOf(env, readJson(env['GITHUB_EVENT_PATH'] ?? ''));
  const result: WriteResult =
    report === null || typeof pull === 'string'
      ? {
          kind: 'not-written',
          reason: typeof pull === 'string' ? pull : 'the report is missing or invalid',
        }
      : await writeToPullRequest(pull, report);
  if (result.kind === 'not-written')
    process.stdout.write(
      `::notice::${result.failed === 'labels' ? 'Not all labels were updated on' : 'No comment was written to'} the pull request: ${result.reason}. See the job summary.\n`,
    );
  return 0;
}

/** `failed` is `labels` if `reason` concerns the labels; absent if it concerns the comment. */
type WriteResult = CommentResult & { readonly failed?: 'labels' };

/** Writes the labels even if the comment fails. Returns the first failure, if any. */
async function writeToPullRequest(pull: PullRequest, report: CommentReport): Promise<WriteResult> {
  const { plan } = report;
  const quiet = plan?.quiet === true;
  const wantsComment = env['INPUT_COMMENT'] === 'true' || env['INPUT_COMMAND'] === 'comment';
  const comment: CommentResult = wantsComment
    ? await upsertComment(pull, report, { ...commentTexts(env, report.markdown), quiet })
    : { kind: 'written' };
  if (env['INPUT_LABELS'] !== 'true' || plan === null) return comment;
  const labels = await setLabels(pull, plan);
  return comment.kind === 'written' ? { ...labels, failed: 'labels' } : comment;
}

/** Forwards signals, so that the command can stop its runs. */
async function runCommand(args: readonly string[]): Promise<number> {
  const program = fileURLToPath(new URL('../cli/main.js', import.meta.url));
  // The command receives its environment through a pipe. Otherwise, programs that the configuration file starts could
  // read keys from `/proc`. GITHUB_STEP_SUMMARY is omitted, because this process writes the summary.
  const { GITHUB_STEP_SUMMARY: _, ...others } = env;
  const { start, piped } = splitEnvironment(others, 3);
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: start,
  });
  const [, , , pipe] = child.stdio;
  if (pipe instanceof Writable) pipe.on('error', () => undefined).end(piped);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readText(path) ?? '');
  } catch {
    return null;
  }
}

/**
 * Returns the outputs of the step in the format of GITHUB_OUTPUT.
 * @param directory - Directory of the output files; null if the command did not run.
 */
function writeOutputs(exitCode: number, directory: string | null): string {
  const document = directory === null ? null : readJson(pathOf(directory, 'document'));
  const changes = member(document, 'has_changes');
  const plan = planFindings(document);
  const files = ['document', ...REPORTER_NAMES.filter((name) => REPORTERS[name].destination !== 'runner')];
  const lines = files.map((name) => {
    const path = directory === null ? '' : pathOf(directory, name);
    return `${name}=${existsSync(path) ? path : ''}\n`;
  });
  return `exit-code=${exitCode}\nreport=${directory ?? ''}\nhas-changes=${typeof changes === 'boolean' ? changes : ''}\nstarts-load=${plan?.startsLoad ?? ''}\ndanger=${plan?.danger.join(',') ?? ''}\n${lines.join('')}`;
}

function writeSummary(command: string, exitCode: number, directory: string): string {
  const replacement = `### loadtests ${command}\n\nExit code ${exitCode}. See the log for the reason.\n`;
  return readText(pathOf(directory, 'markdown')) ?? replacement;
}

/** Does nothing if the variable is not set or is empty. */
function appendToFile(variable: 'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY', text: string): void {
  const path = env[variable] ?? '';
  if (path !== '') appendFileSync(path, text);
}
