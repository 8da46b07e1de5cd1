/** Stored runs of declared tests, including runs of earlier versions. */
import { observe } from '../../apply/observation/observe.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { isValidRun } from '../../core/compare/run-evaluation.ts';
import type { TestId } from '../../core/model/ids.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { FieldChange } from '../../core/reconcile/differences.ts';
import { loadChanges, loadDifferencesFromSpec } from '../../core/reconcile/load-digest.ts';
import type { Match, OwnTest } from '../../core/reconcile/match.ts';
import { sha256 } from '../files/sha256.ts';
import type { Session } from '../session/session.ts';
import { DEFAULT_PARALLELISM } from './plan-flags.ts';

/** The current or an earlier version of a declared test on the service. */
export interface TestVersion {
  readonly id: TestId;
  readonly changes: readonly FieldChange[];
}

/**
 * Returns the selected declared tests, each with its versions on the service.
 * @throws CallError
 */
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
            .map(async (own) => await fetchEarlierVersion(own, match.declared, service)),
        )),
      ],
    })),
  );
}

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

/** Reads the full test, because lists may truncate request bodies. */
async function fetchEarlierVersion(
  own: OwnTest,
  { spec }: DeclaredTest,
  service: ServicePort,
): Promise<TestVersion> {
  const { test } = await service.getTest(own.test.id);
  return { id: test.id, changes: loadDifferencesFromSpec({ test, marker: own.marker }, spec, sha256) };
}

export interface ListedRun {
  readonly test: TestId;
  readonly result: RunResult;
}

/** Returns the matching runs of several tests, newest first. @throws CallError */
export async function listRuns(
  service: ServicePort,
  tests: readonly TestId[],
  matches: (result: RunResult) => boolean,
): Promise<readonly ListedRun[]> {
  const listed = await Promise.all(
    [...new Set(tests)].map(async (test) =>
      ((await service.listResults(test)) ?? []).filter(matches).map((result) => ({ test, result })),
    ),
  );
  return listed.flat().sort((a, b) => (b.result.record.startedAt ?? 0) - (a.result.record.startedAt ?? 0));
}

/** Reads the full result, because lists omit long fields. @throws CallError */
export async function fetchFullRun(service: ServicePort, { test, result }: ListedRun): Promise<RunResult> {
  return (await service.getResult(test, result.id)) ?? result;
}

/**
 * Reads the full results of at most `max` valid runs, newest first. Omits runs with a measurement version that differs
 * from the newest.
 * @throws CallError
 */
export async function fetchDeliveredRuns(
  service: ServicePort,
  tests: readonly TestId[],
  max: number,
): Promise<readonly RunResult[]> {
  const results: RunResult[] = [];
  for (const run of await listRuns(service, tests, isValidRun)) {
    if (results.length === max) break;
    const read = await fetchFullRun(service, run);
    if (isComparable(read, results[0])) results.push(read);
  }
  return results;
}

/** Reports whether two results have the same measurement version, which a comparison requires. */
function isComparable(result: RunResult, newest: RunResult | undefined): boolean {
  const measurementOf = ({ record }: RunResult) => record.machine?.measurementVersion ?? null;
  return newest === undefined || measurementOf(result) === measurementOf(newest);
}
