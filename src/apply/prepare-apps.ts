/** Registers and verifies the apps of a plan, several at once. */
import type { DeclaredApp } from '../core/model/app.ts';
import type { AppId } from '../core/model/ids.ts';
import type { RegisterAction, VerifyAction } from '../core/reconcile/action.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { eachAtOnce } from './at-once.ts';
import type { Outcomes } from './outcomes.ts';
import { registerApp, verifyApp, type RegisteredApp } from './prepare-app.ts';
import type { World } from './world.ts';

/** Gives the apps that cannot take load: those of failed actions, and of actions that were not tried. */
export async function prepareApps(
  plan: Plan,
  outcomes: Outcomes,
  { world, parallelism }: { readonly world: World; readonly parallelism: number },
): Promise<ReadonlySet<DeclaredApp>> {
  const unusable = new Set<DeclaredApp>();
  const actionsOf = new Map<DeclaredApp, (RegisterAction | VerifyAction)[]>();
  for (const action of plan.actions) {
    if (action.verb !== 'register' && action.verb !== 'verify') continue;
    actionsOf.set(action.app, [...(actionsOf.get(action.app) ?? []), action]);
  }
  await eachAtOnce([...actionsOf], parallelism, async ([app, actions]) => {
    if (!(await prepareApp(actions, outcomes, world))) unusable.add(app);
  });
  return unusable;
}

/** The actions of one app, in their order. Gives whether it can take load. */
async function prepareApp(
  actions: readonly (RegisterAction | VerifyAction)[],
  outcomes: Outcomes,
  world: World,
): Promise<boolean> {
  let registered: RegisteredApp | null = null;
  for (const action of actions) {
    if (outcomes.stopping) return false;
    const { app } = action;
    try {
      if (action.verb === 'register') {
        registered = await registerApp(app, world);
        outcomes.end(action, { outcome: 'done', id: registered.id }, app.host);
      } else {
        const known = registered ?? knownApp(action.appId);
        await verifyApp(app, known, world);
        outcomes.end(action, { outcome: 'done', id: known.id }, `${app.host} is verified`);
      }
    } catch (error) {
      outcomes.fail(action, error);
      return false;
    }
  }
  return true;
}

function knownApp(id: AppId | null): RegisteredApp {
  if (id === null) throw new Error('Bug: an app is verified before it was registered');
  return { id, verificationId: null };
}
