import { withCommas } from '../../core/counted.ts';
import type { Notices } from './notices.ts';
import type { Label, StoredRun } from '../../contract/overview-codec.ts';
import { serializeTest } from '../../contract/test-codec.ts';
import type { IgnoredFields } from '../../contract/test-normalization.ts';
import { encodeTestResponse } from '../../contract/responses.ts';
import type { CreateRequest, IterationRequest, PublishedVerdict } from '../../contract/request-codec.ts';
import type { RunState } from '../../contract/result-progress-codec.ts';
import type { Json } from '../../core/canonical.ts';
import type { LoadJob } from '../../core/load/load-job.ts';
import {
  MAX_EXCHANGES,
  type Ledger,
  type RunProgress,
  type TracedExchange,
  type TracedIteration,
} from '../../core/load/run-report.ts';
import type { Capabilities } from '../../core/model/capabilities.ts';
import { abortReasonText } from '../../core/load/abort-reason-text.ts';
import { phaseFailureText } from '../../core/run-record/failure-text.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import { iterationWith } from '../../core/model/iteration.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { withPublicFields } from '../../core/model/test-fields.ts';
import { faultsOfTest } from '../../core/model/test-rules.ts';
import {
  formatMarker,
  isSameCreation,
  readMarker,
  type Marker,
} from '../../core/reconcile/ownership-marker.ts';
import { checkCertificates } from '../../certificate/certificate.ts';
import { readPattern } from '../../pattern/pattern.ts';
import { seconds } from '../../core/units.ts';
import { notFound, refuseFaults, temporary, unprocessable } from '../refusal.ts';
import type { Database } from '../store/database.ts';
import type { LabelStore } from '../store/label-store.ts';
import type { ResultStore } from '../store/result-store.ts';
import type { StoredTest, TestStatus, TestStore } from '../store/test-store.ts';
import type { Idempotency, KeyedRequest, SaveResponse } from './idempotency.ts';
import type { RunEndRecorder } from './run-end-recorder.ts';
import type { PreparedRun, Preparation } from './preparation.ts';
import type { AbortSpec, Runs } from './runs.ts';
import type { Schedules } from './schedules.ts';

export interface TestsDeps {
  readonly database: Database;
  readonly store: TestStore;
  readonly labels: LabelStore;
  readonly results: ResultStore;
  readonly runs: Runs;
  readonly ends: RunEndRecorder;
  readonly notices: Notices;
  readonly schedules: Schedules | null;
  readonly preparation: Preparation;
  readonly abilities: () => Capabilities;
  readonly idempotency: Idempotency;
  readonly now: () => number;
  readonly randomHex: () => string;
  readonly maxBytes: number;
}

export class Tests {
  readonly #deps: TestsDeps;
  /** Creations in progress, by ownership marker without nonce. */
  readonly #creations = new Map<string, Promise<unknown>>();

  constructor(deps: TestsDeps) {
    this.#deps = deps;
  }

  *list(): Iterable<StoredTest> {
    for (const test of this.#deps.store.list()) yield this.#withCurrentStatus(test);
  }

  /** @throws Refusal 404 if the test does not exist. */
  get(id: string): StoredTest {
    const test = this.#deps.store.get(id);
    if (test === null) throw notFound();
    return this.#withCurrentStatus(test);
  }

  abortSpecOf(id: string): AbortSpec | null {
    return this.#deps.store.get(id)?.spec ?? null;
  }

  /** Returns the test, with the status `complete` if its run has ended but the result has not been stored yet. */
  #withCurrentStatus(test: StoredTest): StoredTest {
    const ended = test.status === 'running' && this.#deps.ends.isPendingForTest(test.id);
    return ended ? { ...test, status: 'complete' } : test;
  }

  progressOf(id: string): RunProgress | null {
    return this.#deps.runs.progressOf(id);
  }

  /**
   * Stores a test, and starts its first run or schedules it. If a test with the same ownership marker, apart from the
   * nonce, exists, returns that test instead.
   *
   * @param client - Client that sent the request; null if the request does not name the client.
   * @remarks The test, its run and the response for its idempotency key are on disk before the method returns.
   * @throws Refusal 422 if the test is not valid; 429 if the load exceeds the available capacity; 503 if the service is
   * temporarily unavailable.
   */
  async create(create: CreateRequest, request: KeyedRequest, client: string | null): Promise<Json> {
    return await this.#deps.idempotency.once(request, async (saveResponse) => {
      const { spec, bodyFaults } = create;
      refuseFaults([
        ...bodyFaults,
        ...faultsOfTest(spec, this.#deps.abilities(), { readPattern, checkCertificates }),
      ]);
      const reading = readMarker(spec.notes);
      if (reading.kind !== 'marker') return await this.#createNew(create, client, saveResponse);
      const { marker } = reading;
      const creation = formatMarker({ ...marker, nonce: '' });
      for (let pending; (pending = this.#creations.get(creation)) !== undefined;) {
        await pending.catch(() => undefined);
      }
      const existing = this.#findCreated(marker);
      if (existing !== null) return this.#returnExisting(existing, create, saveResponse);
      const created = this.#createNew(create, client, saveResponse);
      this.#creations.set(creation, created);
      try {
        return await created;
      } finally {
        this.#creations.delete(creation);
      }
    });
  }

  /** Returns the oldest test with the same ownership marker, apart from the nonce; null if there is none. */
  #findCreated(marker: Marker): StoredTest | null {
    for (const id of this.#deps.labels.listCreations(marker)) {
      const test = this.get(id);
      const reading = readMarker(test.spec.notes);
      if (reading.kind === 'marker' && isSameCreation(reading.marker, marker)) return test;
    }
    return null;
  }

  /**
   * Stores and returns the response for a test that an earlier request created.
   * @throws Refusal 422 if fields other than the notes differ from the request.
   */
  #returnExisting(
    { id, status, spec: stored, ignored: storedIgnored }: StoredTest,
    { spec, ignored, warnings }: CreateRequest,
    saveResponse: SaveResponse,
  ): Json {
    const definitionOf = (one: LoadTestSpec, others: IgnoredFields) =>
      serializeTest({ ...one, notes: null }, others);
    if (definitionOf(stored, storedIgnored) !== definitionOf(spec, ignored)) {
      throw unprocessable(`the test ${id} has the same ownership marker but different fields`);
    }
    const resultId = this.#deps.results.latest(id)?.id ?? null;
    const response = encodeTestResponse({ testId: id, status, resultId, existing: true, warnings });
    this.#deps.database.transact(() => saveResponse(response));
    return response;
  }

  async #createNew(
    { spec, ignored, warnings }: CreateRequest,
    client: string | null,
    saveResponse: SaveResponse,
  ): Promise<Json> {
    const { preparation, now, randomHex } = this.#deps;
    const testId = randomHex();
    const run = await preparation.prepare(spec, randomHex());
    const insert = (status: TestStatus, dueAt: number | null) => {
      const appId = preparation.appOfFirstUrl(spec);
      this.#insert({ id: testId, appId, spec, ignored, status, dueAt, singleIteration: false }, now());
    };
    const dueAt = spec.scheduledAt;
    if (dueAt === null) {
      const write = (response: Json) => {
        insert('running', null);
        saveResponse(response);
      };
      const started = await this.#startRun(testId, run, { write, warnings, client });
      return started.response;
    }
    const response = encodeTestResponse({ testId, status: 'pending', warnings });
    this.#deps.database.transact(() => {
      preparation.refuseIfAppsDeleted(run.hosts);
      insert('pending', dueAt);
      saveResponse(response);
    });
    return response;
  }

  /**
   * Runs one iteration of a test, or of each of its flows, and returns the exchanges.
   *
   * @remarks Starts a run of a temporary test, which is listed while it runs.
   * @throws Refusal 422 if the test is not valid or the iteration ended early; 429 if the load exceeds the available
   * capacity; 503 if the service is temporarily unavailable.
   */
  async runIteration({ spec, bodyFaults, secrets }: IterationRequest): Promise<TracedIteration> {
    const { store, preparation, abilities, randomHex, now } = this.#deps;
    refuseFaults([...bodyFaults, ...faultsOfTest(spec, abilities(), { readPattern, checkCertificates })]);
    const testId = randomHex();
    const prepared = await preparation.prepare(spec, randomHex());
    const single = singleIterationOf(spec);
    // With an open model, at most this number of clients start, and the run ends after their iterations.
    const maxClients = single.testType === 'non-cycling' ? single.total : null;
    const job = { ...prepared.job, ...single, maxClients, trace: { secrets } };
    const ofSetup = prepared.phases.setup;
    const { teardown } = prepared.phases;
    // One iteration needs only the first row of the setup.
    const phases = {
      setup: ofSetup && { ...withFirstRow(ofSetup), trace: job.trace },
      teardown: teardown && { ...teardown, trace: job.trace },
      refresh: null,
    };
    const run = { ...prepared, job, phases, abortSpec: null };
    const write = () => {
      const at = now();
      store.deleteIterations(at - ITERATION_RETENTION_MS);
      const appId = preparation.appOfFirstUrl(spec);
      const test = {
        id: testId,
        appId,
        // The stored test contains only fields without secrets.
        spec: { ...withPublicFields(spec), ...singleIterationOf(spec), scheduledAt: null },
        ignored: {},
        singleIteration: true,
      } as const;
      this.#insert({ ...test, status: 'running', dueAt: null }, at);
    };
    const { report } = await this.#startRun(testId, run, { write });
    const { abortReason, errorSamples, exchanges, setup, total } = await report;
    const hasFailedSetup =
      abortReason === 'setup' && exchanges.some(({ phase, success: ok }) => phase === 'setup' && !ok);
    if (abortReason === null || abortReason === 'error_threshold' || hasFailedSetup) {
      // Sorts the exchanges by phase and flow, because flows may run at the same time.
      const orderOf = ({ phase, target }: TracedExchange) =>
        phase === undefined
          ? iterationWith(run.job, target).flow
          : phase === 'setup'
            ? -2
            : Number.MAX_SAFE_INTEGER;
      return {
        exchanges: exchanges.toSorted((a, b) => orderOf(a) - orderOf(b)),
        omitted: omittedOf(
          exchanges.filter(({ phase }) => phase === undefined),
          total.ledger,
        ),
        seed: job.seed,
      };
    }
    if (abortReason === 'setup' && setup?.failure)
      throw unprocessable(phaseFailureText('setup', setup.failure));
    const [failure] = errorSamples;
    throw unprocessable(
      abortReason === 'partial' && failure !== undefined
        ? failure.error
        : `the iteration ended early: ${abortReasonText(abortReason)}`,
    );
  }

  /**
   * Runs a test now, and removes a scheduled test from the schedule.
   * @param client - Client that sent the request; null if the request does not name the client.
   * @throws Refusal 404 if the test does not exist; 422 if the test cannot be run, for example because it is already
   * running; 429 if the load exceeds the available capacity; 503 if the service is temporarily unavailable.
   */
  async run(id: string, key: string | null, client: string | null): Promise<Json> {
    // oxlint-disable-next-line boundaries/wire-names -- databases of earlier versions contain the digest of this object
    const content = { route: 'run', test_id: id };
    return await this.#deps.idempotency.once({ key, content }, async (saveResponse) => {
      this.#deps.ends.tick();
      const test = this.#requireIdle(id);
      if (test.singleIteration) {
        throw unprocessable('a single iteration cannot be run again; create a test instead');
      }
      const run = await this.#deps.preparation.prepare(test.spec, this.#deps.randomHex());
      const write = (response: Json) => {
        // Another request or the schedule may have started the test in the meantime.
        this.#requireIdle(id);
        this.#deps.store.setStatus(id, 'running');
        saveResponse(response);
      };
      const { response } = await this.#startRun(id, run, { write, client });
      return response;
    });
  }

  /**
   * Stops a test, or removes it from the schedule. Has no effect if the test is neither running nor scheduled.
   *
   * @param client - Client that sent the request; null if the request does not name the client.
   * @throws Refusal 404 if the test does not exist.
   */
  stop(id: string, client: string | null): Json {
    const { store, results, runs, schedules, now } = this.#deps;
    const stop: RunStop = { at: now(), cause: 'request', client };
    if (this.get(id).status === 'pending') store.setStatus(id, 'complete');
    else if (schedules?.stop(id, stop) !== true) runs.stop(id, stop);
    const resultId = results.latest(id)?.id ?? null;
    return encodeTestResponse({ testId: id, status: this.get(id).status, resultId });
  }

  /**
   * Returns a test that can be run.
   * @throws Refusal 404 if the test does not exist, 422 if it is running, 503 if the result of its last run is not
   * stored yet.
   */
  #requireIdle(id: string): StoredTest {
    const test = this.get(id);
    if (test.status === 'running') throw unprocessable('the test is already running');
    if (this.#deps.ends.isPendingForTest(id)) {
      throw temporary('the result of the last run could not be stored yet; GET /healthz returns the cause');
    }
    return test;
  }

  /**
   * Returns results, newest first.
   * @throws Refusal 404 if the test does not exist.
   */
  results(id: string): Iterable<StoredRun> {
    this.get(id);
    return this.#deps.results.list(id);
  }

  /** @throws Refusal 404 if the result does not exist. */
  result(id: string, resultId: string): StoredRun {
    const run = this.#deps.results.get(id, resultId);
    if (run === null) throw notFound();
    return run;
  }

  /**
   * Inserts a test. Must be called in a transaction, which a refusal rolls back.
   * @throws Refusal 422 if the total size of the tests would exceed the limit.
   */
  #insert(test: StoredTest, at: number): void {
    const { store, labels, maxBytes } = this.#deps;
    store.insert(test, at);
    if (!test.singleIteration) labels.add(test.id, test.spec);
    if (!store.exceeds(maxBytes)) return;
    throw unprocessable(
      `with this test, the tests of this account would exceed ${withCommas(maxBytes)} bytes in total; delete an app to delete its tests`,
    );
  }

  /**
   * Stores the verdict that the client of a run has published. Thresholds that are published during a run are held in
   * memory until the run ends.
   * @throws Refusal 404 if the result does not exist, 422 for a verdict before the end of the run.
   */
  storeVerdict(id: string, resultId: string, { json, isInProgress }: PublishedVerdict): void {
    const hasEnded = this.result(id, resultId).document !== null;
    if (isInProgress) {
      // If the run has ended in the meantime, these thresholds are outdated.
      if (!hasEnded) this.#deps.runs.setThresholds(resultId, json);
      return;
    }
    if (!hasEnded) throw unprocessable('the run has not ended');
    this.#deps.results.setVerdict(resultId, json);
    this.#deps.notices.expedite(resultId);
  }

  /**
   * Returns the test of a result; null if the result does not exist. The label of a single iteration is null.
   */
  testOf(resultId: string): { readonly id: string; readonly label: Label | null } | null {
    const id = this.#deps.results.testOf(resultId);
    return id === null ? null : { id, label: this.#deps.labels.get(id) };
  }

  /** @throws Refusal 404 if the result does not exist. */
  storeNote(id: string, resultId: string, note: string | null): void {
    this.#deps.results.setNote(this.result(id, resultId).id, note);
  }

  /** @throws Refusal 404 if the run does not exist. */
  runState(id: string, resultId: string): RunState {
    const { duration } = this.get(id).spec;
    const run = this.result(id, resultId);
    if (run.document !== null) return { run, duration, thresholdsOf: null, current: null };
    const { runs, results } = this.#deps;
    const own = runs.thresholdsOf(resultId);
    const latest = own === null ? results.latestWithVerdict(id) : null;
    return {
      run: { ...run, verdict: own ?? latest?.verdict ?? null },
      duration,
      thresholdsOf: own === null ? (latest?.id ?? null) : resultId,
      current: runs.currentState(resultId),
    };
  }

  #startRun(
    testId: string,
    run: PreparedRun,
    { write, warnings = [], client = null }: RunWrites,
  ): Promise<ReturnType<Runs['start']> & { readonly response: Json }> {
    const { database, results, runs, preparation, now } = this.#deps;
    const resultId = run.job.runId;
    return runs.admit(run.job, () => {
      const startedAt = now();
      const response = encodeTestResponse({ testId, status: 'running', resultId, warnings });
      database.transact(() => {
        preparation.refuseIfAppsDeleted(run.hosts);
        write(response);
        results.insert({ id: resultId, testId, startedAt, startedBy: client });
      });
      return { ...runs.start({ ...run, testId, startedAt }), response };
    });
  }
}

interface RunWrites {
  /**
   * Stores the test or its status, and any response for an idempotency key. Called in the transaction that stores the
   * result.
   */
  readonly write: (response: Json) => void;
  readonly warnings?: readonly string[];
  readonly client?: string | null;
}

function withFirstRow(job: LoadJob): LoadJob {
  return {
    ...job,
    iterationRows: job.iterationRows.map((rows) => ({ ...rows, values: rows.values.slice(0, 1) })),
  };
}

/** Counts the requests whose exchanges were not recorded. A redirect does not count as a separate request. */
function omittedOf(
  exchanges: readonly TracedExchange[],
  { started, success }: Ledger,
): TracedIteration['omitted'] {
  if (exchanges.length < MAX_EXCHANGES) return { requests: 0, failed: 0 };
  const sent = exchanges.filter(({ error }) => error !== 'undefined_variable');
  return {
    requests: Math.max(0, started - sent.filter(({ redirected }) => !redirected).length),
    failed: Math.max(0, started - success - sent.filter((one) => !one.success).length),
  };
}

/** Returns the load that replaces the load of the test: one iteration, or one iteration of each flow. */
function singleIterationOf({ flows, onStart }: LoadTestSpec) {
  const clients = flows?.length ?? 1;
  // Only clients of the closed model send requests before the iterations. The run ends after the iterations.
  const load =
    onStart === null
      ? ({ testType: 'non-cycling', initial: 0, iterationsPerClient: null, duration: seconds(1) } as const)
      : ({ testType: 'cycling', initial: clients, iterationsPerClient: 1, duration: seconds(3600) } as const);
  return {
    ...load,
    total: clients,
    warmup: seconds(0),
    arrivals: null,
    iterations: null,
    pace: null,
    errorThreshold: 100,
    abortRules: null,
    flows: flows?.map((flow) => ({ ...flow, weight: 1 })) ?? null,
  } as const;
}

const ITERATION_RETENTION_MS = 30 * 24 * 3_600_000;
