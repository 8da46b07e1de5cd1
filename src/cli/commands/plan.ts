/** What apply would do, and the load it would start. Sends nothing but GET. */
import { resolve } from 'node:path';
import type { Journal } from '../../apply/journal.ts';
import { savedMembers } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { PlanOptions } from '../../core/reconcile/plan.ts';
import { basisOf, loadMembers, planMembers } from '../../core/report/plan.ts';
import type { Against } from '../../core/report/generated/documents.ts';
import { reportOf, type BodyOf } from '../../core/report/report.ts';
import { exitCodeOfProblems, problem, type Problem } from '../../core/problem.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../session/digest.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import type { Comparison } from '../../core/reconcile/comparison.ts';
import { compareWith } from '../steps/against.ts';
import { commandLine } from '../terminal/command-line.ts';
import { membersOf, originOf, planProject } from '../steps/planning.ts';
import { withProject } from '../session/open.ts';
import { usageError } from '../terminal/errors.ts';
import { outcome, withLoss, type Outcome } from '../terminal/outcome.ts';
import { writeOutput } from '../terminal/report.ts';
import { checkTests } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM, planOptions } from '../steps/plan-flags.ts';
import { loadProject } from '../files/project.ts';
import { comparisonText } from '../../report/comparison-text.ts';
import { planText } from '../../report/plan-text.ts';

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
      const members = membersOf(made, session);
      const problems = [...warnings, ...openIntents(session.journal(config.desired)), ...found];
      const origin = originOf(config, session, {
        flags,
        version: context.version,
        now,
        folder: context.folder,
      });
      const saved = flags.out === undefined ? {} : savedMembers(members, origin, sha256);
      const wanted = exitCodeOfProblems(problems);
      const exitCode = wanted === 0 && flags.detailedExitcode === true && members.has_changes ? 2 : wanted;
      const body: BodyOf<'plan'> = { command: 'plan', ...members };
      const failed =
        flags.out === undefined ? null : savePlan(context, flags.out, { ...body, ...saved }, exitCode);
      const next = commandLine(['apply', flags.out ?? '--yes']);
      const planned = outcome({
        exitCode,
        problems,
        text: planText(
          members,
          {
            command: 'plan',
            service: members.service,
            next: flags.out === undefined || failed !== null ? null : next,
            verbose: flags.verbose === true,
          },
          context.paint,
        ),
        body,
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
    throw usageError('--against compares two files and cannot be combined with flags about the service');
  const { comparison, warnings: old } = compareWith(context, config, { revision, flags, options });
  const body = comparisonBody(comparison, config);
  const problems = [...warnings, ...old, ...comparison.plan.problems];
  const wanted = exitCodeOfProblems(problems);
  return outcome({
    exitCode: wanted === 0 && flags.detailedExitcode === true && body.has_changes ? 2 : wanted,
    problems,
    text: comparisonText(body, { verbose: flags.verbose === true }, context.paint),
    body,
  });
}

function comparisonBody(
  { plan: made, revision, commit, oldFile, allNew, before, after, limits }: Comparison,
  config: LoadedConfig,
): BodyOf<'plan'> & { readonly against: Against } {
  const { baseUrl } = config.service ?? { baseUrl: null };
  const members = planMembers(made, baseUrl === null ? 'embedded' : new URL(baseUrl).origin, sha256);
  // Ids are given by a service, and none was asked.
  const actions = members.actions.map((action) => ({ ...action, id: null, test_id: null }));
  const against = {
    revision,
    commit,
    old_file: oldFile,
    note: allNew,
    load: { before: loadMembers(before), after: loadMembers(after) },
    limits,
  };
  return { command: 'plan', ...members, actions, basis: basisOf(actions, sha256), against };
}

function savePlan(context: Context, out: string, body: BodyOf<'plan'>, exitCode: number): Problem | null {
  const document = reportOf('plan', { exitCode, problems: [], body });
  return writeOutput(resolve(context.folder, out), JSON.stringify(document, null, 2) + '\n');
}

function openIntents(journal: Journal): Problem[] {
  return journal.open().map(({ op, address }) => {
    const text = `the outcome of the ${op} request for ${address} is unknown; apply looks for it first`;
    return problem('LT_API_UNKNOWN', text, { severity: 'warning' });
  });
}
