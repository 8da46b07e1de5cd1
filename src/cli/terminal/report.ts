/** Who gets what: people, machines, and a file that was asked for. Nothing else chooses between stdout and stderr. */
import { isAbsolute, relative, resolve } from 'node:path';
import { printable, printableJson } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { appendUpTo, writeOutputFile } from '../../disk/output-file.ts';
import { realFolder } from '../../disk/stranger-file.ts';
import type { JsonOutput, Report } from '../../core/report/generated/documents.ts';
import { reportOf, withPlaces, withRecords } from '../../core/report/report.ts';
import { askedReporters, REPORTERS } from '../../report/reporters.ts';
import { renderProblems } from '../render/problem.ts';
import { fitted, roomOf } from '../render/wrapping.ts';
import { withProgram } from './command-line.ts';
import type { Context, Output } from './context.ts';
import { reasonOf } from './errors.ts';
import type { OutputFlags } from './flags.ts';
import { withLoss, type Outcome } from './outcome.ts';

/** Writes what the flags ask for and gives the exit code. */
export async function report(
  context: Context,
  command: string,
  ended: Outcome,
  flags: OutputFlags,
): Promise<number> {
  const { stdout, stderr } = context;
  const reported = await writeReports(context, command, asCalled(ended, context), flags);
  const told =
    flags.jsonInto === undefined ? reported : writeDocument(context, command, reported, flags.jsonInto);
  const { product, text, problems, exitCode } = told;
  const json = flags.json === true;
  if (product !== null && !json) stdout.write(product);
  // Changes that a plan found (2) are told by the code. What failed is told by the text.
  if (!context.quiet || (exitCode !== 0 && exitCode !== 2))
    tellOn(product === null ? forPeople(context, flags) : stderr, text);
  tellProblems(context, problems);
  if (json) stdout.write(documentText(command, told));
  return exitCode;
}

/** With our commands as this one was called. */
function asCalled(ended: Outcome, { env }: Context): Outcome {
  const problems = ended.problems.map((one) => ({
    ...one,
    message: withProgram(one.message, env),
    hint: one.hint === null ? null : withProgram(one.hint, env),
  }));
  return { ...ended, problems, text: withProgram(ended.text, env) };
}

/** What people are to read before the command ends. */
export function tell({ stdout, stderr, quiet, env }: Context, text: string, flags: OutputFlags): void {
  if (!quiet) tellOn(forPeople({ stdout, stderr }, flags), withProgram(text, env));
}

/** Where stdout is for a program, people read stderr. */
function forPeople({ stdout, stderr }: Pick<Context, 'stdout' | 'stderr'>, flags: OutputFlags): Output {
  return flags.json === true || flags.markdown === true ? stderr : stdout;
}

/** Each with its place; with `-q` errors only. */
export function tellProblems({ stderr, paint, quiet }: Context, problems: readonly Problem[]): void {
  const told = quiet ? problems.filter(({ severity }) => severity === 'error') : problems;
  stderr.write(renderProblems(told, paint, roomOf(stderr)));
}

/** What happens meanwhile: one line on stderr. */
export function note({ stderr, quiet }: Pick<Context, 'stderr' | 'quiet'>, text: string): void {
  if (!quiet) tellOn(stderr, `${printable(text)}\n`);
}

function tellOn(output: Output, text: string): void {
  output.write(fitted(text, output));
}

/** Of a command that goes on: one line of JSON on stdout. */
export function tellEvent({ stdout }: Context, event: Exclude<JsonOutput, Report>): void {
  stdout.write(printableJson(JSON.stringify(event)) + '\n');
}

/** The outcome with what could not be written, and with what goes to stdout. */
async function writeReports(
  context: Context,
  command: string,
  ended: Outcome,
  flags: OutputFlags,
): Promise<Outcome> {
  const asked = askedReporters(flags);
  if (asked.length === 0) return ended;
  const told = withPlaces(withRecords(reportOf(command, ended), ended.records), placesInRepository(context));
  let reported = ended;
  for (const name of asked) {
    const file = flags[name];
    try {
      const text = (await REPORTERS[name].load())(told);
      if (REPORTERS[name].writes === 'runner') {
        forPeople(context, flags).command(text);
        const summary = (await REPORTERS.markdown.load())(told);
        reported = lossOr(reported, appendSummary(context, summary));
      } else if (typeof file === 'string')
        reported = lossOr(reported, writeOutput(resolve(context.folder, file), text));
      else reported = { ...reported, product: text };
    } catch (error) {
      // What others asked for is not lost with it.
      const message = `--${name} failed: ${reasonOf(error)}`;
      reported = withLoss(reported, problem('LT_CLI_BUG', message, { hint: 'please report it' }));
    }
  }
  return reported;
}

function lossOr(ended: Outcome, lost: Problem | null): Outcome {
  return lost === null ? ended : withLoss(ended, lost);
}

/** What GitHub takes for the summary of a step. */
const LARGEST_SUMMARY = 1024 * 1024;

/** Where the runner asks for one. */
function appendSummary({ env }: Context, text: string): Problem | null {
  const path = env['GITHUB_STEP_SUMMARY'] ?? '';
  if (path === '') return null;
  try {
    if (appendUpTo(path, `\n${text}`, LARGEST_SUMMARY)) return null;
    return problem('LT_CLI_DISK', 'the summary of the job is full: GitHub takes 1 MiB', {
      severity: 'warning',
    });
  } catch (error) {
    return problem('LT_CLI_DISK', `"${path}" (GITHUB_STEP_SUMMARY) cannot be written: ${reasonOf(error)}`);
  }
}

/** As a CI system names files: from the root of its checkout. What lies elsewhere keeps its name. */
function placesInRepository({ env, folder }: Context): (file: string) => string {
  const root = env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? '';
  if (root === '') return (file) => file;
  const [top, from] = [realFolder(root), realFolder(folder)];
  return (file) => {
    const named = relative(top, resolve(from, file));
    return file === STDIN || named.startsWith('..') || isAbsolute(named) ? file : named;
  };
}

const STDIN = '<stdin>';

/** What the outcome is once the document is written, or could not be. */
function writeDocument(context: Context, command: string, ended: Outcome, path: string): Outcome {
  const failed = writeOutput(resolve(context.folder, path), documentText(command, ended));
  return failed === null ? ended : withLoss(ended, failed);
}

function documentText(command: string, ended: Outcome): string {
  return printableJson(JSON.stringify(reportOf(command, ended), null, 2)) + '\n';
}

/**
 * Writes a file that the user named, for this user only: it may hold more than the file of the project does. Gives a
 * problem when it cannot be written. A link is never followed.
 */
export function writeOutput(path: string, text: string): Problem | null {
  try {
    writeOutputFile(path, text, 0o600);
    return null;
  } catch (error) {
    return problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`);
  }
}
