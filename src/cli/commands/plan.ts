/** What apply would do, and the load it would start. Sends nothing but GET. */
import { resolve } from 'node:path';
import type { Journal } from '../../apply/journal.ts';
import { savedMembers } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { basisOf, loadDocument, planDocument } from '../../core/reconcile/document.ts';
import type { PlanOptions } from '../../core/reconcile/plan.ts';
import { exitCodeOfProblems, problem, type Problem } from '../../core/problem.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../session/digest.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import type { Comparison } from '../../core/reconcile/comparison.ts';
import { compareWith } from '../steps/against.ts';
import { commandLine } from '../terminal/command-line.ts';
import { documentOf, originOf, planProject } from '../steps/planning.ts';
import { withProject } from '../session/open.ts';
import { usageError } from '../terminal/errors.ts';
import { outcome, withLoss, type Outcome } from '../terminal/outcome.ts';
import { writeOutput } from '../terminal/report.ts';
import { checkTests } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM, planOptions } from '../steps/plan-flags.ts';
import { loadProject } from '../files/project.ts';
import { renderComparison } from '../render/against.ts';
import { renderPlan } from '../render/plan.ts';

export interface PlanCommandFlags extends PlanFlags {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  /** A revision of git whose file takes the place of the service. */
  readonly against?: string;
}

export async function plan(context: Context, flags: PlanCommandFlags): Promise<Outcome> {
  const now = Date.now();
  const options = planOptions(flags, now);
  const check = (config: LoadedConfig) => {
    checkTests(config, [...options.only, ...options.exclude, ...options.replace]);
  };
  const { against } = flags;
  if (against !== undefined) {
    const loaded = await loadProject(context, flags);
    if (!loaded.ok) return outcome({ problems: loaded.problems });
    check(loaded.value);
    const { warnings } = loaded;
    return planAgainst(context, loaded.value, { flags, options, revision: against, warnings });
  }
  return await withProject(
    context,
    { flags, writes: false, check },
    async ({ config, warnings, session }) => {
      const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
      const { plan: made, problems: found } = await planProject(session, config.desired, {
        options,
        parallelism,
      });
      const document = documentOf(made, session);
      const problems = [...warnings, ...openIntents(session.journal(config.desired)), ...found];
      const origin = originOf(config, session, {
        flags,
        version: context.version,
        now,
        folder: context.folder,
      });
      const saved = flags.out === undefined ? {} : savedMembers(document, origin, sha256);
      const wanted = exitCodeOfProblems(problems);
      const exitCode = wanted === 0 && flags.detailedExitcode === true && document.has_changes ? 2 : wanted;
      const failed =
        flags.out === undefined ? null : savePlan(context, flags.out, { ...document, ...saved }, exitCode);
      const next = commandLine(['apply', flags.out ?? '--yes']);
      const planned = outcome({
        exitCode,
        problems,
        text: renderPlan(
          made,
          {
            command: 'plan',
            service: document.service,
            next: flags.out === undefined || failed !== null ? null : next,
            verbose: flags.verbose === true,
          },
          context.paint,
        ),
        members: { ...document },
      });
      return failed === null ? planned : withLoss(planned, failed);
    },
  );
}

/** What a file changes, told without a service: for the review of a change. */
function planAgainst(
  context: Context,
  config: LoadedConfig,
  given: {
    readonly flags: PlanCommandFlags;
    readonly options: PlanOptions;
    readonly revision: string;
    readonly warnings: readonly Problem[];
  },
): Outcome {
  const { flags, options, revision, warnings } = given;
  const other = (['out', 'maxAge', 'replace', 'onDrift'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined || flags.run === true)
    throw usageError('--against compares two files; flags about what the service holds do not go with it');
  const { comparison, warnings: old } = compareWith(context, config, { revision, flags, options });
  const document = comparisonDocument(comparison, config);
  const problems = [...warnings, ...old, ...comparison.plan.problems];
  const wanted = exitCodeOfProblems(problems);
  return outcome({
    exitCode: wanted === 0 && flags.detailedExitcode === true && document.has_changes ? 2 : wanted,
    problems,
    text: renderComparison(comparison, { verbose: flags.verbose === true }, context.paint),
    members: document,
  });
}

function comparisonDocument(
  { plan: made, revision, commit, oldFile, before, after, limits }: Comparison,
  config: LoadedConfig,
) {
  const { baseUrl } = config.service ?? { baseUrl: null };
  const document = planDocument(made, baseUrl === null ? 'embedded' : new URL(baseUrl).origin, sha256);
  // Ids are given by a service, and none was asked.
  const actions = document.actions.map((action) => ({ ...action, id: null }));
  const against = {
    revision,
    commit,
    old_file: oldFile,
    load: { before: loadDocument(before), after: loadDocument(after) },
    limits,
  };
  return { ...document, actions, basis: basisOf(actions, sha256), against };
}

function savePlan(context: Context, out: string, document: object, exitCode: number): Problem | null {
  const envelope = { format_version: 1, command: 'plan', exit_code: exitCode, problems: [], ...document };
  return writeOutput(resolve(context.folder, out), JSON.stringify(envelope, null, 2) + '\n');
}

function openIntents(journal: Journal): Problem[] {
  return journal.open().map(({ op, address }) => {
    const text = `the outcome of the ${op} of ${address} is not known yet; apply looks for it first`;
    return problem('LT_API_UNKNOWN', text, { severity: 'warning' });
  });
}
