/** Report members for the status of apps and tests. */
import { selectDisplayedVerdict } from '../compare/run-evaluation.ts';
import type { RunProgress } from '../load/run-report.ts';
import { findObservedApp, type ObservedApp } from '../model/app.ts';
import { appAddress, testAddress, testKey, type TestId } from '../model/ids.ts';
import type { ObservedTest } from '../model/load-test.ts';
import type { DesiredState } from '../model/state.ts';
import { stateOf } from '../model/test-state.ts';
import type { RegisteredWorker } from '../model/worker.ts';
import { readMarker } from '../reconcile/ownership-marker.ts';
import type { Match } from '../reconcile/match.ts';
import type { PlanInput } from '../reconcile/plan-input.ts';
import type {
  DeclaredStatus,
  Progress,
  StatusDocument,
  TestMarker,
  TestStatus,
} from './generated/documents.ts';
import { separateRunningResult } from '../run-record/run-result.ts';
import { instantText } from './plan-document.ts';
import { toPastRun } from './run-document.ts';

export type StatusMembers = Pick<
  StatusDocument,
  | 'project'
  | 'environment'
  | 'apps'
  | 'tests'
  | 'orphaned'
  | 'unmanaged'
  | 'unmanaged_tests'
  | 'workers'
  | 'workers_error'
>;

export interface StatusContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly progress: ReadonlyMap<TestId, RunProgress>;
  readonly workers: readonly RegisteredWorker[];
  /** Reason why the service does not know the state of its workers; absent if it does. */
  readonly workersError?: string;
}

export function createDeclaredStatus(
  desired: DesiredState,
  status: Pick<PlanInput, 'observed' | 'matching' | 'history'>,
  context: StatusContext,
): StatusMembers {
  const { now } = context;
  const { observed, matching, history } = status;
  return {
    project: desired.project,
    environment: desired.environment,
    apps: desired.apps.map((app) => {
      const known = findObservedApp(observed.apps, app);
      return {
        address: appAddress(app.key),
        host: app.host,
        app_id: known?.id ?? null,
        status: known?.status ?? 'absent',
      };
    }),
    tests: matching.matches.map((match) => statusOfMatch(match, history, context)),
    orphaned: matching.orphaned.map(({ test, marker }) => ({
      address: testAddress(testKey(marker.key)),
      ...testStatus(test, now),
    })),
    unmanaged: matching.unmanaged,
    ...workerMembers(context),
  };
}

/** Returns the status of an account, for commands without a file. */
export function createAccountStatus(
  apps: readonly ObservedApp[],
  tests: readonly ObservedTest[],
  context: StatusContext,
): StatusMembers {
  return {
    project: null,
    environment: null,
    apps: apps.map(({ id, host, status }) => ({ address: null, host, app_id: id, status })),
    tests: [],
    orphaned: [],
    unmanaged: tests.length,
    unmanaged_tests: tests.map((test) => ({
      ...testStatus(test, context.now),
      progress: progressMembers(test, context),
      name: test.name,
      marker: markerOf(test),
    })),
    ...workerMembers(context),
  };
}

/** Returns the workers without values that change continually, such as their utilization. */
function workerMembers({
  workers,
  workersError,
}: StatusContext): Pick<StatusMembers, 'workers' | 'workers_error'> {
  if (workersError !== undefined) return { workers_error: workersError };
  if (workers.length === 0) return {};
  return {
    workers: workers.map(
      ({ id, name, version, compatible, state, runId, threads, connections, families }) => ({
        worker_id: id,
        name,
        version,
        state: compatible ? state : 'unusable',
        result_id: runId,
        threads,
        connections,
        ip_versions: [...families],
      }),
    ),
  };
}

function markerOf({ notes }: ObservedTest): TestMarker | null {
  const reading = readMarker(notes);
  if (reading.kind !== 'marker') return null;
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

function statusOfMatch(match: Match, history: PlanInput['history'], context: StatusContext): DeclaredStatus {
  const { now } = context;
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
      started_at: instantText(current.record.startedAt),
      progress: progressMembers(test, context),
    },
    last_run: last && toPastRun(last, selectDisplayedVerdict(declared, last), declared),
    superseded,
  };
}

function progressMembers({ id, duration }: ObservedTest, { progress }: StatusContext): Progress | null {
  const current = progress.get(id);
  if (current === undefined) return null;
  const failed = current.error + current.timeoutError + current.networkError;
  return {
    elapsed: current.elapsed / 1000,
    duration: duration === null ? null : duration / 1000,
    ...(current.warmingUp ? { warming_up: true } : {}),
    connections: current.connections,
    requests: current.success + failed,
    failed,
    requests_per_second: current.requestsPerSecond,
    p95: current.p95,
  };
}
