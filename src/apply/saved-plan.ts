/**
 * A plan in a file, and whether it still fits.
 *
 * Shape:  the plan's document, beside it what it was made from, and a signature over both, since a saved plan is
 *         consent. It holds no secret.
 * Source: docs/internals/reconciler.md, section 4.4.
 */
import { canonical, type Json, type Sha256 } from '../core/canonical.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { PlannedAction, PlanOrigin } from '../core/report/generated/documents.ts';
import { planDigestOf, type PlanMembers } from '../core/report/plan-document.ts';

export interface SavedPlan {
  readonly plan: PlanMembers;
  readonly saved: PlanOrigin;
  /** As it stands in the file. Whether it is right can only be told by who has the key. */
  readonly signature: string;
}

/** Gives for a text what nobody can give without the key. */
export type Sign = (text: string) => string;

/** The members that are added to the plan's document. */
export function createSavedMembers(plan: PlanMembers, saved: PlanOrigin, sign: Sign) {
  return { saved, signature: signatureOf(plan, saved, sign) };
}

/** Whether it was written with the same key, and not changed since. */
export function isSigned({ plan, saved, signature }: SavedPlan, sign: Sign): boolean {
  return signatureOf(plan, saved, sign) === signature;
}

/** Over all of both: what is shown to whoever reviews the plan must not be altered either. */
function signatureOf(plan: PlanMembers, saved: PlanOrigin, sign: Sign): string {
  // Both are made of JSON values only; interfaces have no index signature, so TypeScript cannot see it.
  const all = [stripSavedMembers(plan), saved] as unknown as Json;
  return sign(canonical(all));
}

/** The plan without what stands around it in the file. */
function stripSavedMembers(file: PlanMembers): PlanMembers {
  const { has_changes, project, environment, service, summary, actions, drift, load, basis } = file;
  return { has_changes, project, environment, service, summary, actions, drift, load, basis };
}

/** Null: not a saved plan. */
export function readSavedPlan(text: string, sha256: Sha256): SavedPlan | null {
  try {
    // Read as what it should be: what is no such thing fails below, or throws, which is caught.
    const value = JSON.parse(text) as PlanMembers & { saved: PlanOrigin; signature: string };
    const { saved, signature } = value;
    if (!isOrigin(saved) || typeof signature !== 'string') return null;
    const plan = stripSavedMembers(value);
    // A member that is missing has the canonical text of null.
    if (Object.values<unknown>(plan).includes(undefined)) return null;
    return planDigestOf(plan.actions, sha256) === plan.basis ? { plan, saved, signature } : null;
  } catch {
    return null;
  }
}

/** Asked before it is known who wrote it. */
function isOrigin(saved: PlanOrigin): boolean {
  const { tool_version, created_at, file, file_digest, service, account } = saved;
  const texts: readonly unknown[] = [tool_version, created_at, file, file_digest, service, account];
  const flags: unknown = saved.flags;
  const isRecord = typeof flags === 'object' && flags !== null && !Array.isArray(flags);
  return isRecord && texts.every((one) => typeof one === 'string');
}

/** Why the plan no longer fits: what it expected, what is there, what would happen now. Empty: it fits. */
export function listStaleReasons(
  old: Pick<SavedPlan, 'plan' | 'saved'>,
  now: { readonly plan: PlanMembers; readonly saved: PlanOrigin },
): Problem[] {
  const { saved } = old;
  const stale = (message: string) =>
    problem('LT_PLAN_STALE', message, { hint: 'make a new plan and review it' });
  if (majorOf(saved.tool_version) !== majorOf(now.saved.tool_version)) {
    return [
      stale(`the plan was made by version ${saved.tool_version}, but this is ${now.saved.tool_version}`),
    ];
  }
  if (saved.service !== now.saved.service) {
    return [stale(`the plan is for ${saved.service}, but the file names ${now.saved.service}`)];
  }
  if (saved.file_digest !== now.saved.file_digest) {
    return [
      stale(
        `"${saved.file}", or a value it refers to, has changed since the plan was made at ${saved.created_at}`,
      ),
    ];
  }
  if (old.plan.basis === now.plan.basis) return [];
  const told = differences(old.plan.actions, now.plan.actions);
  return (told.length > 0 ? told : ['the order of the actions has changed']).map(stale);
}

function majorOf(version: string): string {
  return version.startsWith('0.') ? version.split('.').slice(0, 2).join('.') : (version.split('.')[0] ?? '');
}

function differences(expected: readonly PlannedAction[], now: readonly PlannedAction[]): string[] {
  const addresses = [...new Set([...expected, ...now].map((action) => action.address))];
  return addresses.flatMap((address) => {
    const before = describeActions(expected.filter((action) => action.address === address));
    const after = describeActions(now.filter((action) => action.address === address));
    return before === after ? [] : [`${address}: the plan expected ${before}, but now it would be ${after}`];
  });
}

function describeActions(actions: readonly PlannedAction[]): string {
  if (actions.length === 0) return 'nothing';
  return actions
    .map(({ verb, id, changes }) => {
      const fields = changes.map(({ field, from, to }) => `${field} ${valueText(from)} → ${valueText(to)}`);
      return [
        verb,
        ...(id === null ? [] : [id]),
        ...(fields.length === 0 ? [] : [`(${fields.join(', ')})`]),
      ].join(' ');
    })
    .join(' and ');
}

function valueText(value: Json): string {
  return value === null ? 'none' : canonical(value);
}
