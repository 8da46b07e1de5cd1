import { groupBy } from '../../core/group-by.ts';
import type { DeclaredApp } from '../../core/model/app.ts';
import type { AppId } from '../../core/model/ids.ts';
import type { RegisterAction, VerifyAction } from '../../core/reconcile/action.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { forEachConcurrent } from '../concurrency.ts';
import type { Outcomes } from '../outcomes.ts';
import { refuseUnresolvedApp, registerApp, verifyApp, type RegisteredApp } from './prepare-app.ts';
import type { ApplyContext } from '../apply-context.ts';

/** Returns the apps that must not receive load, because one of their actions failed or was not attempted. */
export async function prepareApps(
  plan: Plan,
  outcomes: Outcomes,
  { context, parallelism }: { readonly context: ApplyContext; readonly parallelism: number },
): Promise<ReadonlySet<DeclaredApp>> {
  const blocked = new Set<DeclaredApp>();
  const ofApps = plan.actions.filter((action) => action.verb === 'register' || action.verb === 'verify');
  await forEachConcurrent([...groupBy(ofApps, ({ app }) => app)], parallelism, async ([app, actions]) => {
    if (!(await prepareApp(actions, outcomes, context))) blocked.add(app);
  });
  return blocked;
}

/** Executes the actions of an app in order. Returns true if all actions succeeded. */
async function prepareApp(
  actions: readonly (RegisterAction | VerifyAction)[],
  outcomes: Outcomes,
  context: ApplyContext,
): Promise<boolean> {
  let registered: RegisteredApp | null = null;
  for (const action of actions) {
    if (outcomes.isStopping) return false;
    const { app } = action;
    try {
      if (action.verb === 'register') {
        await refuseUnresolvedApp(app, context);
        registered = await registerApp(app, context);
        context.journal.recordApp(registered.id, context.clock.now());
        outcomes.end(action, { outcome: 'done', id: registered.id }, app.host);
      } else {
        const known = registered ?? requireAppId(action.appId);
        await verifyApp(app, known, context);
        outcomes.end(action, { outcome: 'done', id: known.id }, `${app.host} is verified`);
      }
    } catch (error) {
      outcomes.fail(action, error);
      return false;
    }
  }
  return true;
}

function requireAppId(id: AppId | null): RegisteredApp {
  if (id === null) throw new Error('Bug: the app of a verify action has no ID');
  return { id, verificationId: null };
}
