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
import { originOfJob } from './ci-job.ts';
import { withProgramName } from './command-line.ts';
import type { Context, Output } from './context.ts';
import { reasonOf } from './errors.ts';
import type { OutputFlags } from './flags.ts';
import { withOutputLoss, type Outcome } from './outcome.ts';

/** @returns The exit code of the process, which accounts for failed writes of files. */
export async function writeOutcome(
  context: Context,
  command: string,
  outcome: Outcome,
  flags: OutputFlags,
): Promise<number> {
  const { stdout, stderr } = context;
  const origin =
    outcome.origin ?? (REVIEW_COMMANDS.includes(command) ? originOfJob(context, Date.now()) : null);
  const ended = withCallerCommands({ ...outcome, origin }, context);
  const reported = await writeReports(context, command, ended, flags);
  const shown =
    flags.jsonInto === undefined ? reported : writeDocument(context, command, reported, flags.jsonInto);
  const { rawOutput, text, problems, exitCode } = shown;
  const json = flags.json === true;
  if (rawOutput !== null && !json) stdout.write(rawOutput);
  // With `-q`, the text is written only if the command failed. Exit code 2 reports a plan with changes, not a failure.
  if (!context.quiet || (exitCode !== 0 && exitCode !== 2))
    writeTo(rawOutput === null ? textOutput(context, flags) : stderr, text);
  writeProblems(context, problems);
  writeExplanation(context, problems);
  if (json) stdout.write(documentText(command, shown));
  return exitCode;
}

/** Commands whose documents contain the commit under test, because reports in pull requests show this commit. */
const REVIEW_COMMANDS = ['validate', 'plan', 'apply', 'run'];

function withCallerCommands(outcome: Outcome, { env }: Context): Outcome {
  const problems = outcome.problems.map((one) => ({
    ...one,
    message: withProgramName(one.message, env),
    hint: one.hint === null ? null : withProgramName(one.hint, env),
  }));
  return { ...outcome, problems, text: withProgramName(outcome.text, env) };
}

export function writeText({ stdout, stderr, quiet, env }: Context, text: string, flags: OutputFlags): void {
  if (!quiet) writeTo(textOutput({ stdout, stderr }, flags), withProgramName(text, env));
}

/** Returns stderr if stdout contains the JSON document or the Markdown report; otherwise, stdout. */
function textOutput({ stdout, stderr }: Pick<Context, 'stdout' | 'stderr'>, flags: OutputFlags): Output {
  return flags.json === true || flags.markdown === true ? stderr : stdout;
}

export function writeProblems({ stderr, paint, quiet }: Context, problems: readonly Problem[]): void {
  const shown = quiet ? problems.filter(({ severity }) => severity === 'error') : problems;
  stderr.write(renderProblems(shown, paint, maxLineLengthOf(stderr)));
}

/** Codes whose explanation would add nothing to the message. */
const SELF_EXPLANATORY: ReadonlySet<Code> = new Set<Code>(['LT_CLI_USAGE', 'LT_CLI_APPROVAL', 'LT_CLI_BUG']);

/** On a terminal, writes the command that explains the first error, unless that error is self-explanatory. */
function writeExplanation({ stderr, paint, quiet, env }: Context, problems: readonly Problem[]): void {
  if (quiet || !stderr.isTerminal) return;
  const first = problems.find(({ code, severity }) => severity === 'error' && !SELF_EXPLANATORY.has(code));
  if (first === undefined) return;
  const text = withProgramName(`For the cause and the fix, run: loadtests explain ${first.code}`, env);
  stderr.write(`${paint.dim(wrapText(text, maxLineLengthOf(stderr)))}\n`);
}

export function writeNote({ stderr, quiet }: Pick<Context, 'stderr' | 'quiet'>, text: string): void {
  if (!quiet) writeTo(stderr, `${printable(text)}\n`);
}

function writeTo(output: Output, text: string): void {
  output.write(wrapForOutput(text, output));
}

export function writeEvent({ stdout }: Context, event: Exclude<JsonOutput, Report>): void {
  stdout.write(printableJson(JSON.stringify(event)) + '\n');
}

/** Adds failed writes and the report for stdout to the outcome. */
async function writeReports(
  context: Context,
  command: string,
  outcome: Outcome,
  flags: OutputFlags,
): Promise<Outcome> {
  const requested = requestedReporters(flags);
  if (requested.length === 0) return outcome;
  const report = withLocations(
    withRecords(createReport(command, outcome), outcome.records),
    locationsInRepository(context),
  );
  let reported = outcome;
  for (const name of requested) {
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
      // A failing reporter must not prevent other reports.
      const message = `the report for --${name} could not be created: ${reasonOf(error)}`;
      reported = withOutputLoss(reported, problem('LT_CLI_BUG', message, { hint: 'report this bug' }));
    }
  }
  return reported;
}

function outcomeOrLoss(outcome: Outcome, loss: Problem | null): Outcome {
  return loss === null ? outcome : withOutputLoss(outcome, loss);
}

/** GitHub's maximum size for the job summary of one step. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

function appendSummary({ env }: Context, text: string): Problem | null {
  const path = env['GITHUB_STEP_SUMMARY'] ?? '';
  if (path === '') return null;
  try {
    if (appendUpTo(path, `\n${text}`, MAX_SUMMARY_BYTES)) return null;
    return problem(
      'LT_CLI_DISK',
      'the report is not in the job summary, because GitHub accepts at most 1 MiB',
      {
        severity: 'warning',
        hint: 'write the report to a file with --markdown=FILE',
      },
    );
  } catch (error) {
    return problem('LT_CLI_DISK', `"${path}" (GITHUB_STEP_SUMMARY) cannot be written: ${reasonOf(error)}`);
  }
}

/**
 * Returns a function that makes paths relative to the root of the CI checkout. Paths outside the checkout are
 * unchanged.
 */
function locationsInRepository({ env, directory }: Context): (file: string) => string {
  const root = env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? '';
  if (root === '') return (file) => file;
  const [top, from] = [realDirectory(root), realDirectory(directory)];
  return (file) => {
    const fromRoot = relative(top, resolve(from, file));
    return file === STDIN || fromRoot.startsWith('..') || isAbsolute(fromRoot) ? file : fromRoot;
  };
}

const STDIN = '<stdin>';

function writeDocument(context: Context, command: string, outcome: Outcome, path: string): Outcome {
  const failed = writeOutput(resolve(context.directory, path), documentText(command, outcome));
  return failed === null ? outcome : withOutputLoss(outcome, failed);
}

export function documentText(command: string, outcome: Parameters<typeof createReport>[1]): string {
  return printableJson(JSON.stringify(createReport(command, outcome), null, 2)) + '\n';
}

/**
 * Writes a file that only this user can read, because it may contain data of the service.
 * @returns The problem if the file cannot be written; null otherwise.
 */
export function writeOutput(path: string, text: string): Problem | null {
  try {
    writeOutputFile(path, text, 0o600);
    return null;
  } catch (error) {
    return problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`);
  }
}
