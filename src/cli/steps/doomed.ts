/** What goes when an app is deleted: its tests, ours and others', and their results. Sends nothing but GET. */
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { matchesAny } from '../../core/glob.ts';
import { appFinder, hostNames, type DeclaredApp, type ObservedApp } from '../../core/model/app.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { stateOf, type TestState } from '../../core/model/test-state.ts';
import { readMark } from '../../core/reconcile/mark.ts';

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
  service: ServicePort,
  config: LoadedConfig,
  only: readonly string[],
): Promise<Doomed> {
  const [apps, tests] = [await service.listApps(), await service.listTests()];
  const chosen = config.desired.apps.filter(({ key }) => only.length === 0 || matchesAny(only, key));
  const testsOf = testsByApp(apps.items, tests.items);
  const doomed: DoomedApp[] = [];
  for (const declared of chosen) {
    const app = apps.items.find(({ host }) => hostNames(declared.host).includes(host));
    if (app === undefined) continue;
    const read: DoomedTest[] = [];
    for (const test of testsOf.get(app) ?? []) read.push(await readTest(test, config, service));
    doomed.push({ declared, app, tests: read });
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

async function readTest(test: ObservedTest, config: LoadedConfig, service: ServicePort): Promise<DoomedTest> {
  const results = await service.listResults(test.id);
  return {
    test,
    key: ownKey(test, config),
    state: stateOf(test, Date.now()),
    results: results?.length ?? null,
  };
}

function ownKey(test: ObservedTest, { desired }: LoadedConfig): string | null {
  const reading = readMark(test.notes);
  const { project, environment } = desired;
  if (reading.kind === 'mark' && reading.mark.project === project && reading.mark.environment === environment)
    return reading.mark.key;
  return desired.tests.find(({ adopt }) => adopt === test.id)?.key ?? null;
}
