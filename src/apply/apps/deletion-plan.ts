/** Plan for the deletion of apps with their tests. Sends only GET requests. */
import { allTargetsOf } from '../../core/model/phase.ts';
import { matchesAny } from '../../core/glob.ts';
import { createAppFinder, type DeclaredApp, type ObservedApp } from '../../core/model/app.ts';
import type { DesiredState } from '../../core/model/state.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { stateOf, type TestState } from '../../core/model/test-state.ts';
import { markerOf } from '../uncertainty/evidence.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface TestDeletion {
  readonly test: ObservedTest;
  /** Key from the ownership marker, or from the entry that adopts the test; null if the test is unmanaged. */
  readonly key: string | null;
  readonly state: TestState;
  /** Number of results; null if the service does not provide results. */
  readonly results: number | null;
}

export interface AppDeletion {
  readonly declared: DeclaredApp;
  readonly app: ObservedApp;
  readonly tests: readonly TestDeletion[];
}

export interface DeletionPlan {
  readonly apps: readonly AppDeletion[];
  /** True if the list of apps or tests may be incomplete. */
  readonly maybeTruncated: boolean;
}

/**
 * Returns the selected apps that exist on the service, with their tests.
 * @param only - Patterns of app keys; empty for all.
 * @throws CallError
 */
export async function planDeletion(
  desired: DesiredState,
  context: Pick<ApplyContext, 'service' | 'clock'>,
  only: readonly string[],
): Promise<DeletionPlan> {
  const { service } = context;
  const [apps, tests] = [await service.listApps(), await service.listTests()];
  const selected = desired.apps.filter(({ key }) => only.length === 0 || matchesAny(only, key));
  const testsOf = groupTestsByApp(apps.items, tests.items);
  const deletions: AppDeletion[] = [];
  for (const declared of selected) {
    for (const app of apps.items.filter(({ host }) => host === declared.host)) {
      const testDeletions: TestDeletion[] = [];
      for (const test of testsOf.get(app) ?? [])
        testDeletions.push(await readTestDeletion(test, desired, context));
      deletions.push({ declared, app, tests: testDeletions });
    }
  }
  return { apps: deletions, maybeTruncated: apps.maybeTruncated || tests.maybeTruncated };
}

function groupTestsByApp(
  apps: readonly ObservedApp[],
  tests: readonly ObservedTest[],
): ReadonlyMap<ObservedApp, ReadonlySet<ObservedTest>> {
  const appOf = createAppFinder(apps);
  const testsByApp = new Map(apps.map((app) => [app, new Set<ObservedTest>()]));
  for (const test of tests) {
    for (const { url } of allTargetsOf({ ...test, targets: test.targets() })) {
      const app = appOf(url);
      if (app !== undefined) testsByApp.get(app)?.add(test);
    }
  }
  return testsByApp;
}

async function readTestDeletion(
  test: ObservedTest,
  desired: DesiredState,
  { service, clock }: Pick<ApplyContext, 'service' | 'clock'>,
): Promise<TestDeletion> {
  const results = await service.listResults(test.id);
  return {
    test,
    key: managedKeyOf(test, desired),
    state: stateOf(test, clock.now()),
    results: results?.length ?? null,
  };
}

function managedKeyOf(test: ObservedTest, desired: DesiredState): string | null {
  const marker = markerOf(test);
  const { project, environment } = desired;
  if (marker?.project === project && marker.environment === environment) return marker.key;
  return desired.tests.find(({ adopt }) => adopt === test.id)?.key ?? null;
}
