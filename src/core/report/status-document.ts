/** Apps and tests, declared beside existing, as a report has them. */
import { selectDisplayedVerdict } from '../run-evaluation.ts';
import type { RunProgress } from '../load/run-report.ts';
import { findObservedApp, type ObservedApp } from '../model/app.ts';
import { appAddress, testAddress, testKey, type TestId } from '../model/ids.ts';
import type { ObservedTest } from '../model/load-test.ts';
import type { DesiredState } from '../model/state.ts';
import { separateRunningResult, stateOf } from '../model/test-state.ts';
import type { RegisteredWorker } from '../model/worker.ts';
import { readNotes } from '../reconcile/ownership-marker.ts';
import type { Match } from '../reconcile/match.ts';
import type { PlanInput } from '../reconcile/plan.ts';
import type {
  DeclaredStatus,
  Progress,
  StatusDocument,
  TestMark,
  TestStatus,
} from './generated/documents.ts';
import { instantText } from './plan-document.ts';
import { toPastRun } from './run-document.ts';

export type StatusMembers = Pick<
  StatusDocument,
  'project' | 'environment' | 'apps' | 'tests' | 'orphaned' | 'unmanaged' | 'unmanaged_tests' | 'workers'
>;

/** When it was looked, how far the tests that run had come then, and who makes their load. */
export interface StatusContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly progress: ReadonlyMap<TestId, RunProgress>;
  readonly workers: readonly RegisteredWorker[];
}

export function createDeclaredStatus(
  desired: DesiredState,
  seen: Pick<PlanInput, 'observed' | 'matching' | 'history'>,
  moment: StatusContext,
): StatusMembers {
  const { now } = moment;
  const { observed, matching, history } = seen;
  return {
    project: desired.project,
    environment: desired.environment,
    apps: desired.apps.map((app) => {
      const there = findObservedApp(observed.apps, app);
      return {
        address: appAddress(app.key),
        host: app.host,
        app_id: there?.id ?? null,
        status: there?.status ?? 'absent',
      };
    }),
    tests: matching.matches.map((match) => statusOfMatch(match, history, moment)),
    orphaned: matching.orphaned.map(({ test, marker }) => ({
      address: testAddress(testKey(marker.key)),
      ...testStatus(test, now),
    })),
    unmanaged: matching.unmanaged,
    ...workerMembers(moment),
  };
}

/** Of a whole account, where there is no file to tell which tests matter. */
export function createAccountStatus(
  apps: readonly ObservedApp[],
  tests: readonly ObservedTest[],
  moment: StatusContext,
): StatusMembers {
  return {
    project: null,
    environment: null,
    apps: apps.map(({ id, host, status }) => ({ address: null, host, app_id: id, status })),
    tests: [],
    orphaned: [],
    unmanaged: tests.length,
    unmanaged_tests: tests.map((test) => ({
      ...testStatus(test, moment.now),
      progress: progressMembers(test, moment),
      name: test.name,
      mark: markerOf(test),
    })),
    ...workerMembers(moment),
  };
}

/** What stays as it is while a run goes on. */
function workerMembers({ workers }: StatusContext): Pick<StatusMembers, 'workers'> {
  if (workers.length === 0) return {};
  return {
    workers: workers.map(
      ({ id, name, version, compatible, state, runId, threads, connections, families }) => ({
        ...{ worker_id: id, name, version, state: compatible ? state : 'unusable' },
        ...{ result_id: runId, threads, connections, ip_versions: [...families] },
      }),
    ),
  };
}

function markerOf({ notes }: ObservedTest): TestMark | null {
  const { reading } = readNotes(notes);
  if (reading.kind !== 'mark') return null;
  const { project, environment, key } = reading.marker;
  return { project, environment, key };
}

function testStatus(test: ObservedTest, now: number): TestStatus {
  return {
    test_id: test.id,
    status: test.status,
    state: stateOf(test, now),
    scheduled_at: instantText(test.scheduledAt),
  };
}

function declaredAs(found: Exclude<Match['found'], { kind: 'absent' }>): DeclaredStatus['declared'] {
  if (found.kind === 'other' || found.rotated.length > 0) return 'changed';
  return found.drift.length > 0 ? 'drift' : 'present';
}

const ABSENT = { test_id: null, status: null, state: null, scheduled_at: null };

function statusOfMatch(match: Match, history: PlanInput['history'], moment: StatusContext): DeclaredStatus {
  const { now } = moment;
  const { declared, found } = match;
  const address = testAddress(declared.key);
  const superseded = match.superseded.map(({ test }) => testStatus(test, now));
  if (found.kind === 'absent') {
    return { address, declared: 'absent', ...ABSENT, current_run: null, last_run: null, superseded };
  }
  const { test } = found;
  const { current, ended } = separateRunningResult(stateOf(test, now), history.get(test.id) ?? []);
  const last = ended[0] ?? null;
  return {
    address,
    declared: declaredAs(found),
    ...testStatus(test, now),
    current_run: current && {
      result_id: current.id,
      started_at: instantText(current.startedAt),
      progress: progressMembers(test, moment),
    },
    last_run: last && toPastRun(last, selectDisplayedVerdict(declared, last), declared.urlNames),
    superseded,
  };
}

function progressMembers({ id, duration }: ObservedTest, { progress }: StatusContext): Progress | null {
  const told = progress.get(id);
  if (told === undefined) return null;
  const failed = told.error + told.timeoutError + told.networkError;
  return {
    elapsed: told.elapsed / 1000,
    duration: duration === null ? null : duration / 1000,
    ...(told.warmingUp ? { warming_up: true } : {}),
    connections: told.connections,
    requests: told.success + failed,
    failed,
    requests_per_second: told.requestsPerSecond,
    p95: told.p95,
  };
}
