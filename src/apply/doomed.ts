/** What goes when an app is deleted: its tests, ours and others', and their results. Sends nothing but GET. */
import { matchesAny } from '../core/glob.ts';
import { appFinder, type DeclaredApp, type ObservedApp } from '../core/model/app.ts';
import type { DesiredState } from '../core/model/state.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { stateOf, type TestState } from '../core/model/test-state.ts';
import { readMark } from '../core/reconcile/mark.ts';
import type { World } from './world.ts';

export interface DoomedTest {
  readonly test: ObservedTest;
  /** Of our mark, or of the entry that adopts it; null: not ours. */
  readonly key: string | null;
  readonly state: TestState;
  /** Null where the service has none to list. */
  readonly results: number | null;
}

export interface DoomedApp {
  readonly declared: DeclaredApp;
  readonly app: ObservedApp;
  readonly tests: readonly DoomedTest[];
}

export interface Doomed {
  /** Those of the file that the service holds. */
  readonly apps: readonly DoomedApp[];
  /** Tests that are not ours may not have been seen. */
  readonly perhapsCut: boolean;
}

/**
 * @param only patterns of keys of apps; empty: all
 * Errors: CallError.
 */
export async function readDoomed(
  desired: DesiredState,
  world: Pick<World, 'service' | 'clock'>,
  only: readonly string[],
): Promise<Doomed> {
  const { service } = world;
  const [apps, tests] = [await service.listApps(), await service.listTests()];
  const chosen = desired.apps.filter(({ key }) => only.length === 0 || matchesAny(only, key));
  const testsOf = testsByApp(apps.items, tests.items);
  const doomed: DoomedApp[] = [];
  for (const declared of chosen) {
    for (const app of apps.items.filter(({ host }) => host === declared.host)) {
      const read: DoomedTest[] = [];
      for (const test of testsOf.get(app) ?? []) read.push(await readTest(test, desired, world));
      doomed.push({ declared, app, tests: read });
    }
  }
  return { apps: doomed, perhapsCut: apps.perhapsCut || tests.perhapsCut };
}

function testsByApp(
  apps: readonly ObservedApp[],
  tests: readonly ObservedTest[],
): ReadonlyMap<ObservedApp, ReadonlySet<ObservedTest>> {
  const appOf = appFinder(apps);
  const found = new Map(apps.map((app) => [app, new Set<ObservedTest>()]));
  for (const test of tests) {
    for (const { url } of test.targets()) {
      const app = appOf(url);
      if (app !== undefined) found.get(app)?.add(test);
    }
  }
  return found;
}

async function readTest(
  test: ObservedTest,
  desired: DesiredState,
  { service, clock }: Pick<World, 'service' | 'clock'>,
): Promise<DoomedTest> {
  const results = await service.listResults(test.id);
  return {
    test,
    key: ownKey(test, desired),
    state: stateOf(test, clock.now()),
    results: results?.length ?? null,
  };
}

function ownKey(test: ObservedTest, desired: DesiredState): string | null {
  const reading = readMark(test.notes);
  const { project, environment } = desired;
  if (reading.kind === 'mark' && reading.mark.project === project && reading.mark.environment === environment)
    return reading.mark.key;
  return desired.tests.find(({ adopt }) => adopt === test.id)?.key ?? null;
}
