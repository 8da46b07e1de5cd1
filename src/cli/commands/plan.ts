/**
 * The `plan` command: shows the changes that `apply` would make and the load that it would start. It sends
 * only GET requests.
 */
import { resolve } from 'node:path';
import { listOpenIntents } from '../../apply/uncertainty/intents.ts';
import { createSavedMembers } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { selects, type PlanOptions } from '../../core/reconcile/plan-input.ts';
import { comparisonMembers, type PlanMembers } from '../../core/report/plan-document.ts';
import { createReport, type BodyOf } from '../../core/report/command-report.ts';
import { printableJson } from '../../core/printable.ts';
import { exitCodeOfProblems, type Problem } from '../../core/problem.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../files/sha256.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import { compareWithRevision } from '../steps/compare-revision.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import { membersOf, relativeFilePath, planProject, signingOf } from '../steps/plan-project.ts';
import { withProject } from '../session/open-session.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, withOutputLoss, type Outcome } from '../terminal/outcome.ts';
import { writeOutput } from '../terminal/report.ts';
import { checkSelection } from '../steps/key-selection.ts';
import { checkPlanPath } from '../steps/saved-plan.ts';
import { DEFAULT_PARALLELISM, planOptions } from '../steps/plan-flags.ts';
import { loadProject, relevantWarnings } from '../files/project.ts';
import { fileComparisonText } from '../../report/file-comparison-text.ts';
import { planText } from '../../report/plan-text.ts';

export interface PlanCommandFlags extends PlanFlags {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  /** Git revision that the file is compared with, instead of the service. */
  readonly against?: string;
}

export async function plan(context: Context, flags: PlanCommandFlags): Promise<Outcome> {
  const now = Date.now();
  const options = planOptions(flags, now);
  const check = (config: LoadedConfig) => {
    checkSelection(config, options);
    if (flags.out !== undefined)
      checkPlanPath(relativeFilePath(config, context.directory), context.directory);
  };
  const chosen = (key: string) => selects(options, key);
  const { against } = flags;
  if (against !== undefined) {
    const loaded = await loadProject(context, flags);
    if (!loaded.ok) return createOutcome({ problems: loaded.problems });
    check(loaded.value);
    const warnings = relevantWarnings(loaded.value, loaded.warnings, chosen);
    return planAgainst(context, loaded.value, { flags, options, revision: against, warnings });
  }
  return await withProject(
    context,
    { flags, writes: false, selectsTest: chosen, check },
    async ({ config, warnings, session }) => {
      const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
      const { plan: projectPlan, problems: found } = await planProject(session, config.desired, {
        options,
        parallelism,
        context: null,
      });
      const members = membersOf(projectPlan, session);
      const problems = [...warnings, ...listOpenIntents(session.journal(config.desired)), ...found];
      const exitCode = exitCodeOf(problems, members, flags);
      const body: BodyOf<'plan'> = { command: 'plan', ...members };
      const save = (out: string) => {
        const { version, directory } = context;
        const { origin, sign } = signingOf(config, session, { flags, version, now, directory });
        return savePlan(context, out, { ...body, ...createSavedMembers(members, origin, sign) }, exitCode);
      };
      const failed = flags.out === undefined ? null : save(flags.out);
      const next =
        flags.out === undefined || failed !== null ? null : formatCommandLine(['apply', flags.out]);
      const about = { command: 'plan', service: members.service, next, verbose: flags.verbose === true };
      const text = planText(members, about, context.paint);
      const planned = createOutcome({ exitCode, problems, text, body });
      return failed === null ? planned : withOutputLoss(planned, failed);
    },
  );
}

/** Compares the file with a git revision for a code review. No service is needed. */
function planAgainst(
  context: Context,
  config: LoadedConfig,
  request: {
    readonly flags: PlanCommandFlags;
    readonly options: PlanOptions;
    readonly revision: string;
    readonly warnings: readonly Problem[];
  },
): Outcome {
  const { flags, options, revision, warnings } = request;
  const other = (['out', 'maxAge', 'replace', 'onDrift'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined || flags.run === true)
    throw usageError('--against compares two files and cannot be combined with flags for the service');
  const { comparison, warnings: old } = compareWithRevision(context, config, { revision, flags, options });
  const { baseUrl } = config.service ?? { baseUrl: null };
  const service = baseUrl === null ? 'embedded' : new URL(baseUrl).origin;
  const body = { command: 'plan', ...comparisonMembers(comparison, service, sha256) } as const;
  const problems = [...warnings, ...old, ...comparison.plan.problems];
  return createOutcome({
    exitCode: exitCodeOf(problems, body, flags),
    problems,
    text: fileComparisonText(body, { verbose: flags.verbose === true }, context.paint),
    body,
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
  const document = createReport('plan', { exitCode, problems: [], body });
  return writeOutput(
    resolve(context.directory, out),
    printableJson(JSON.stringify(document, null, 2)) + '\n',
  );
}
