/** Registers and verifies the apps of a plan, several at once. */
import type { DeclaredApp } from '../core/model/app.ts';
import type { AppId } from '../core/model/ids.ts';
import type { RegisterAction, VerifyAction } from '../core/reconcile/action.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { forEachConcurrent } from './concurrency.ts';
import type { Outcomes } from './outcomes.ts';
import { registerApp, verifyApp, type RegisteredApp } from './prepare-app.ts';
import type { ApplyContext } from './apply-context.ts';

/** Gives the apps that cannot take load: those of failed actions, and of actions that were not tried. */
export async function prepareApps(
  plan: Plan,
  outcomes: Outcomes,
  { world: context, parallelism }: { readonly world: ApplyContext; readonly parallelism: number },
): Promise<ReadonlySet<DeclaredApp>> {
  const unusable = new Set<DeclaredApp>();
  const actionsOf = new Map<DeclaredApp, (RegisterAction | VerifyAction)[]>();
  for (const action of plan.actions) {
    if (action.verb !== 'register' && action.verb !== 'verify') continue;
    actionsOf.set(action.app, [...(actionsOf.get(action.app) ?? []), action]);
  }
  await forEachConcurrent([...actionsOf], parallelism, async ([app, actions]) => {
    if (!(await prepareApp(actions, outcomes, context))) unusable.add(app);
  });
  return unusable;
}

/** The actions of one app, in their order. Gives whether it can take load. */
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
        registered = await registerApp(app, context);
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
  if (id === null) throw new Error('Bug: an app is verified before it was registered');
  return { id, verificationId: null };
}
