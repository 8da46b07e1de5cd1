/** The `destroy` command: deletes the apps of the configuration file with their tests and results. */
import {
  deleteApps,
  exitCodeOfDeletions,
  listUnmanagedProblems,
  type Deletions,
} from '../../apply/apps/delete-apps.ts';
import { planDeletion, type DeletionPlan } from '../../apply/apps/deletion-plan.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { labelOf } from '../../core/reconcile/test-label.ts';
import type { BodyOf } from '../../core/report/command-report.ts';
import { checkApps } from '../steps/key-selection.ts';
import { requestApproval } from '../terminal/approval.ts';
import type { Context } from '../terminal/context.ts';
import type { ServiceFlags } from '../terminal/flags.ts';
import { withProject } from '../session/open-session.ts';
import { systemClock } from '../session/session.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { deletionOutcomeText, deletionPlanText } from '../../report/destroy-text.ts';
import { writeText } from '../terminal/report.ts';

export interface DestroyFlags extends ServiceFlags {
  /** Patterns of app keys. */
  readonly only?: readonly string[];
  readonly withUnmanaged?: boolean;
  readonly yes?: boolean;
}

export async function destroy(context: Context, flags: DestroyFlags): Promise<Outcome> {
  const only = flags.only ?? [];
  const check = (config: LoadedConfig) => checkApps(config, only);
  return await withProject(context, { flags, writes: true, check }, async ({ config, session }) => {
    const { service, origin, settle } = session.connection;
    const deletionContext = { service, settle, clock: systemClock, interrupted: context.interruption.signal };
    const deletions = await planDeletion(config.desired, deletionContext, only);
    const about = { config, origin };
    const planned = destroyBody(deletions, about, new Map());
    const text = deletionPlanText(planned, context.paint);
    const unmanaged = flags.withUnmanaged === true ? [] : listUnmanagedProblems(deletions);
    if (unmanaged.length > 0 || deletions.apps.length === 0)
      return createOutcome({ problems: unmanaged, text, body: planned });
    writeText(context, text, flags);
    const question = 'Delete these apps with all their tests and results? This cannot be undone.';
    const refusal = await requestApproval(context, { about: text, question, approved: flags.yes === true });
    if (refusal !== null) return createOutcome({ problems: [refusal], body: planned });
    context.interruption.handleGracefully();
    // Another user may have created a test while the prompt was open.
    const now = await planDeletion(config.desired, deletionContext, only);
    const newlyUnmanaged = flags.withUnmanaged === true ? [] : listUnmanagedProblems(now);
    if (newlyUnmanaged.length > 0)
      return createOutcome({ problems: newlyUnmanaged, body: destroyBody(now, about, new Map()) });
    const { outcomes, problems } = await deleteApps(now.apps, deletionContext);
    const ended = destroyBody(now, about, outcomes);
    return createOutcome({
      exitCode: exitCodeOfDeletions(outcomes, problems, context.interruption.exitCode()),
      problems,
      text: deletionOutcomeText(ended.apps),
      body: ended,
    });
  });
}

interface DestroyScope {
  readonly config: LoadedConfig;
  readonly origin: string;
}

function destroyBody(
  { apps }: DeletionPlan,
  { config, origin }: DestroyScope,
  outcomes: Deletions,
): BodyOf<'destroy'> {
  const { project, environment } = config.desired;
  return {
    command: 'destroy',
    project,
    environment,
    service: origin,
    apps: apps.map((deletion) => ({
      address: `app.${deletion.declared.key}`,
      host: deletion.app.host,
      app_id: deletion.app.id,
      outcome: outcomes.get(deletion) ?? 'not_attempted',
      tests: deletion.tests.map(({ test, key, state, results }) => ({
        test_id: test.id,
        address: key === null ? null : `test.${key}`,
        name: key === null ? labelOf(test) : test.name,
        state,
        results,
      })),
    })),
  };
}
