/** The parts of a plan document for display: items for actions, and for other tests, apps and sections that change. */
import { groupBy } from '../group-by.ts';
import { counted } from '../counted.ts';
import { keyOfAddress } from '../model/ids.ts';
import type { Change, DoneAction, Load, PlannedAction, Source } from './generated/documents.ts';
import type { PlanMembers, ReviewMembers } from './plan-document.ts';

export interface PlanItem {
  readonly address: string;
  /** Key of the test or app, or the name of the section. */
  readonly key: string;
  readonly kind: 'test' | 'app' | 'section';
  /** The verb of the action, or `change`, `add` or `remove` if the change affects only the file. */
  readonly verb: string;
  /** The action on the service; null if the change affects only the file. */
  readonly action: PlannedAction | DoneAction | null;
  readonly changes: readonly Change[];
  readonly source: Source;
}

export type ReviewedPlan = PlanMembers & Partial<ReviewMembers>;

const FILE_VERBS = { added: 'add', removed: 'remove' } as const;

/** Returns the items in the order of the actions, followed by items for changes without an action. */
export function planItems({ actions, changes: all = [] }: ReviewedPlan): readonly PlanItem[] {
  const changesOf = groupBy(
    all.filter(({ environments }) => environments === undefined),
    ({ address }) => address,
  );
  const shown = new Set<string>();
  const acting = actions.flatMap((action): readonly PlanItem[] => {
    const changes = shown.has(action.address) ? [] : (changesOf.get(action.address) ?? []);
    if (action.verb === 'no-op' && changes.length === 0) return [];
    shown.add(action.address);
    return [itemOf(action.address, action.verb === 'no-op' ? null : action, changes, action.source)];
  });
  const others = [...changesOf].flatMap(([address, changes]) =>
    shown.has(address) ? [] : [itemOf(address, null, changes, placeOf(changes))],
  );
  return [...acting, ...others];
}

function itemOf(
  address: string,
  action: PlanItem['action'],
  changes: readonly Change[],
  source: Source,
): PlanItem {
  const kind = address.startsWith('test.') ? 'test' : address.startsWith('app.') ? 'app' : 'section';
  const whole = changes.find(({ field, url }) => field === null && url === null);
  const fileVerb = whole?.kind === 'added' || whole?.kind === 'removed' ? FILE_VERBS[whole.kind] : 'change';
  return {
    address,
    key: kind === 'section' ? address : keyOfAddress(address),
    kind,
    verb: action?.verb ?? fileVerb,
    action,
    changes,
    source,
  };
}

function placeOf(changes: readonly Change[]): Source {
  const found = changes.find(({ file, line }) => file !== null && line !== null);
  return found?.file == null || found.line === null ? {} : { file: found.file, line: found.line };
}

/** Returns the changes that affect only other environments, by environment name. */
export function environmentChanges({
  changes = [],
}: Partial<ReviewMembers>): ReadonlyMap<string, readonly Change[]> {
  return groupBy(
    changes.filter(({ environments }) => environments !== undefined),
    ({ environments = [] }) => environmentText(environments),
  );
}

export function environmentText(names: readonly (string | null)[]): string {
  return names.map((name) => name ?? '(no environment)').join(', ');
}

export function dangerText({
  message,
  environments,
}: {
  readonly message: string;
  readonly environments?: readonly (string | null)[];
}): string {
  return environments === undefined ? message : `In ${environmentText(environments)}: ${message}`;
}

/** Summarizes a plan in words: `2 tests change and start load`. */
export function planHeadline(plan: ReviewedPlan): string {
  const items = planItems(plan);
  const tests = items.filter(({ kind, verb }) => kind === 'test' && verb !== 'run');
  const runs = items.filter(({ verb }) => verb === 'run').length;
  const starting = plan.actions.filter((action) => action.starts_load).length;
  const environments = environmentChanges(plan).size;
  if (tests.length === 0 && runs > 0)
    return `${counted(runs, 'test')} ${runs === 1 ? 'starts' : 'start'} load`;
  if (tests.length === 0) {
    if (items.length === 0 && environments === 0) return 'no changes';
    if (items.length === 0) return 'changes in other environments';
    return items.every(({ kind }) => kind === 'app') ? 'apps change' : 'the settings of the file change';
  }
  const change = `${counted(tests.length, 'test')} ${tests.length === 1 ? 'changes' : 'change'}`;
  if (starting === 0) return `${change}, no load starts`;
  if (starting === tests.length && runs === 0)
    return `${change} and ${starting === 1 ? 'starts' : 'start'} load`;
  return `${change}, ${starting} ${starting === 1 ? 'starts' : 'start'} load`;
}

/** Reports whether a plan has no items, no changes in other environments, and no drift. */
export function isQuiet(plan: ReviewedPlan): boolean {
  return planItems(plan).length === 0 && environmentChanges(plan).size === 0 && plan.drift.length === 0;
}

/** Returns the loads of the earlier and the current file; null if there is no earlier file to compare with. */
export function comparedLoads({ against }: Partial<ReviewMembers>): { before: Load; after: Load } | null {
  return against?.old_file === 'read' ? against.load : null;
}
