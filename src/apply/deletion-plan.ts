/** What goes when an app is deleted: its tests, ours and others', and their results. Sends nothing but GET. */
import { matchesAny } from '../core/glob.ts';
import { createAppFinder, type DeclaredApp, type ObservedApp } from '../core/model/app.ts';
import type { DesiredState } from '../core/model/state.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { stateOf, type TestState } from '../core/model/test-state.ts';
import { readMarker } from '../core/reconcile/ownership-marker.ts';
import type { ApplyContext } from './apply-context.ts';

export interface TestDeletion {
  readonly test: ObservedTest;
  /** Of our mark, or of the entry that adopts it; null: not ours. */
  readonly key: string | null;
  readonly state: TestState;
  /** Null where the service has none to list. */
  readonly results: number | null;
}

export interface AppDeletion {
  readonly declared: DeclaredApp;
  readonly app: ObservedApp;
  readonly tests: readonly TestDeletion[];
}

export interface DeletionPlan {
  /** Those of the file that the service holds. */
  readonly apps: readonly AppDeletion[];
  /** Tests that are not ours may not have been seen. */
  readonly maybeTruncated: boolean;
}

/**
 * @param only patterns of keys of apps; empty: all
 * Errors: CallError.
 */
export async function planDeletion(
  desired: DesiredState,
  context: Pick<ApplyContext, 'service' | 'clock'>,
  only: readonly string[],
): Promise<DeletionPlan> {
  const { service } = context;
  const [apps, tests] = [await service.listApps(), await service.listTests()];
  const chosen = desired.apps.filter(({ key }) => only.length === 0 || matchesAny(only, key));
  const testsOf = groupTestsByApp(apps.items, tests.items);
  const doomed: AppDeletion[] = [];
  for (const declared of chosen) {
    for (const app of apps.items.filter(({ host }) => host === declared.host)) {
      const read: TestDeletion[] = [];
      for (const test of testsOf.get(app) ?? []) read.push(await readTestDeletion(test, desired, context));
      doomed.push({ declared, app, tests: read });
    }
  }
  return { apps: doomed, maybeTruncated: apps.maybeTruncated || tests.maybeTruncated };
}

function groupTestsByApp(
  apps: readonly ObservedApp[],
  tests: readonly ObservedTest[],
): ReadonlyMap<ObservedApp, ReadonlySet<ObservedTest>> {
  const appOf = createAppFinder(apps);
  const found = new Map(apps.map((app) => [app, new Set<ObservedTest>()]));
  for (const test of tests) {
    for (const { url } of test.targets()) {
      const app = appOf(url);
      if (app !== undefined) found.get(app)?.add(test);
    }
  }
  return found;
}

async function readTestDeletion(
  test: ObservedTest,
  desired: DesiredState,
  { service, clock }: Pick<ApplyContext, 'service' | 'clock'>,
): Promise<TestDeletion> {
  const results = await service.listResults(test.id);
  return {
    test,
    key: ownKey(test, desired),
    state: stateOf(test, clock.now()),
    results: results?.length ?? null,
  };
}

function ownKey(test: ObservedTest, desired: DesiredState): string | null {
  const reading = readMarker(test.notes);
  const { project, environment } = desired;
  if (
    reading.kind === 'mark' &&
    reading.marker.project === project &&
    reading.marker.environment === environment
  )
    return reading.marker.key;
  return desired.tests.find(({ adopt }) => adopt === test.id)?.key ?? null;
}
