/** Who gets what: people, machines, and a file that was asked for. Nothing else chooses between stdout and stderr. */
import { isAbsolute, relative, resolve } from 'node:path';
import type { Code } from '../../core/codes.ts';
import { printable, printableJson } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { appendUpTo, writeOutputFile } from '../../disk/output-file.ts';
import { realDirectory } from '../../disk/untrusted-file.ts';
import type { JsonOutput, Report } from '../../core/report/generated/documents.ts';
import { createReport, withLocations, withRecords } from '../../core/report/command-report.ts';
import { requestedReporters, REPORTERS } from '../../report/reporters.ts';
import { renderProblems } from '../render/problem.ts';
import { wrapForOutput, maxLineLengthOf, wrapText } from '../render/line-wrap.ts';
import { withProgramName } from './command-line.ts';
import type { Context, Output } from './context.ts';
import { reasonOf } from './errors.ts';
import type { OutputFlags } from './flags.ts';
import { withOutputLoss, type Outcome } from './outcome.ts';

/** Writes what the flags ask for and gives the exit code. */
export async function writeOutcome(
  context: Context,
  command: string,
  ended: Outcome,
  flags: OutputFlags,
): Promise<number> {
  const { stdout, stderr } = context;
  const reported = await writeReports(context, command, withCallerCommands(ended, context), flags);
  const told =
    flags.jsonInto === undefined ? reported : writeDocument(context, command, reported, flags.jsonInto);
  const { rawOutput, text, problems, exitCode } = told;
  const json = flags.json === true;
  if (rawOutput !== null && !json) stdout.write(rawOutput);
  // Changes that a plan found (2) are told by the code. What failed is told by the text.
  if (!context.quiet || (exitCode !== 0 && exitCode !== 2))
    writeTo(rawOutput === null ? textOutput(context, flags) : stderr, text);
  writeProblems(context, problems);
  tellExplanation(context, problems);
  if (json) stdout.write(documentText(command, told));
  return exitCode;
}

/** With our commands as this one was called. */
function withCallerCommands(ended: Outcome, { env }: Context): Outcome {
  const problems = ended.problems.map((one) => ({
    ...one,
    message: withProgramName(one.message, env),
    hint: one.hint === null ? null : withProgramName(one.hint, env),
  }));
  return { ...ended, problems, text: withProgramName(ended.text, env) };
}

/** What people are to read before the command ends. */
export function writeText({ stdout, stderr, quiet, env }: Context, text: string, flags: OutputFlags): void {
  if (!quiet) writeTo(textOutput({ stdout, stderr }, flags), withProgramName(text, env));
}

/** Where stdout is for a program, people read stderr. */
function textOutput({ stdout, stderr }: Pick<Context, 'stdout' | 'stderr'>, flags: OutputFlags): Output {
  return flags.json === true || flags.markdown === true ? stderr : stdout;
}

/** Each with its place; with `-q` errors only. */
export function writeProblems({ stderr, paint, quiet }: Context, problems: readonly Problem[]): void {
  const told = quiet ? problems.filter(({ severity }) => severity === 'error') : problems;
  stderr.write(renderProblems(told, paint, maxLineLengthOf(stderr)));
}

/** A code of which `explain` has no more to say than the message. */
const SELF_EXPLANATORY: ReadonlySet<Code> = new Set<Code>(['LT_CLI_USAGE', 'LT_CLI_APPROVAL', 'LT_CLI_BUG']);

/** Names the command that explains the first error; on a terminal only, because logs are read later and elsewhere. */
function tellExplanation({ stderr, paint, quiet, env }: Context, problems: readonly Problem[]): void {
  if (quiet || !stderr.isTerminal) return;
  const first = problems.find(({ code, severity }) => severity === 'error' && !SELF_EXPLANATORY.has(code));
  if (first === undefined) return;
  const text = withProgramName(`For the cause and the fix, run: loadtests explain ${first.code}`, env);
  stderr.write(`${paint.dim(wrapText(text, maxLineLengthOf(stderr)))}\n`);
}

/** What happens meanwhile: one line on stderr. */
export function writeNote({ stderr, quiet }: Pick<Context, 'stderr' | 'quiet'>, text: string): void {
  if (!quiet) writeTo(stderr, `${printable(text)}\n`);
}

function writeTo(output: Output, text: string): void {
  output.write(wrapForOutput(text, output));
}

/** Of a command that goes on: one line of JSON on stdout. */
export function writeEvent({ stdout }: Context, event: Exclude<JsonOutput, Report>): void {
  stdout.write(printableJson(JSON.stringify(event)) + '\n');
}

/** The outcome with what could not be written, and with what goes to stdout. */
async function writeReports(
  context: Context,
  command: string,
  ended: Outcome,
  flags: OutputFlags,
): Promise<Outcome> {
  const asked = requestedReporters(flags);
  if (asked.length === 0) return ended;
  const report = withLocations(
    withRecords(createReport(command, ended), ended.records),
    locationsInRepository(context),
  );
  let reported = ended;
  for (const name of asked) {
    const file = flags[name];
    try {
      const text = (await REPORTERS[name].load())(report);
      if (REPORTERS[name].destination === 'runner') {
        textOutput(context, flags).command(text);
        const summary = (await REPORTERS.markdown.load())(report);
        reported = outcomeOrLoss(reported, appendSummary(context, summary));
      } else if (typeof file === 'string')
        reported = outcomeOrLoss(reported, writeOutput(resolve(context.directory, file), text));
      else reported = { ...reported, rawOutput: text };
    } catch (error) {
      // What others asked for is not lost with it.
      const message = `--${name} failed: ${reasonOf(error)}`;
      reported = withOutputLoss(reported, problem('LT_CLI_BUG', message, { hint: 'please report it' }));
    }
  }
  return reported;
}

function outcomeOrLoss(ended: Outcome, lost: Problem | null): Outcome {
  return lost === null ? ended : withOutputLoss(ended, lost);
}

/** What FakeGitHub takes for the summary of a step. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Where the runner asks for one. */
function appendSummary({ env }: Context, text: string): Problem | null {
  const path = env['GITHUB_STEP_SUMMARY'] ?? '';
  if (path === '') return null;
  try {
    if (appendUpTo(path, `\n${text}`, MAX_SUMMARY_BYTES)) return null;
    return problem('LT_CLI_DISK', 'the summary of the job is full: GitHub takes 1 MiB', {
      severity: 'warning',
    });
  } catch (error) {
    return problem('LT_CLI_DISK', `"${path}" (GITHUB_STEP_SUMMARY) cannot be written: ${reasonOf(error)}`);
  }
}

/** As a CI system names files: from the root of its checkout. What lies elsewhere keeps its name. */
function locationsInRepository({ env, directory }: Context): (file: string) => string {
  const root = env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? '';
  if (root === '') return (file) => file;
  const [top, from] = [realDirectory(root), realDirectory(directory)];
  return (file) => {
    const named = relative(top, resolve(from, file));
    return file === STDIN || named.startsWith('..') || isAbsolute(named) ? file : named;
  };
}

const STDIN = '<stdin>';

/** What the outcome is once the document is written, or could not be. */
function writeDocument(context: Context, command: string, ended: Outcome, path: string): Outcome {
  const failed = writeOutput(resolve(context.directory, path), documentText(command, ended));
  return failed === null ? ended : withOutputLoss(ended, failed);
}

function documentText(command: string, ended: Outcome): string {
  return printableJson(JSON.stringify(createReport(command, ended), null, 2)) + '\n';
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
