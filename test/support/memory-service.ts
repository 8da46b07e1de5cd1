/**
 * A hosted service in memory, with the real codecs and a virtual clock. `tests` and `calls` contain what it
 * executed, regardless of the response.
 */
import { validateResponse, type ResponseName } from '../../src/contract/response-validation.ts';
import { decodeApp } from '../../src/contract/app-codec.ts';
import { encodeRunVerdict } from '../../src/contract/verdict-codec.ts';
import { decodeResult } from '../../src/contract/result-codec.ts';
import {
  decodeListedTest,
  decodeTestCreate,
  decodeTestRecord,
  encodeListedTest,
  encodeTestCreate,
  encodeTestRecord,
} from '../../src/contract/test-codec.ts';
import type { AppRecord } from '../../src/contract/generated/app-record.ts';
import type { ResultRecord } from '../../src/contract/generated/result-record.ts';
import type { TestCreate } from '../../src/contract/generated/test-create.ts';
import type { TestListMember } from '../../src/contract/generated/test-list.ts';
import type { TestRecord } from '../../src/contract/generated/test-record.ts';
import type { CreatedRun, Listing, ServicePort, StartedRun } from '../../src/core/ports/service-port.ts';
import { CallError, type CallOutcome } from '../../src/core/call-error.ts';
import type { Code } from '../../src/core/codes.ts';
import { appId, resultId, testId, type TestId } from '../../src/core/model/ids.ts';
import { OWN_EXTENSIONS } from '../../src/core/model/extensions.ts';
import type { LoadTestSpec } from '../../src/core/model/load-test.ts';
import { problem } from '../../src/core/problem.ts';
import { readNotes } from '../../src/core/reconcile/ownership-marker.ts';
import { PLAIN_SPELLING, respellRecord, type Spelling } from './memory-spelling.ts';
import { UPTIME_AT_START_MS, START_TIME, createSeededRandom, type VirtualClock } from './virtual-clock.ts';

export type Operation = Exclude<keyof ServicePort, 'supportsIdempotency'>;

/**
 * A fault of one call.
 *
 * - `not_sent`: it never reaches the service.
 * - `refused`: the service rejects it; 401 is a wrong key.
 * - `lost`: no response, never executed.
 * - `answer_lost`: no response, executed immediately.
 * - `late`: no response, executed after this number of ms.
 * - `twice`: executed with a response, and executed again after this number of ms, because it was delivered
 *   twice.
 * - `broken`: status 500.
 */
export type MemoryFault =
  | { readonly kind: 'not_sent' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'lost' }
  | { readonly kind: 'answer_lost' }
  | { readonly kind: 'late'; readonly after: number }
  | { readonly kind: 'twice'; readonly after: number }
  | { readonly kind: 'broken'; readonly executed: boolean };

export interface ServiceCall {
  readonly operation: Operation;
  /** Number of the call of this operation, from 1. */
  readonly nth: number;
  readonly at: number;
  readonly id: string | null;
}

export interface MemoryOptions {
  readonly clock: VirtualClock;
  readonly spelling: Partial<Spelling>;
  readonly seed: number;
  /** True if the order of lists differs in each response. */
  readonly shuffle: boolean;
  readonly faults: (call: ServiceCall) => MemoryFault | null;
  /** Duration of each exchange, in ms. */
  readonly latency: number;
  /** Time in which a created test is missing from the list, in ms. */
  readonly listLag: number;
  /** Time in which a registered app is missing from the list, in ms. */
  readonly appListLag: number;
  readonly maybeTruncated: boolean;
  /** Maximum length of the list, oldest tests first; null: unlimited. */
  readonly listLimit: number | null;
  /** True if the list truncates long bodies, as our own service does. */
  readonly truncatesBodies: boolean;
  /** Duration of a run in ms; null: the declared duration. */
  readonly runFor: number | null;
  readonly notReadyFor: number;
  readonly results: 'present' | 'missing';
  readonly statusWords: { readonly pending: string; readonly running: string; readonly complete: string };
  /** Time in which a start shows the previous state, in ms. */
  readonly statusLag: number;
  /** True if results contain the reason for the end of a run. */
  readonly reportsAbort: boolean;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly appStatus: 'shown' | 'hidden';
  /** Hosts that are registered and verified from the start. */
  readonly verified: readonly string[];
  /** Number of failures before a verification succeeds. */
  readonly verifyFails: number;
  readonly registerAgain: 'same' | 'refused';
  readonly idempotent: boolean;
  /** True if a stop is acknowledged but not executed. */
  readonly ignoresStop: boolean;
  /** True if a start is refused while the test runs. */
  readonly oneRunAtATime: boolean;
  readonly reportsTime: boolean;
  /** Initial difference of its clock from ours, in ms. */
  readonly clockAhead: number;
  readonly nextTestId: (() => string) | null;
  /** Extensions that it reports. */
  readonly extensions: readonly string[];
}

export interface MemoryRun {
  readonly id: string;
  readonly startedAt: number;
  endsAt: number;
  stopped: boolean;
  /** As stored. */
  verdict?: unknown;
  /** The published thresholds of the run in progress. */
  thresholds?: unknown;
}

export interface MemoryTest {
  readonly id: TestId;
  spec: LoadTestSpec;
  readonly nonce: string | null;
  readonly createdAt: number;
  readonly runs: MemoryRun[];
  disarmed: boolean;
}

interface MemoryApp {
  readonly id: string;
  readonly host: string;
  /** Null: since the start. */
  readonly registeredAt: number | null;
  verified: boolean;
  tries: number;
}

export interface MemoryService {
  readonly clock: VirtualClock;
  readonly port: ServicePort;
  readonly calls: readonly ServiceCall[];
  readonly tests: readonly MemoryTest[];
  readonly apps: readonly MemoryApp[];
  /** Adds a completed test without the API. */
  addTest(spec: LoadTestSpec, planted?: { readonly id?: string; readonly ran?: boolean }): MemoryTest;
  edit(id: string, change: Partial<LoadTestSpec>): void;
  remove(id: string): void;
  count(operation: Operation): number;
  /** Active tests. */
  running(): readonly MemoryTest[];
  /** Changes the behavior of the service from now on. */
  configure(options: Partial<MemoryOptions>): void;
}

const DEFAULTS: Omit<MemoryOptions, 'clock'> = {
  spelling: PLAIN_SPELLING,
  seed: 1,
  shuffle: false,
  faults: () => null,
  latency: 20,
  listLag: 0,
  appListLag: 0,
  maybeTruncated: false,
  listLimit: null,
  truncatesBodies: false,
  runFor: null,
  notReadyFor: 0,
  results: 'present',
  statusWords: { pending: 'pending', running: 'running', complete: 'complete' },
  statusLag: 0,
  reportsAbort: false,
  metrics: { success: 300, error: 0, timeout_error: 0, network_error: 0, avg_response_time: 12 },
  appStatus: 'shown',
  verified: [],
  verifyFails: 0,
  registerAgain: 'same',
  idempotent: false,
  ignoresStop: false,
  oneRunAtATime: false,
  reportsTime: true,
  clockAhead: 0,
  nextTestId: null,
  extensions: OWN_EXTENSIONS,
};

/** A fault on one call of an operation. */
export function faultOnCall(operation: Operation, nth: number, fault: MemoryFault): MemoryOptions['faults'] {
  return (call) => (call.operation === operation && call.nth === nth ? fault : null);
}

export function createMemoryService(
  initialOptions: Partial<MemoryOptions> & Pick<MemoryOptions, 'clock'>,
): MemoryService {
  let options: MemoryOptions = { ...DEFAULTS, ...initialOptions };
  const { clock } = options;
  /** The service has its own clock, which does not change when ours is set. */
  const now = () => clock.monotonic() - UPTIME_AT_START_MS + START_TIME;
  const random = createSeededRandom(options.seed);
  const tests: MemoryTest[] = [];
  const apps: MemoryApp[] = options.verified.map((host, index) => ({
    id: `app${index}`,
    host,
    registeredAt: null,
    verified: true,
    tries: 0,
  }));
  const calls: ServiceCall[] = [];
  const created = new Map<string, CreatedRun>();
  const runs = new Map<string, StartedRun>();
  let answered = false;

  const newId = () => Array.from({ length: 12 }, () => Math.floor(random() * 16).toString(16)).join('');
  const spelling = (): Spelling => ({ ...PLAIN_SPELLING, ...options.spelling });

  async function exchange<T>(operation: Operation, id: string | null, execute: () => T): Promise<T> {
    const nth = calls.filter((one) => one.operation === operation).length + 1;
    const call = { operation, nth, at: now(), id };
    calls.push(call);
    const fault = options.faults(call);
    await clock.sleep(options.latency);
    if (fault?.kind === 'twice') {
      clock.at(clock.now() + fault.after, () => executeSilently(execute));
    } else if (fault !== null) failWith(operation, fault, execute);
    const response = execute();
    answered = true;
    return response;
  }

  function failWith(
    operation: Operation,
    fault: Exclude<MemoryFault, { kind: 'twice' }>,
    execute: () => unknown,
  ): never {
    switch (fault.kind) {
      case 'not_sent':
        throw callError('LT_API_UNREACHABLE', 'not_sent', null);
      case 'refused':
        if (fault.status === 401) throw callError('LT_API_KEY', 'refused', 401);
        throw callError('LT_API_REFUSED', 'refused', fault.status);
      case 'answer_lost':
        executeSilently(execute);
        break;
      case 'late':
        clock.at(clock.now() + fault.after, () => executeSilently(execute));
        break;
      case 'broken':
        if (fault.executed) executeSilently(execute);
        throw callError(
          READ_OPERATIONS.has(operation) ? 'LT_API_UNREACHABLE' : 'LT_API_UNKNOWN',
          'unknown',
          500,
        );
      case 'lost':
        break;
    }
    throw callError(
      READ_OPERATIONS.has(operation) ? 'LT_API_UNREACHABLE' : 'LT_API_UNKNOWN',
      'unknown',
      null,
    );
  }

  /** Executes an operation and ignores its outcome. */
  function executeSilently(execute: () => unknown): void {
    try {
      execute();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  }

  /** Returns the first response again for the same nonce, if the service supports that. */
  function once<T>(responses: Map<string, T>, nonce: string, execute: () => T): T {
    if (!options.idempotent) return execute();
    const response = responses.get(nonce) ?? execute();
    responses.set(nonce, response);
    return response;
  }

  function startRun(test: MemoryTest): MemoryRun {
    const length = options.runFor ?? test.spec.duration;
    const run = { id: newId(), startedAt: now(), endsAt: now() + length, stopped: false };
    test.runs.push(run);
    return run;
  }

  /** Starts a scheduled run that is due. */
  function fireIfDue(test: MemoryTest): void {
    const { scheduledAt } = test.spec;
    if (scheduledAt === null || test.disarmed || now() < scheduledAt || test.runs.length > 0) return;
    const length = options.runFor ?? test.spec.duration;
    test.runs.push({ id: newId(), startedAt: scheduledAt, endsAt: scheduledAt + length, stopped: false });
  }

  function isRunning(test: MemoryTest): boolean {
    fireIfDue(test);
    return test.runs.some((run) => now() < run.endsAt);
  }

  function statusOf(test: MemoryTest): string {
    const { statusWords, statusLag } = options;
    if (isRunning(test)) {
      const current = test.runs.at(-1);
      const fresh = current !== undefined && now() < current.startedAt + statusLag;
      if (fresh) return test.runs.length > 1 ? statusWords.complete : statusWords.pending;
      return statusWords.running;
    }
    const waits = test.spec.scheduledAt !== null && !test.disarmed && test.runs.length === 0;
    return waits ? statusWords.pending : statusWords.complete;
  }

  function recordOf(test: MemoryTest, encode: typeof encodeTestRecord = encodeTestRecord): unknown {
    const { id, spec } = test;
    // Secrets were revealed when the spec was received.
    return respellRecord(encode({ id, status: statusOf(test), spec }), spec, spelling());
  }

  function resultOf(run: MemoryRun): unknown {
    const head = {
      result_id: run.id,
      started_at: new Date(run.startedAt + options.clockAhead).toISOString(),
    };
    if (now() < run.endsAt + options.notReadyFor) return { ...head, status: 'not_ready' };
    const abort = options.reportsAbort ? { abort_reason: run.stopped ? 'stopped' : null } : {};
    const { verdict } = run;
    const evaluated = verdict === undefined ? {} : { verdict };
    return { ...head, status: 'ready', ...options.metrics, ...abort, ...evaluated };
  }

  function find(id: string): MemoryTest {
    const test = tests.find((one) => one.id === id);
    if (test === undefined) throw callError('LT_API_REFUSED', 'refused', 404);
    return test;
  }

  function findApp(id: string): MemoryApp {
    const app = apps.find((one) => one.id === id);
    if (app === undefined) throw callError('LT_API_REFUSED', 'refused', 404);
    return app;
  }

  function ordered<T>(items: readonly T[]): readonly T[] {
    if (!options.shuffle) return items;
    return items
      .map((item) => ({ item, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }

  function create(wire: TestCreate, nonce: string | null): MemoryTest {
    const spec = decodeTestCreate(wire)?.spec;
    if (spec === undefined) throw callError('LT_API_REFUSED', 'refused', 422);
    const id = testId(options.nextTestId?.() ?? newId());
    const test: MemoryTest = { id, spec, nonce, createdAt: now(), runs: [], disarmed: false };
    tests.push(test);
    if (spec.scheduledAt === null) startRun(test);
    return test;
  }

  function started(test: MemoryTest): StartedRun {
    const run = test.runs.at(-1);
    const named = options.results === 'present' && run !== undefined;
    return { resultId: named ? resultId(run.id) : null, status: options.statusWords.running };
  }

  const port: ServicePort = {
    listApps: () =>
      exchange('listApps', null, () => {
        const shown = apps.filter(
          ({ registeredAt }) => registeredAt === null || now() >= registeredAt + options.appListLag,
        );
        const records = throughWire('app-list', ordered(shown).map(appRecord)) as AppRecord[];
        return { items: records.map((record) => decodeApp(record)), maybeTruncated: false };
      }),
    registerApp: (host) =>
      exchange('registerApp', host, () => {
        const there = apps.find((app) => app.host === host);
        if (there !== undefined && options.registerAgain === 'refused') {
          throw callError('LT_API_REFUSED', 'refused', 422);
        }
        const app = there ?? { id: newId(), host, registeredAt: now(), verified: false, tries: 0 };
        if (there === undefined) apps.push(app);
        return { id: appId(app.id), verificationId: `memory-${app.id}` };
      }),
    getApp: (id) =>
      exchange('getApp', id, () => decodeApp(throughWire('app-record', appRecord(findApp(id))) as AppRecord)),
    verifyApp: (id) =>
      exchange('verifyApp', id, () => {
        const app = findApp(id);
        app.tries++;
        app.verified ||= app.tries > options.verifyFails;
        return app.verified
          ? ({ verified: true } as const)
          : ({ verified: false, errors: ['the token is not there'] } as const);
      }),
    deleteApp: (id) =>
      exchange('deleteApp', id, () => {
        apps.splice(apps.indexOf(findApp(id)), 1);
      }),
    listTests: () =>
      exchange('listTests', null, (): Listing<ReturnType<typeof decodeTestRecord>> => {
        const shown = tests.filter((test) => now() >= test.createdAt + options.listLag);
        const page = shown.slice(0, options.listLimit ?? shown.length);
        const encode = options.truncatesBodies ? encodeListedTest : encodeTestRecord;
        const shownAs = (test: MemoryTest) => recordOf(test, encode);
        const records = throughWire('test-list', ordered(page).map(shownAs)) as TestListMember[];
        const maybeTruncated = options.maybeTruncated || page.length === options.listLimit;
        return { items: records.map((record) => decodeListedTest(record)), maybeTruncated };
      }),
    // A service that has all files already.
    hasPayloadFile: () => Promise.resolve(true),
    putPayloadFile: () => Promise.reject(callError('LT_API_REFUSED', 'refused', 404)),
    createTest: ({ spec, notes, nonce }) => {
      // Encoded before it is sent, so that later changes by the caller have no effect.
      const body = JSON.stringify(encodeTestCreate(spec, notes));
      return exchange('createTest', null, () =>
        once(created, nonce, () => {
          const test = create(JSON.parse(body) as TestCreate, nonce);
          return { id: test.id, isExisting: false, ...started(test) };
        }),
      );
    },
    getTest: (id) =>
      exchange('getTest', id, () => ({
        test: decodeTestRecord(throughWire('test-record', recordOf(find(id))) as TestRecord),
        progress: null,
      })),
    runTest: (id, nonce) =>
      exchange('runTest', id, () =>
        once(runs, nonce, () => {
          const test = find(id);
          if (options.oneRunAtATime && isRunning(test)) throw callError('LT_API_REFUSED', 'refused', 422);
          startRun(test);
          return started(test);
        }),
      ),
    stopTest: (id) =>
      exchange('stopTest', id, () => {
        const test = find(id);
        if (!options.ignoresStop) {
          test.disarmed = true;
          for (const run of test.runs) {
            if (now() >= run.endsAt) continue;
            run.endsAt = now();
            run.stopped = true;
          }
        }
        return { ...started(test), status: 'success' };
      }),
    listResults: (id) =>
      exchange('listResults', id, () => {
        const test = find(id);
        isRunning(test);
        if (options.results === 'missing') return null;
        const records = throughWire('result-list', test.runs.map(resultOf)) as ResultRecord[];
        return records
          .map((record) => decodeResult(record))
          .sort((a, b) => (b.record.startedAt ?? 0) - (a.record.startedAt ?? 0));
      }),
    getResult: (id, result) =>
      exchange('getResult', id, () => {
        const run = find(id).runs.find((one) => one.id === result);
        if (run === undefined || options.results === 'missing') return null;
        return decodeResult(throughWire('result-record', resultOf(run)) as ResultRecord);
      }),
    saveVerdict: (id, result, verdict) =>
      exchange('saveVerdict', id, () => {
        const run = find(id).runs.find((one) => one.id === result);
        if (run === undefined) throw callError('LT_API_REFUSED', 'refused', 404);
        run[verdict.inProgress === true ? 'thresholds' : 'verdict'] = encodeRunVerdict(verdict);
      }),
    listExtensions: () => exchange('listExtensions', null, () => new Set(options.extensions)),
    listWorkers: () => Promise.resolve([]),
    supportsIdempotency: () => options.idempotent && answered,
    serviceTime: () => (options.reportsTime ? now() + options.clockAhead : null),
  };

  function appRecord(app: MemoryApp): unknown {
    const status = options.appStatus === 'shown' ? { status: app.verified ? 'verified' : 'unverified' } : {};
    return { app: app.host, app_id: app.id, ...status };
  }

  return {
    clock,
    port,
    calls,
    tests,
    apps,
    addTest: (spec, planted = {}) => {
      const body = JSON.stringify(encodeTestCreate({ ...spec, scheduledAt: null }, spec.notes));
      const wire = JSON.parse(body) as TestCreate;
      const decoded = decodeTestCreate(wire);
      if (decoded === null) throw new Error('the added test cannot be decoded');
      const test: MemoryTest = {
        id: testId(planted.id ?? newId()),
        spec: { ...decoded.spec, scheduledAt: spec.scheduledAt },
        nonce: readNonce(spec.notes),
        createdAt: now() - 3_600_000,
        runs: [],
        disarmed: false,
      };
      if (planted.ran !== false && spec.scheduledAt === null) {
        const startedAt = now() - 1_800_000;
        test.runs.push({ id: newId(), startedAt, endsAt: startedAt + 60_000, stopped: false });
      }
      tests.push(test);
      return test;
    },
    edit: (id, change) => {
      const test = find(id);
      test.spec = { ...test.spec, ...change };
    },
    remove: (id) => {
      tests.splice(tests.indexOf(find(id)), 1);
    },
    count: (operation) => calls.filter((call) => call.operation === operation).length,
    running: () => tests.filter(isRunning),
    configure: (changed) => {
      options = { ...options, ...changed };
    },
  };
}

function readNonce(notes: string | null): string | null {
  const { reading } = readNotes(notes);
  return reading.kind === 'marker' ? reading.marker.nonce : null;
}

const READ_OPERATIONS: ReadonlySet<Operation> = new Set([
  'listApps',
  'getApp',
  'listTests',
  'getTest',
  'listResults',
  'getResult',
  'listExtensions',
]);

/**
 * Converts a value to JSON and back and validates it, like a response. The validation justifies the casts of
 * its results.
 */
function throughWire(name: ResponseName, value: unknown): unknown {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  const wrong = validateResponse(name, parsed);
  if (wrong !== null) throw new Error(`the memory service wrote an invalid ${name}: ${wrong}`);
  return parsed;
}

function callError(code: Code, outcome: CallOutcome, status: number | null): CallError {
  const outcomeText = status === null ? 'no response' : `status ${status}`;
  const transient = outcome !== 'refused';
  return new CallError(problem(code, `the service returned ${outcomeText}`), {
    outcome,
    status,
    errors: [],
    transient,
  });
}
