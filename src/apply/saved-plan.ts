/**
 * Saved plans.
 * @remarks A saved plan counts as approved, so its file contains a signature over the plan and its origin.
 * @see docs/internals/reconciler.md, section 4.4
 */
import { canonical, type Json, type Sha256 } from '../core/canonical.ts';
import { timeText } from '../core/instant.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { PlannedAction, PlanOrigin } from '../core/report/generated/documents.ts';
import { planDigestOf, type PlanMembers, type ReviewMembers } from '../core/report/plan-document.ts';
import { isObject } from '../core/unknown-value.ts';

export type SignedPlan = PlanMembers & ReviewMembers;

export interface SavedPlan {
  readonly plan: SignedPlan;
  readonly saved: PlanOrigin;
  /** Signature over the plan and its origin. */
  readonly signature: string;
}

export type Sign = (text: string) => string;

export function createSavedMembers(plan: SignedPlan, saved: PlanOrigin, sign: Sign) {
  return { saved, signature: signatureOf(plan, saved, sign) };
}

export function isSigned({ plan, saved, signature }: SavedPlan, sign: Sign): boolean {
  return signatureOf(plan, saved, sign) === signature;
}

/** Returns a digest of the plan and its origin. */
export function digestOfSavedPlan({ plan, saved }: SavedPlan, sha256: Sha256): string {
  return sha256(signedTextOf(plan, saved));
}

/** Returns the creation time of the plan, in ms since the epoch; NaN if the time is invalid. */
export function creationTimeOf({ saved }: Pick<SavedPlan, 'saved'>): number {
  return Date.parse(saved.created_at);
}

/** The signature proves that the applied plan is the reviewed plan. */
function signatureOf(plan: SignedPlan, saved: PlanOrigin, sign: Sign): string {
  return sign(signedTextOf(plan, saved));
}

function signedTextOf(plan: SignedPlan, saved: PlanOrigin): string {
  // The cast is valid, because the plan and its origin contain only JSON values.
  const signed = [stripSavedMembers(plan), saved] as unknown as Json;
  return canonical(signed);
}

function stripSavedMembers(file: SignedPlan): SignedPlan {
  const { has_changes, project, environment, service, summary, actions, drift, load, basis } = file;
  const { changes, danger, against } = file;
  return {
    has_changes,
    project,
    environment,
    service,
    summary,
    actions,
    drift,
    load,
    basis,
    changes,
    danger,
    ...(against === undefined ? {} : { against }),
  };
}

/** Returns a digest that identifies a group of plans that are saved together; undefined for a single plan. */
export function groupDigestOf(
  plans: readonly { readonly file: string; readonly basis: string }[],
  sha256: Sha256,
): string | undefined {
  if (plans.length === 1) return undefined;
  return `sha256:${sha256(canonical(plans.map(({ file, basis }) => [file, basis])))}`;
}

/** Returns null if the text is not a saved plan. */
export function readSavedPlans(text: string, sha256: Sha256): readonly SavedPlan[] | null {
  try {
    // `readPlan` validates the document. Members of the wrong type may cause errors, which are caught below.
    const value = JSON.parse(text) as SavedDocument | { readonly projects: readonly SavedProject[] };
    const documents = 'projects' in value ? value.projects.map(({ report }) => report) : [value];
    const plans = documents.map((document) => readPlan(document, sha256)).filter((plan) => plan !== null);
    const files = plans.map(({ plan, saved }) => ({ file: saved.file, basis: plan.basis }));
    const group = groupDigestOf(files, sha256);
    const isComplete = plans.length === documents.length && plans.every(({ saved }) => saved.group === group);
    return isComplete && plans.length > 0 ? plans : null;
  } catch {
    return null;
  }
}

type SavedDocument = SignedPlan & { readonly saved: PlanOrigin; readonly signature: string };

interface SavedProject {
  readonly report: SavedDocument;
}

function readPlan(value: SavedDocument, sha256: Sha256): SavedPlan | null {
  const { saved, signature } = value;
  if (!isOrigin(saved) || typeof signature !== 'string') return null;
  const plan = stripSavedMembers(value);
  // In the canonical form, a missing member would equal null.
  if (Object.values<unknown>(plan).includes(undefined)) return null;
  return planDigestOf(plan.actions, sha256) === plan.basis ? { plan, saved, signature } : null;
}

function isOrigin(saved: PlanOrigin): boolean {
  const { tool_version, created_at, file, file_digest, service, account } = saved;
  const strings: readonly unknown[] = [tool_version, created_at, file, file_digest, service, account];
  return isObject(saved.flags) && strings.every((one) => typeof one === 'string');
}

export function listStaleReasons(
  old: Pick<SavedPlan, 'plan' | 'saved'>,
  now: { readonly plan: PlanMembers; readonly saved: PlanOrigin },
  sha256: Sha256,
): Problem[] {
  const { saved } = old;
  if (majorOf(saved.tool_version) !== majorOf(now.saved.tool_version)) {
    return [
      stalePlan(
        `the plan was created by loadtests ${saved.tool_version}, but this is loadtests ${now.saved.tool_version}`,
      ),
    ];
  }
  if (saved.service !== now.saved.service) {
    return [
      stalePlan(
        `the plan was created for the service ${saved.service}, but the current service is ${now.saved.service}`,
      ),
    ];
  }
  if (saved.file_digest !== now.saved.file_digest) {
    return [
      stalePlan(
        `"${saved.file}", or a value it refers to, has changed since the plan was created at ${timeText(creationTimeOf(old))}`,
      ),
    ];
  }
  return listPlanChanges(old.plan, now.plan, sha256);
}

/**
 * Returns the differences between the approved plan and the current one. Ignores apps that were registered or verified
 * after the approval, for example by another plan.
 */
export function listPlanChanges(
  approved: Pick<PlanMembers, 'basis' | 'actions'>,
  now: Pick<PlanMembers, 'basis' | 'actions'>,
  sha256: Sha256,
): Problem[] {
  if (approved.basis === now.basis) return [];
  const current = new Set(now.actions.map(({ address, verb }) => `${verb} ${address}`));
  const isReady = ({ address, verb }: PlannedAction) =>
    (verb === 'register' || verb === 'verify') && !current.has(`${verb} ${address}`);
  const expected = approved.actions.filter((action) => !isReady(action));
  if (planDigestOf(expected, sha256) === now.basis) return [];
  const reasons = differences(expected, now.actions);
  return (reasons.length > 0 ? reasons : ['the order of the actions has changed']).map(stalePlan);
}

function stalePlan(message: string): Problem {
  return problem('LT_PLAN_STALE', message, { hint: 'create a new plan and review it' });
}

function majorOf(version: string): string {
  return version.startsWith('0.') ? version.split('.').slice(0, 2).join('.') : (version.split('.')[0] ?? '');
}

function differences(expected: readonly PlannedAction[], now: readonly PlannedAction[]): string[] {
  const addresses = [...new Set([...expected, ...now].map((action) => action.address))];
  return addresses.flatMap((address) => {
    const before = describeActions(expected.filter((action) => action.address === address));
    const after = describeActions(now.filter((action) => action.address === address));
    return before === after
      ? []
      : [`${address}: the approved plan contains ${before}, but the current plan contains ${after}`];
  });
}

function describeActions(actions: readonly PlannedAction[]): string {
  if (actions.length === 0) return 'no action';
  return actions
    .map(({ verb, id, changes }) => {
      const fields = changes.map(({ field, from, to }) => `${field} ${valueText(from)} → ${valueText(to)}`);
      const details = [...(id === null ? [] : [id]), ...fields];
      const name = verb === 'no-op' ? 'no change' : verb;
      return details.length === 0 ? `"${name}"` : `"${name}" (${details.join(', ')})`;
    })
    .join(' and ');
}

function valueText(value: Json): string {
  return value === null ? 'not set' : canonical(value);
}
