/** The `plan` command: shows the changes and the load of `apply`. Sends only GET requests. */
import { resolve } from 'node:path';
import { listOpenIntents } from '../../apply/uncertainty/intents.ts';
import { createSavedMembers, groupDigestOf } from '../../apply/saved-plan.ts';
import { nextTurn } from '../../apply/turns.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { selects, type PlanOptions } from '../../core/reconcile/plan-input.ts';
import { DANGER_KINDS, type DangerKind } from '../../core/reconcile/danger-kinds.ts';
import { sortDangers } from '../../core/reconcile/danger.ts';
import type { FileReview } from '../../core/reconcile/file-review.ts';
import { planAgainstState } from '../../core/reconcile/file-comparison.ts';
import { reviewPlan } from '../../core/reconcile/plan-review.ts';
import {
  comparisonMembers,
  reviewMembers,
  type PlanMembers,
  type ReviewMembers,
} from '../../core/report/plan-document.ts';
import type { BodyOf } from '../../core/report/command-report.ts';
import type { Origin } from '../../core/report/generated/documents.ts';
import { formatRfc3339 } from '../../core/instant.ts';
import { ok } from '../../core/result.ts';
import { exitCodeOfProblems, problem, type Problem } from '../../core/problem.ts';
import { isPattern } from '../../disk/matching-files.ts';
import type { Context } from '../terminal/context.ts';
import { hasServiceData } from '../files/data-directory.ts';
import { pathInRevision, revisionFault } from '../files/git.ts';
import { sha256 } from '../files/sha256.ts';
import { commitOfJob, pullRequestBaseOf, type PullRequestBase } from '../terminal/ci-job.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import {
  compareRemovedFiles,
  matchesRemovedFile,
  compareWithRevision,
  type RevisionComparison,
} from '../steps/compare-revision.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import { membersOf, relativeFilePath, planProject, signingOf } from '../steps/plan-project.ts';
import { namesService, withProject } from '../session/open-session.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, withOutputLoss, type Outcome } from '../terminal/outcome.ts';
import { documentText, writeOutput } from '../terminal/report.ts';
import { checkSelection } from '../steps/key-selection.ts';
import { checkPlanPath } from '../steps/saved-plan.ts';
import { forEachFile, loadFiles, projectFileName, type ProjectFile } from '../steps/several-files.ts';
import { DEFAULT_PARALLELISM, planOptions } from '../steps/plan-flags.ts';
import { loadProject } from '../files/project.ts';
import { applyLine, planText } from '../../report/plan-text.ts';

export interface PlanCommandFlags extends PlanFlags {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  /** Git revision to compare the file with; false to disable the comparison with the base of a pull request. */
  readonly against?: string | false;
  /** Kinds of danger that make the command exit with 13. */
  readonly failOn?: readonly DangerKind[];
}

type Signer = (group?: string) => ReturnType<typeof createSavedMembers>;

export async function plan(context: Context, flags: PlanCommandFlags): Promise<Outcome> {
  const base = baseOfPatterns(context, flags);
  const files = await loadFiles(
    context,
    flags,
    loadProject,
    (pattern) =>
      base !== null && isPattern(pattern) && matchesRemovedFile(context, base.pathOf(pattern), base),
  );
  const removed = new Map(base === null ? [] : removedFiles(context, base, files));
  const signers = new Map<string, { readonly file: string; readonly sign: Signer }>();
  const run = async (file: ProjectFile<PlanCommandFlags>) =>
    removed.get(file) ??
    (await planFile(context, file, {
      isAlone: files.length === 1,
      addSigner: (path, sign) => signers.set(projectFileName(file), { file: path, sign }),
    }));
  const outcome = await forEachFile(context, 'plan', { files: [...files, ...removed.keys()], run });
  const { body } = outcome;
  if (flags.out === undefined || body?.command !== 'plan' || !('projects' in body)) return outcome;
  const plans = body.projects.flatMap(({ file, report }) => {
    const signer = signers.get(file);
    return 'changes' in report && signer !== undefined ? [{ report, name: file, ...signer }] : [];
  });
  // If one plan is missing, nothing is saved, because the plans are approved together.
  if (plans.length < body.projects.length) return outcome;
  const group = groupDigestOf(
    plans.map(({ file, report }) => ({ file, basis: report.basis })),
    sha256,
  );
  const projects = plans.map(({ name, report, sign }) => ({
    file: name,
    report: { ...report, ...sign(group) },
  }));
  const failed = savePlan(context, flags.out, { ...body, projects }, outcome.exitCode);
  if (failed !== null) return withOutputLoss(outcome, failed);
  const next = formatCommandLine(['apply', flags.out]);
  return {
    ...outcome,
    origin: originOf(context, next, Date.now()),
    text: body.has_changes ? `${outcome.text}${applyLine(next)}` : outcome.text,
  };
}

function originOf(context: Context, next: string | null, now: number): Origin | null {
  if (next === null) return null;
  return { created_at: formatRfc3339(now), ...commitOfJob(context), apply_command: next };
}

interface PatternBase {
  readonly revision: string;
  readonly flags: PlanCommandFlags;
  readonly options: PlanOptions;
  /** Converts a path or pattern to the form of the paths in the revision. */
  readonly pathOf: (path: string) => string;
}

/**
 * Returns the base revision in which files that match a pattern of `--file` may have been removed; null without a
 * pattern or a comparison.
 */
function baseOfPatterns(context: Context, flags: PlanCommandFlags): PatternBase | null {
  const { against, out, files = [] } = flags;
  if (!files.some(isPattern) || against === false || out !== undefined) return null;
  const { directory } = context;
  const revisions = against === undefined ? (pullRequestBaseOf(context)?.revisions ?? []) : [against];
  const revision = firstRevisionIn(context, directory, revisions);
  const pathOf = (path: string) => pathInRevision(directory, resolve(directory, path));
  return revision === null
    ? null
    : { revision, flags, options: planOptions(flags, Date.now(), context), pathOf };
}

/** Returns the comparisons of the files that match a pattern of `--file` and were removed since the base revision. */
function removedFiles(
  context: Context,
  { pathOf, ...request }: PatternBase,
  files: readonly ProjectFile[],
): readonly (readonly [ProjectFile<PlanCommandFlags>, Outcome])[] {
  const { flags, options } = request;
  const patterns = (flags.files ?? []).filter(isPattern).map(pathOf);
  const current = files.map((file) => pathOf(projectFileName(file)));
  return compareRemovedFiles(context, { ...request, patterns, current }).map(
    ({ path, config, comparison }) => {
      const outcome = outcomeOfComparison(context, config, { flags, options, comparison, warnings: [] });
      return [{ flags: { ...flags, file: path }, loaded: ok(config) }, outcome] as const;
    },
  );
}

async function planFile(
  context: Context,
  { flags, loaded }: ProjectFile<PlanCommandFlags>,
  {
    isAlone,
    addSigner,
  }: {
    /** True if the command has only one file. In that case, `planFile` saves the plan. */
    readonly isAlone: boolean;
    readonly addSigner: (path: string, sign: Signer) => void;
  },
): Promise<Outcome> {
  const now = Date.now();
  const options = planOptions(flags, now, context);
  const check = (config: LoadedConfig) => {
    checkSelection(config, options);
    if (flags.out !== undefined)
      checkPlanPath(relativeFilePath(config, context.directory), context.directory);
  };
  const chosen = (key: string) => selects(options, key);
  const { against } = flags;
  if (typeof against === 'string') refuseServiceFlags(flags);
  const base = typeof against === 'string' || against === false ? null : pullRequestBaseOf(context);
  const revision =
    typeof against === 'string'
      ? against
      : loaded.ok && base !== null && flags.out === undefined && !hasService(context, loaded.value)
        ? baseIn(context, loaded.value, base)
        : null;
  if (revision !== null) {
    if (!loaded.ok) return createOutcome({ problems: loaded.problems });
    check(loaded.value);
    const warnings = loaded.warnings.filter(({ code }) => code !== 'LT_CONFIG_SECRET_MISSING');
    const comparison = compareWithRevision(context, loaded.value, { revision, flags, options });
    return outcomeOfComparison(context, loaded.value, { flags, options, comparison, warnings });
  }
  return await withProject(
    context,
    { flags, load: async () => await Promise.resolve(loaded), writes: false, selectsTest: chosen, check },
    async ({ config, warnings, session }) => {
      const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
      const { plan: projectPlan, problems: found } = await planProject(session, config.desired, {
        options,
        parallelism,
        context: null,
      });
      const members = membersOf(projectPlan, session);
      const ofService = reviewPlan(projectPlan, config.content());
      const baseRevision = base === null ? null : baseIn(context, config, base);
      const comparison =
        baseRevision === null
          ? null
          : compareWithRevision(context, config, { revision: baseRevision, flags, options });
      const review =
        comparison === null
          ? reviewMembers(ofService, null)
          : reviewMembers(withRotations(comparison.review, ofService), comparison.compared);
      const problems = [
        ...warnings,
        ...keyWarnings(context, config),
        ...(base !== null && baseRevision === null ? [missingBase(context, config, base)] : []),
        ...(comparison?.warnings ?? []),
        ...listOpenIntents(session.journal(config.desired)),
        ...found,
        ...rejectedDangers(review, flags),
      ];
      const exitCode = exitCodeOf(problems, members, flags);
      const body: BodyOf<'plan'> = { command: 'plan', ...members, ...review };
      const { out } = flags;
      let failed: Problem | null = null;
      if (out !== undefined) {
        const { origin, sign } = signingOf(config, session, { flags, now, context });
        const signer: Signer = (group) =>
          createSavedMembers(
            { ...members, ...review },
            group === undefined ? origin : { ...origin, group },
            sign,
          );
        if (isAlone) failed = savePlan(context, out, { ...body, ...signer() }, exitCode);
        else addSigner(origin.file, signer);
      }
      const isSaved = isAlone && out !== undefined && failed === null;
      const next = isSaved ? formatCommandLine(['apply', out]) : null;
      // Processes pending events between the review and the text, because each can take a long time.
      await nextTurn();
      const about = { command: 'plan', service: members.service, next, verbose: flags.verbose === true };
      const text = planText({ ...members, ...review }, about, context.paint);
      const planned = createOutcome({ exitCode, problems, text, body, origin: originOf(context, next, now) });
      return failed === null ? planned : withOutputLoss(planned, failed);
    },
  );
}

/**
 * Reports whether the API key of the named service is set or, if no service is named, whether the embedded service has
 * data.
 */
function hasService({ env }: Context, { service, file }: LoadedConfig): boolean {
  if (!namesService(env, service)) return hasServiceData(file.directory);
  return (env[service.apiKeyEnv] ?? '') !== '';
}

/** Returns the first of the revisions that the clone contains; null if there is none or the file is standard input. */
function baseIn(context: Context, { file }: LoadedConfig, { revisions }: PullRequestBase): string | null {
  return file.path === '<stdin>' ? null : firstRevisionIn(context, file.directory, revisions);
}

function firstRevisionIn(context: Context, directory: string, revisions: readonly string[]): string | null {
  return revisions.find((revision) => revisionFault(context, directory, revision) === null) ?? null;
}

/** Returns a warning if a pull request job has an API key, because the code of the pull request can use the key. */
function keyWarnings(context: Context, { service: { apiKeyEnv: name } }: LoadedConfig): readonly Problem[] {
  if ((context.env[name] ?? '') === '' || pullRequestBaseOf(context) === null) return [];
  const message = `this pull request job has ${name}, which the code of the pull request could use to start load`;
  const hint = 'remove the key from the job; the comparison with the base needs no key';
  return [problem('LT_PLAN_KEY', message, { severity: 'warning', hint })];
}

function missingBase(
  context: Context,
  { file }: LoadedConfig,
  { name, revisions }: PullRequestBase,
): Problem {
  if (file.path === '<stdin>')
    return problem(
      'LT_PLAN_AGAINST',
      `a file from standard input cannot be compared with ${name}, the base of the pull request`,
      { severity: 'warning', hint: 'pass the path of the file with --file' },
    );
  const reason = revisionFault(context, file.directory, revisions.at(-1) ?? name) ?? '';
  if (reason !== '')
    return problem('LT_PLAN_AGAINST', `${name}, the base of the pull request, cannot be read: ${reason}`, {
      severity: 'warning',
      hint: `run "git rev-parse ${name}" in the directory of the file, and fix its error`,
    });
  return problem('LT_PLAN_AGAINST', `the clone does not contain ${name}, the base of the pull request`, {
    severity: 'warning',
    hint: `to compare the file with the base, run "git fetch --depth=1 origin ${name.replace(/^origin\//, '')}" first`,
  });
}

/**
 * Adds changed secrets from the comparison with the service, because two files do not show whether a secret has
 * changed.
 */
function withRotations(review: FileReview, ofService: FileReview): FileReview {
  return {
    changes: [...review.changes, ...ofService.changes.filter(({ rotated }) => rotated === true)],
    danger: sortDangers([...review.danger, ...ofService.danger.filter(({ kind }) => kind === 'secrets')]),
  };
}

/** @throws ProblemError LT_CLI_USAGE if such a flag is set. */
function refuseServiceFlags(flags: PlanCommandFlags): void {
  const other = (['out', 'maxAge', 'replace', 'onDrift'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined || flags.run === true)
    throw usageError(
      '--against compares two versions of the file and cannot be combined with --out, --run, --max-age, --replace or --on-drift',
    );
}

function outcomeOfComparison(
  context: Context,
  config: LoadedConfig,
  request: {
    readonly flags: PlanCommandFlags;
    readonly options: PlanOptions;
    readonly comparison: RevisionComparison;
    readonly warnings: readonly Problem[];
  },
): Outcome {
  const { flags, options, comparison, warnings } = request;
  const { baseUrl } = config.service;
  const service = baseUrl === null ? 'embedded' : new URL(baseUrl).origin;
  const simulated = planAgainstState(comparison.before, config.desired, { options, sha256 });
  const body = {
    command: 'plan',
    ...comparisonMembers(simulated, service, sha256),
    ...reviewMembers(comparison.review, comparison.compared),
  } as const;
  const problems = [
    ...warnings,
    ...keyWarnings(context, config),
    ...comparison.warnings,
    ...simulated.problems,
    ...rejectedDangers(body, flags),
  ];
  return createOutcome({
    exitCode: exitCodeOf(problems, body, flags),
    problems,
    text: planText(
      body,
      { command: 'plan', service, next: null, verbose: flags.verbose === true },
      context.paint,
    ),
    body,
  });
}

function rejectedDangers(
  { danger }: Pick<ReviewMembers, 'danger'>,
  { failOn = [] }: PlanCommandFlags,
): readonly Problem[] {
  return DANGER_KINDS.filter((kind) => failOn.includes(kind)).flatMap((kind) => {
    const [first, ...more] = danger.filter((one) => one.kind === kind);
    if (first === undefined) return [];
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    return [
      problem(
        'LT_PLAN_FAIL_ON',
        `--fail-on rejects a change of kind "${kind}": ${first.message.replace(/\.$/, '')}${others}`,
      ),
    ];
  });
}

function exitCodeOf(
  problems: readonly Problem[],
  { has_changes: hasChanges }: PlanMembers,
  { detailedExitcode }: PlanCommandFlags,
): number {
  const exitCode = exitCodeOfProblems(problems);
  return exitCode === 0 && detailedExitcode === true && hasChanges ? 2 : exitCode;
}

function savePlan(context: Context, out: string, body: BodyOf<'plan'>, exitCode: number): Problem | null {
  const text = documentText('plan', { exitCode, problems: [], body });
  return writeOutput(resolve(context.directory, out), text);
}
