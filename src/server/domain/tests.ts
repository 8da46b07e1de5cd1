/** Tests: accepting, listing, running and stopping them. */
import { encodeTestResponse } from '../../contract/responses.ts';
import type { CreateRequest, IterationRequest } from '../../contract/request-codec.ts';
import type { RunState } from '../../contract/result-progress-codec.ts';
import type { Json } from '../../core/canonical.ts';
import type { Exchange, RunProgress } from '../../core/load/run-report.ts';
import type { Capabilities } from '../../core/model/capabilities.ts';
import { abortReasonText } from '../../core/model/abort-reason-text.ts';
import type { RunStop } from '../../core/model/run-stop.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { faultsOfTest } from '../../core/model/test-rules.ts';
import { readPattern } from '../../pattern/pattern.ts';
import { seconds } from '../../core/units.ts';
import { Refusal, notFound, refuseFaults, unprocessable } from '../refusal.ts';
import type { Database } from '../store/database.ts';
import type { LabelStore } from '../store/label-store.ts';
import type { ResultStore, StoredRun } from '../store/result-store.ts';
import type { StoredTest, TestStatus, TestStore } from '../store/test-store.ts';
import type { Idempotency, KeyedRequest } from './idempotency.ts';
import type { RunEndRecorder } from './run-end-recorder.ts';
import type { PreparedRun, Preparation } from './preparation.ts';
import type { Runs } from './runs.ts';
import type { Schedules } from './schedules.ts';

export interface TestsDeps {
  readonly database: Database;
  readonly store: TestStore;
  readonly labels: LabelStore;
  readonly results: ResultStore;
  readonly runs: Runs;
  readonly ends: RunEndRecorder;
  /** Null: tests cannot wait, since the service lives no longer than a command. */
  readonly schedules: Schedules | null;
  readonly preparation: Preparation;
  /** What this service can do, at this moment. */
  readonly abilities: () => Capabilities;
  readonly idempotency: Idempotency;
  readonly now: () => number;
  readonly randomHex: () => string;
  /** Of all tests together. */
  readonly maxBytes: number;
}

export class Tests {
  readonly #deps: TestsDeps;

  constructor(parts: TestsDeps) {
    this.#deps = parts;
  }

  *list(): Iterable<StoredTest> {
    for (const test of this.#deps.store.list()) yield this.#withCurrentStatus(test);
  }

  /** Errors: Refusal 404. */
  get(id: string): StoredTest {
    const test = this.#deps.store.get(id);
    if (test === null) throw notFound();
    return this.#withCurrentStatus(test);
  }

  /** A run that has ended does not go on, also where its end cannot be written yet. */
  #withCurrentStatus(test: StoredTest): StoredTest {
    const ended = test.status === 'running' && this.#deps.ends.isPendingForTest(test.id);
    return ended ? { ...test, status: 'complete' } : test;
  }

  /** How far the run of a test has come; null when none goes on, or none has told yet. */
  progressOf(id: string): RunProgress | null {
    return this.#deps.runs.progressOf(id);
  }

  /**
   * Stores a test and starts its first run, or lets it wait for its time.
   *
   * Shape:  the test, its run and the answer to its key are on disk before the answer is given.
   * Errors: Refusal 422, 429, 503.
   */
  async create({ spec, ignored, warnings }: CreateRequest, request: KeyedRequest): Promise<Json> {
    return await this.#deps.idempotency.once(request, async (keep) => {
      const { preparation, abilities, now, randomHex } = this.#deps;
      refuseFaults(faultsOfTest(spec, abilities(), readPattern));
      const testId = randomHex();
      const run = await preparation.prepare(spec, randomHex());
      const insert = (status: TestStatus, dueAt: number | null) => {
        const appId = preparation.appOfFirstUrl(spec);
        this.#insert({ id: testId, appId, spec, ignored, status, dueAt, singleIteration: false }, now());
      };
      const dueAt = spec.scheduledAt;
      if (dueAt === null) {
        const write = (answered: Json) => {
          insert('running', null);
          keep(answered);
        };
        const started = await this.#startRun(testId, run, { write, warnings });
        return started.answer;
      }
      const response = encodeTestResponse({ testId, status: 'pending', warnings });
      this.#deps.database.transact(() => {
        preparation.refuseIfAppsDeleted(run.hosts);
        insert('pending', dueAt);
        keep(response);
      });
      return response;
    });
  }

  /**
   * Lets one client make one pass of a test, and tells each exchange.
   *
   * Shape:  a run like others, of a test that is listed while it goes on and keeps only the URLs of what it sent.
   * Errors: Refusal 422, also where it was ended early; 429, 503.
   */
  async runIteration({ spec, secrets }: IterationRequest): Promise<readonly Exchange[]> {
    const { store, preparation, abilities, randomHex, now } = this.#deps;
    refuseFaults(faultsOfTest(spec, abilities(), readPattern));
    const testId = randomHex();
    const { job, hosts } = await preparation.prepare(spec, randomHex());
    const run = { job: { ...job, ...SINGLE_ITERATION, trace: { secrets } }, hosts };
    const write = () => {
      const at = now();
      store.deleteIterations(at - ITERATION_RETENTION_MS);
      const appId = preparation.appOfFirstUrl(spec);
      const kept = {
        id: testId,
        appId,
        spec: toSingleIteration(spec),
        ignored: {},
        singleIteration: true,
      } as const;
      this.#insert({ ...kept, status: 'running', dueAt: null }, at);
    };
    const { report } = await this.#startRun(testId, run, { write });
    const { abortReason, errorSamples, exchanges } = await report;
    if (abortReason === null || abortReason === 'error_threshold') return exchanges;
    const [failure] = errorSamples;
    throw unprocessable(
      abortReason === 'partial' && failure !== undefined
        ? failure.error
        : `the pass was ended: ${abortReasonText(abortReason)}`,
    );
  }

  /**
   * Runs a test now. One that waits for its time has had its run then: it waits no longer.
   *
   * Errors: Refusal 404; 422 when it runs already or its hosts do not verify; 429, 503.
   */
  async run(id: string, key: string | null): Promise<Json> {
    // oxlint-disable-next-line boundaries/wire-names -- its digest lies in the stores of earlier versions
    const content = { route: 'run', test_id: id };
    return await this.#deps.idempotency.once({ key, content }, async (keep) => {
      this.#deps.ends.tick();
      const test = this.#requireIdle(id);
      if (test.singleIteration) {
        throw unprocessable('this was a single pass, which cannot be run again; create the test instead');
      }
      const run = await this.#deps.preparation.prepare(test.spec, this.#deps.randomHex());
      const write = (answered: Json) => {
        // Looked at again: another request, or its time, may have come while the hosts were asked.
        this.#requireIdle(id);
        this.#deps.store.setStatus(id, 'running');
        keep(answered);
      };
      const { answer: response } = await this.#startRun(id, run, { write });
      return response;
    });
  }

  /**
   * Stops a test, or takes it off the schedule. One that neither runs nor waits is left as it is.
   *
   * @param client what the request says of who sent it
   *
   * Errors: Refusal 404.
   */
  stop(id: string, client: string | null): Json {
    const { store, results, runs, schedules, now } = this.#deps;
    const stop: RunStop = { at: now(), cause: 'request', client };
    if (this.get(id).status === 'pending') store.setStatus(id, 'complete');
    else if (schedules?.stop(id, stop) !== true) runs.stop(id, stop);
    const resultId = results.latest(id)?.id ?? null;
    return encodeTestResponse({ testId: id, status: this.get(id).status, resultId });
  }

  /** A test that another run may start of. Errors: Refusal 404; 422 when it runs; 503 while its end is not kept. */
  #requireIdle(id: string): StoredTest {
    const test = this.get(id);
    if (test.status === 'running') throw new Refusal(422, ['the test is already running']);
    if (this.#deps.ends.isPendingForTest(id)) {
      const text = 'nothing can be written, and the result of the last run waits for that; /healthz says why';
      throw new Refusal(503, [text], { retryAfter: 5 });
    }
    return test;
  }

  /** Newest first. Errors: Refusal 404. */
  results(id: string): Iterable<StoredRun> {
    this.get(id);
    return this.#deps.results.list(id);
  }

  /** Errors: Refusal 404. */
  result(id: string, resultId: string): StoredRun {
    const run = this.#deps.results.get(id, resultId);
    if (run === null) throw notFound();
    return run;
  }

  /** Within a transaction, which a refusal undoes. Errors: Refusal 422. */
  #insert(test: StoredTest, at: number): void {
    const { store, labels, maxBytes } = this.#deps;
    store.insert(test, at);
    if (!test.singleIteration) labels.add(test.id, test.spec);
    if (!store.exceeds(maxBytes)) return;
    throw unprocessable(
      `the tests of this account may hold ${maxBytes} bytes together; deleting an app deletes its tests`,
    );
  }

  /** Keeps what somebody has judged a run to be. Errors: Refusal 404; 422 while it goes on. */
  storeVerdict(id: string, resultId: string, verdict: string): void {
    if (this.result(id, resultId).document === null) throw unprocessable('the run has not ended');
    this.#deps.results.setVerdict(resultId, verdict);
  }

  /** How far a run has come, or how it ended. Errors: Refusal 404. */
  runState(id: string, resultId: string): RunState {
    const { duration } = this.get(id).spec;
    const run = this.result(id, resultId);
    return { run, duration, current: run.document === null ? this.#deps.runs.currentState(resultId) : null };
  }

  #startRun(
    testId: string,
    run: PreparedRun,
    { write, warnings = [] }: RunWrites,
  ): Promise<ReturnType<Runs['start']> & { readonly answer: Json }> {
    const { database, results, runs, preparation, now } = this.#deps;
    const resultId = run.job.runId;
    return runs.admit(run.job, () => {
      const startedAt = now();
      const response = encodeTestResponse({ testId, status: 'running', resultId, warnings });
      database.transact(() => {
        preparation.refuseIfAppsDeleted(run.hosts);
        write(response);
        results.insert({ id: resultId, testId, startedAt });
      });
      return { ...runs.start({ testId, startedAt, job: run.job, hosts: run.hosts }), answer: response };
    });
  }
}

interface RunWrites {
  /** Writes what belongs to the run, with the answer that tells of it. */
  readonly write: (response: Json) => void;
  readonly warnings?: readonly string[];
}

/** What one client does once, however much load the test makes otherwise. */
const SINGLE_ITERATION = {
  testType: 'non-cycling',
  initial: 0,
  total: 1,
  duration: seconds(1),
  warmup: seconds(0),
  errorThreshold: 100,
} as const;

/** For how long their records stay. */
const ITERATION_RETENTION_MS = 30 * 24 * 3_600_000;

/** What is kept of the test of a pass: nobody is told of its end, and what it sends may hold secrets. */
function toSingleIteration(spec: LoadTestSpec): LoadTestSpec {
  const none = {
    credentials: null,
    headers: null,
    params: null,
    body: null,
    jsonBody: null,
    variables: null,
  };
  const targets = spec.targets.map((target) => ({
    ...target,
    ...none,
    payloadFileUrl: null,
    payloadFile: null,
  }));
  return {
    ...spec,
    ...SINGLE_ITERATION,
    targets,
    callback: null,
    callbackEmail: null,
    scheduledAt: null,
    notes: null,
  };
}
