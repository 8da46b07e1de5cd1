/**
 * Report members for a plan and its outcome.
 * @see docs/internals/command-line.md, section 5
 */
import { thresholdOfRule } from '../model/abort-rule.ts';
import { allTargetsOf } from '../model/phase.ts';
import { canonical, type Json, type Sha256 } from '../canonical.ts';
import { connectionsPerClient, countIterations, iterationLengths } from '../model/iteration.ts';
import { clientCount, isOpenModel } from '../model/pace.ts';
import { drainTime, iterationsOfRun, peakConnections, requestsOf } from '../model/peak-load.ts';
import {
  declaredRowLimit,
  paceOf,
  runnableSpecOf,
  type ObservedTest,
  type RunnableTest,
  type TargetSpec,
} from '../model/load-test.ts';
import { labelsOf } from '../model/threshold.ts';
import { filesOfBody } from '../model/request-body.ts';
import { isChange, startsLoad, type Action } from '../reconcile/action.ts';
import type { ComparedRevision } from '../reconcile/file-comparison.ts';
import type { FileReview, ReviewedChange } from '../reconcile/file-review.ts';
import {
  phaseRequestsOf,
  phaseTimeOf,
  type PhaseRequests,
  type PlannedLoad,
} from '../reconcile/planned-load.ts';
import type { Plan } from '../reconcile/plan.ts';
import { hostsOf } from '../reconcile/run-order.ts';
import { locationOf, type SourceLocation, type SourceRange } from '../source-location.ts';
import type {
  ApplyDocument,
  Change,
  DoneAction,
  Load,
  LoadAbortRule,
  LoadFile,
  LoadFlow,
  LoadRows,
  Outcome,
  PlanDocument,
  PlannedAction,
  TestLoad,
  Verification,
} from './generated/documents.ts';

export type PlanMembers = Pick<
  PlanDocument,
  | 'has_changes'
  | 'project'
  | 'environment'
  | 'service'
  | 'summary'
  | 'actions'
  | 'drift'
  | 'load'
  /** Digest of the actions, to detect whether a saved plan still applies. */
  | 'basis'
>;

export type ApplyOutcome = Pick<ApplyDocument, 'actions' | 'runs' | 'pins'>;

export function planMembers(plan: Plan, service: string, sha256: Sha256): PlanMembers {
  const actions = plan.actions.map(toPlannedAction);
  return {
    has_changes: plan.actions.some(isChange),
    project: plan.project,
    environment: plan.environment,
    service,
    summary: plan.summary,
    actions,
    drift: plan.drift.map(({ address, id, changes }) => ({ address, id, test_id: id, changes })),
    load: loadMembers(plan.load),
    basis: planDigestOf(actions, sha256),
  };
}

/** Returns the plan members for a comparison of two files without a service. */
export function comparisonMembers(plan: Plan, service: string, sha256: Sha256): PlanMembers {
  const members = planMembers(plan, service, sha256);
  // IDs are null, because no service has assigned any.
  const actions = members.actions.map((action) => ({ ...action, id: null, test_id: null }));
  // The service is only simulated, so a replacement leaves no earlier version on a service.
  const summary = { ...members.summary, superseded: 0 };
  return { ...members, summary, actions, basis: planDigestOf(actions, sha256) };
}

export type ReviewMembers = Pick<PlanDocument, 'changes' | 'danger' | 'against'>;

/**
 * Returns the report members for a review of changes.
 * @param compared - the earlier version of the file; null if the changes are relative to the service
 */
export function reviewMembers(review: FileReview, compared: ComparedRevision | null): ReviewMembers {
  return {
    changes: review.changes.map(toChange),
    danger: review.danger.map(({ source, environments, ...danger }) => ({
      ...danger,
      ...(environments === null ? {} : { environments }),
      ...placeOf(source),
    })),
    ...(compared === null
      ? {}
      : {
          against: {
            revision: compared.revision,
            commit: compared.commit,
            old_file: compared.oldFile,
            note: compared.note,
            load: { before: loadMembers(compared.before), after: loadMembers(compared.after) },
          },
        }),
  };
}

function toChange({ source, rows, environments, rotated, ...change }: ReviewedChange): Change {
  const { address, url, field, kind, before, after } = change;
  return {
    address,
    url,
    field,
    kind,
    before,
    after,
    ...(rows === null ? {} : { rows }),
    ...(rotated === undefined ? {} : { rotated }),
    ...(environments === null ? {} : { environments }),
    ...placeOf(source),
  };
}

function placeOf(source: SourceLocation | null): {
  readonly file: string | null;
  readonly line: number | null;
} {
  return { file: source?.file ?? null, line: source?.line ?? null };
}

function loadMembers({
  starts,
  peakConnections,
  machines,
  requests,
  requestsVary,
  followsRedirects,
  phaseRequests,
  seconds,
  secondsVary,
  concurrentTests,
  rounds,
}: PlannedLoad): Load {
  const shared = machines.filter(({ hosts }) => hosts.length > 1);
  return {
    starts,
    peak_connections: Object.fromEntries(peakConnections),
    ...(shared.length === 0
      ? {}
      : {
          shared_machines: shared.map(({ hosts, peakConnections: peak }) => ({ hosts, connections: peak })),
        }),
    ...requestsMember(requests),
    ...(requests === null || requestsVary === undefined ? {} : { requests_vary: requestsVary }),
    ...(requests === null || followsRedirects === undefined ? {} : { follows_redirects: followsRedirects }),
    ...phaseMembers(phaseRequests),
    seconds,
    ...(secondsVary === undefined ? {} : { seconds_vary: secondsVary }),
    concurrent_tests: concurrentTests,
    ...(rounds === undefined ? {} : { rounds }),
  };
}

/** Returns a digest of the verbs, addresses, IDs and changes of actions, and of whether each action starts load. */
export function planDigestOf(actions: readonly PlannedAction[], sha256: Sha256): string {
  const relevant = actions.map((action): Json => {
    const changes = action.changes.map(({ field, from, to, readable }): Json => ({
      field,
      from,
      to,
      readable,
    }));
    return [action.verb, action.address, action.id, action.starts_load, changes];
  });
  return `sha256:${sha256(canonical(relevant))}`;
}

export interface ActionEnd {
  readonly action: Action;
  readonly outcome: Outcome;
  /** ID of the created app or test; null if it is the same as in the plan. */
  readonly id: string | null;
  readonly resultId: string | null;
}

export function toCompletedAction({ action, outcome, id, resultId }: ActionEnd): DoneAction {
  const planned = toPlannedAction(action);
  const known = id ?? planned.id;
  return { ...planned, id: known, test_id: testIdOf(action, known), result_id: resultId, outcome };
}

export function toUnattemptedAction(planned: PlannedAction): DoneAction {
  return { ...planned, result_id: null, outcome: 'not_attempted' };
}

export function toPlannedAction(action: Action): PlannedAction {
  const id = idOf(action);
  const created = action.verb === 'create' || action.verb === 'replace';
  const unchanged = action.verb === 'no-op' ? action : null;
  return {
    verb: action.verb,
    address: action.address,
    id,
    test_id: testIdOf(action, id),
    starts_load: startsLoad(action),
    changes: 'changes' in action ? action.changes : [],
    note: action.verb === 'blocked' ? action.reason : action.note,
    host: 'app' in action ? action.app.host : null,
    verification: action.verb === 'verify' ? verificationOf(action.app) : null,
    load: created || action.verb === 'run' ? testLoad(action.test) : null,
    ...(created ? previousLoad(action.previous) : {}),
    scheduled_at: created ? instantText(action.test.spec.scheduledAt) : null,
    state: unchanged?.state ?? null,
    verdict: unchanged?.verdict?.verdict ?? null,
    not_compared: 'uncomparedSecrets' in action ? action.uncomparedSecrets : [],
    source: sourceOf('test' in action ? action.test.source : 'app' in action ? action.app.source : null),
  };
}

function idOf(action: Action): string | null {
  if ('observed' in action) return action.observed.id;
  if (action.verb === 'replace') return action.replaces;
  return action.verb === 'verify' ? action.appId : null;
}

function testIdOf(action: Action, id: string | null): string | null {
  return 'app' in action ? null : id;
}

function verificationOf({ method, publish }: Extract<Action, { verb: 'verify' }>['app']): Verification {
  return {
    method,
    publish: publish.kind,
    directory: publish.kind === 'directory' ? publish.directory : null,
    command: publish.kind === 'command' ? publish.command : null,
  };
}

/** Returns the load of the test that an action replaces, if it is known. */
function previousLoad(previous: ObservedTest | null): { readonly load_before?: TestLoad } {
  const spec = previous === null ? null : runnableSpecOf(previous);
  return spec === null ? {} : { load_before: testLoad({ spec }) };
}

export function testLoad(
  test: Pick<RunnableTest, 'spec'> & Partial<Pick<RunnableTest, 'urlNames'>>,
): TestLoad {
  const pace = paceOf(test.spec);
  const files = rowsOf(test);
  const bodies = bodyFilesOf(test);
  const drain = drainTime(pace);
  const phaseTime = phaseTimeOf(test.spec);
  const iterations = iterationsOfRun(pace);
  const perClient = connectionsPerClient(pace);
  return {
    test_type: pace.testType,
    initial: pace.initial,
    total: pace.total,
    clients: isOpenModel(pace) ? clientCount(pace) : null,
    ...(isOpenModel(pace) || iterations === null ? {} : { iterations }),
    ...(pace.arrivals === 'random' ? { arrivals: 'random' as const } : {}),
    ...rowLimitMember(test.spec, pace),
    ...(test.spec.pace === null ? {} : { pace_ms: test.spec.pace }),
    ...requestsMember(requestsOf(pace)),
    ...phaseMembers(phaseRequestsOf(test.spec)),
    ...(phaseTime === 0 ? {} : { phase_seconds: phaseTime / 1000 }),
    ...(pace.flows === null ? {} : { flows: loadFlows(pace) }),
    ...(pace.groups === null ? {} : iterationMembers(pace)),
    stages: test.spec.stages?.map(({ duration, to }) => ({ seconds: duration / 1000, to })) ?? null,
    warmup: test.spec.warmup === null ? null : test.spec.warmup / 1000,
    connections: peakConnections(pace),
    ...(perClient === 1 ? {} : { connections_per_client: perClient }),
    ...(pace.connections === null ? {} : { pool: pace.connections }),
    ...(test.spec.keepAlive === false ? { keep_alive: false as const } : {}),
    seconds: pace.duration / 1000,
    ...(drain === 0 ? {} : { drain_seconds: drain / 1000 }),
    hosts: hostsOf(test),
    ...abortRulesMember(test),
    ...(files.length === 0 ? {} : { payload_files: files }),
    ...(bodies.length === 0 ? {} : { body_files: bodies }),
  };
}

function abortRulesMember({ spec, urlNames = [] }: Parameters<typeof testLoad>[0]): {
  readonly abort_rules?: readonly LoadAbortRule[];
} {
  const targets = spec.targets.map((target, index) => ({ ...target, name: urlNames[index] ?? null }));
  const rules = (spec.abortRules ?? []).flatMap((rule): readonly LoadAbortRule[] => {
    const threshold = thresholdOfRule(rule, { targets, flows: spec.flows });
    if (threshold === null) return [];
    return [{ ...labelsOf(threshold), limit: rule.limit, after_seconds: rule.after / 1000 }];
  });
  return rules.length === 0 ? {} : { abort_rules: rules };
}

/** Returns the member `row_limit`, the number of rows after which the run ends; empty if rows do not limit the run. */
function rowLimitMember(
  spec: RunnableTest['spec'],
  pace: ReturnType<typeof paceOf>,
): { readonly row_limit?: number } {
  const rows = declaredRowLimit(spec);
  const binds = isOpenModel(pace) ? clientCount(pace) === rows : iterationsOfRun(pace) === rows;
  return rows !== null && binds ? { row_limit: rows } : {};
}

export function phaseMembers({ setup, onStart, teardown, vary }: PhaseRequests) {
  return {
    ...(vary ? { phase_requests_vary: true as const } : {}),
    ...(setup === 0 ? {} : { setup_requests: setup }),
    ...(onStart === 0 ? {} : { on_start_requests: onStart }),
    ...(teardown === 0 ? {} : { teardown_requests: teardown }),
  };
}

function iterationMembers(pace: ReturnType<typeof paceOf>) {
  const max = Math.max(...iterationLengths(pace));
  const min = Math.min(...iterationLengths(pace, 'min'));
  return {
    requests_per_iteration: max,
    ...(min === max ? {} : { min_requests_per_iteration: min }),
  };
}

function requestsMember(requests: number | null): { readonly requests?: number } {
  return requests === null ? {} : { requests };
}

function loadFlows(pace: ReturnType<typeof paceOf>): LoadFlow[] {
  const iterations = iterationsOfRun(pace);
  const clients =
    iterations === null ? null : countIterations(pace, { first: 0, stride: 1, clients: iterations });
  const lengths = iterationLengths(pace);
  return (pace.flows ?? []).map(({ name, weight }, index) => ({
    name,
    weight,
    clients: clients?.[index] ?? null,
    requests: lengths[index] ?? 0,
  }));
}

type WithFiles = Pick<TargetSpec, 'payloadFile' | 'body'>;

function rowsOf(test: Pick<RunnableTest, 'spec'>): LoadRows[] {
  const files = allTargetsOf<WithFiles>(test.spec).flatMap(({ payloadFile: file }) =>
    file?.declared ? [{ ...file.declared, sha256: file.sha256 }] : [],
  );
  const distinct = new Map(files.map((file) => [file.path, file]));
  return [...distinct.values()].map(({ path, sha256, rows, columns }) => ({ path, sha256, rows, columns }));
}

function bodyFilesOf(test: Pick<RunnableTest, 'spec'>): LoadFile[] {
  const files = allTargetsOf<WithFiles>(test.spec).flatMap(({ body }) =>
    filesOfBody(body).flatMap(({ sha256, declared }) =>
      declared === null ? [] : [{ path: declared.path, sha256, bytes: declared.bytes }],
    ),
  );
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

export function instantText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function sourceOf(source: SourceRange | null): PlannedAction['source'] {
  return source === null ? {} : locationOf(source);
}
