/** What the service keeps of a test's runs: those of the load that is declared now, and those of others. */
import { observe } from '../../apply/observe.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { isValidRun } from '../../core/run-evaluation.ts';
import type { TestId } from '../../core/model/ids.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import type { RunResult } from '../../core/model/run-result.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { FieldChange } from '../../core/reconcile/differences.ts';
import { loadChanges, loadDifferencesFromSpec } from '../../core/reconcile/load-digest.ts';
import type { Match, OwnTest } from '../../core/reconcile/match.ts';
import { sha256 } from '../files/sha256.ts';
import type { Session } from '../session/session.ts';
import { DEFAULT_PARALLELISM } from './plan-flags.ts';

/** A test of the service that has the key of a declared one, now or in an earlier version. */
export interface TestVersion {
  readonly id: TestId;
  /** What makes its load another one than the declared; none: it is the same. */
  readonly changes: readonly FieldChange[];
}

/** The tests that the file declares with what is there of each, earlier versions included. Errors: CallError. */
export async function versionsOf(
  { desired }: LoadedConfig,
  session: Session,
  only: readonly string[],
): Promise<readonly { readonly declared: DeclaredTest; readonly versions: readonly TestVersion[] }[]> {
  const { service } = session.connection;
  const { matching } = await observe(desired, session.view(desired), {
    filter: { only, exclude: [] },
    parallelism: DEFAULT_PARALLELISM,
  });
  return await Promise.all(
    matching.matches.map(async (match) => ({
      declared: match.declared,
      versions: [
        ...currentOf(match),
        ...(await Promise.all(
          match.superseded
            .slice(-MAX_VERSIONS)
            .map(async (own) => await findEarlierVersions(own, match.declared, service)),
        )),
      ],
    })),
  );
}

/** Earlier versions of a test that are looked at. */
const MAX_VERSIONS = 20;

function currentOf({ found }: Match): readonly TestVersion[] {
  switch (found.kind) {
    case 'absent':
      return [];
    case 'present':
      return [{ id: found.test.id, changes: loadChanges(found.drift) }];
    case 'other':
      return [{ id: found.test.id, changes: loadChanges(found.changes) }];
  }
}

/** Lists show the beginnings of bodies only. */
async function findEarlierVersions(
  own: OwnTest,
  { spec }: DeclaredTest,
  service: ServicePort,
): Promise<TestVersion> {
  const { test } = await service.getTest(own.test.id);
  return { id: test.id, changes: loadDifferencesFromSpec({ test, marker: own.marker }, spec, sha256) };
}

/** A run as a list has it. */
export interface ListedRun {
  readonly test: TestId;
  readonly result: RunResult;
}

/** Runs of these tests together that are to be counted, the newest first. Errors: CallError. */
export async function listRuns(
  service: ServicePort,
  tests: readonly TestId[],
  counts: (result: RunResult) => boolean,
): Promise<readonly ListedRun[]> {
  const listed = await Promise.all(
    [...new Set(tests)].map(async (test) =>
      ((await service.listResults(test)) ?? []).filter(counts).map((result) => ({ test, result })),
    ),
  );
  return listed.flat().sort((a, b) => (b.result.startedAt ?? 0) - (a.result.startedAt ?? 0));
}

/** Lists leave out what is long. Errors: CallError. */
export async function fetchFullRun(service: ServicePort, { test, result }: ListedRun): Promise<RunResult> {
  return (await service.getResult(test, result.id)) ?? result;
}

/** Whole results of runs that went as declared, of these tests together, the newest first. Errors: CallError. */
export async function fetchDeliveredRuns(
  service: ServicePort,
  tests: readonly TestId[],
  most: number,
): Promise<readonly RunResult[]> {
  const whole: RunResult[] = [];
  for (const run of await listRuns(service, tests, isValidRun)) {
    if (whole.length === most) break;
    const read = await fetchFullRun(service, run);
    if (isComparable(read, whole[0])) whole.push(read);
  }
  return whole;
}

/** Whether figures were measured in the same way. */
function isComparable({ generator }: RunResult, newest: RunResult | undefined): boolean {
  const of = (one: RunResult['generator']) => one?.machine?.measurementVersion ?? null;
  return newest === undefined || of(generator) === of(newest.generator);
}
