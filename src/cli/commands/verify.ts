/** The `verify` command: registers missing apps, publishes tokens and verifies apps. */
import { execute, exitCodeOfExecution } from '../../apply/execute.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { counted } from '../../core/counted.ts';
import { findObservedApp, type DeclaredApp, type ObservedApp } from '../../core/model/app.ts';
import { appAddress } from '../../core/model/ids.ts';
import type { Action } from '../../core/reconcile/action.ts';
import { toCompletedAction, planMembers } from '../../core/report/plan-document.ts';
import { planFromActions } from '../../core/reconcile/plan.ts';
import { ONLY_APPS, openProgress } from '../steps/execute-plan.ts';
import { requestApproval } from '../terminal/approval.ts';
import type { Context } from '../terminal/context.ts';
import type { ServiceFlags } from '../terminal/flags.ts';
import { sha256 } from '../files/sha256.ts';
import { withProject } from '../session/open-session.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { checkApps, selectApps } from '../steps/key-selection.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { writeText } from '../terminal/report.ts';
import { actionsText } from '../../report/plan-text.ts';

export interface VerifyFlags extends ServiceFlags {
  readonly yes?: boolean;
  readonly allowCommands?: boolean;
  readonly parallelism?: number;
}

/** @param names - Keys or patterns of apps; empty for all apps. */
export async function verify(
  context: Context,
  names: readonly string[],
  flags: VerifyFlags,
): Promise<Outcome> {
  const check = (config: LoadedConfig) => checkApps(config, names);
  return await withProject(context, { flags, writes: true, check }, async ({ config, session }) => {
    const apps = selectApps(config, names);
    const { service, origin } = session.connection;
    const { items } = await service.listApps();
    const plan = planFromActions(config.desired, actionsOf(apps, items));
    const text = actionsText(
      planMembers(plan, origin, sha256),
      { command: 'verify', service: origin, next: null },
      context.paint,
    );
    writeText(context, `${text}\n`, flags);
    const approved = flags.yes === true || apps.length === 0;
    const refusal = await requestApproval(context, {
      about: `${text}\n`,
      question: 'Verify these apps?',
      approved,
    });
    if (refusal !== null) return createOutcome({ problems: [refusal] });
    context.interruption.handleGracefully();
    await session.startWebServer();
    const progress = await openProgress(context, flags);
    const execution = await execute(plan, config.desired.apps, {
      context: session.applyContext(config.desired, progress.emit),
      options: { ...ONLY_APPS, parallelism: flags.parallelism ?? DEFAULT_PARALLELISM },
    });
    progress.close();
    const done = execution.actions.filter(
      ({ action, outcome }) => action.verb === 'verify' && outcome === 'done',
    ).length;
    return createOutcome({
      exitCode: exitCodeOfExecution(execution, context.interruption.exitCode()),
      problems: execution.problems,
      text: `Verified ${done} of ${counted(apps.length, 'app')}.\n`,
      body: {
        command: 'verify',
        project: plan.project,
        environment: plan.environment,
        service: origin,
        actions: execution.actions.map(toCompletedAction),
      },
    });
  });
}

/** Verified apps are verified again, because their tokens may be missing. */
function actionsOf(apps: readonly DeclaredApp[], observed: readonly ObservedApp[]): readonly Action[] {
  return apps.flatMap((app): Action[] => {
    const observedApp = findObservedApp(observed, app);
    const address = appAddress(app.key);
    if (observedApp === undefined) {
      return [
        { verb: 'register', address, app, note: null },
        { verb: 'verify', address, app, appId: null, note: null },
      ];
    }
    const note = observedApp.status === 'verified' ? 'already verified' : null;
    return [{ verb: 'verify', address, app, appId: observedApp.id, note }];
  });
}
