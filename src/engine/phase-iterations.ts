/**
 * Iterations of a phase. Each iteration is a load with a single client in this thread, so its requests are
 * compiled, sent and checked like those of other load.
 */
import { performance } from 'node:perf_hooks';
import type { JobVariable, LoadJob, PayloadRows } from '../core/load/load-job.ts';
import { MAX_EXCHANGES, type PhaseFailure, type TracedExchange } from '../core/load/run-report.ts';
import { responseFaultText } from '../core/load/unexpected-response.ts';
import { MAX_CONCURRENT_ROWS, phaseTime } from '../core/model/phase.ts';
import { dueAt } from '../core/model/pace.ts';
import type { PhaseOptions, PhaseOutcome } from '../core/ports/phase-runner.ts';
import { milliseconds } from '../core/units.ts';
import { prepareDestination, type Destination } from '../egress/dial.ts';
import { BodyBudget, createBudgetCell } from './buffered-body.ts';
import type { Client } from './client.ts';
import { LoadLoop } from './load-loop.ts';
import { compileJob, type CompiledJob } from './request-compiler.ts';
import { packJobRows } from './row-table.ts';

export async function runPhase(job: LoadJob, options: PhaseOptions): Promise<PhaseOutcome> {
  const started = performance.now();
  const [rows = NO_ROWS] = job.iterationRows;
  const names = [...new Set(job.targets.flatMap(({ variables }) => variables.map(({ name }) => name)))];
  const outcomes: IterationOutcome[] = [];
  const exchanges: TracedExchange[] = [];
  const prepare = createDestinationCache();
  let requests = 0;
  let failed = 0;
  let failure: PhaseFailure | null = null;
  let next = 0;
  const limit = phaseTime(
    { targets: job.targets, groups: job.groups ?? [] },
    { rows: rows.values.length, timeout: job.timeout },
  );
  const isOver = new AbortController();
  const stop = () => isOver.abort();
  const timer = setTimeout(stop, limit);
  options.signal.addEventListener('abort', stop);
  if (options.signal.aborted) stop();
  const runIterations = async () => {
    while (next < rows.values.length && !isOver.signal.aborted) {
      if (failure !== null && options.endsOnFailure) return;
      const index = next++;
      const row = rows.values[index] ?? [];
      const iteration = await runIteration(
        {
          ...job,
          total: rows.values.length,
          iterationRows: rows.names.length === 0 ? [] : [{ ...rows, values: [row] }],
        },
        { ...options, signal: isOver.signal, index, count: rows.values.length, prepare },
      );
      requests += iteration.requests;
      failed += iteration.failed;
      failure ??= iteration.failure;
      exchanges.push(...iteration.exchanges.slice(0, MAX_EXCHANGES - exchanges.length));
      outcomes[index] = iteration;
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_ROWS }, runIterations));
  clearTimeout(timer);
  options.signal.removeEventListener('abort', stop);
  if (isOver.signal.aborted && !options.signal.aborted) failure ??= timeoutOf(job);
  // After a failure or a skipped request, a variable may have no value.
  const known = names.filter((name) => outcomes.every(({ values }) => values.has(name)));
  const allNames = [...rows.names, ...known];
  return {
    counts: { requests, failed, elapsed: milliseconds(performance.now() - started) },
    failure,
    rows: {
      names: allNames,
      values: outcomes.map(({ values }, index) => [
        ...(rows.values[index] ?? []),
        ...known.map((name) => values.get(name)?.text ?? ''),
      ]),
      mask: allNames,
      ...(rows.order === undefined ? {} : { order: rows.order }),
      json: outcomes.map(({ values }) =>
        [...rows.names.map(() => '0'), ...known.map((name) => (values.get(name)?.isString ? '0' : '1'))].join(
          '',
        ),
      ),
    },
    exchanges,
  };
}

function timeoutOf({ targets }: LoadJob): PhaseFailure {
  const { url = '', method = 'GET' } = targets.at(-1) ?? {};
  return { url, method, status: null, error: 'timeout' };
}

/** Error of a traced request that was neither sent nor counted, because a variable had no value. */
const NOT_SENT = 'undefined_variable';

/** Rows of a phase without payload files: a single empty row, because the phase has one iteration. */
const NO_ROWS: PayloadRows = { names: [], values: [[]] };

/** Returns a function that prepares each destination once, so that all iterations share its TLS context. */
function createDestinationCache(): typeof prepareDestination {
  const prepared = new Map<string, Destination>();
  return (host) => {
    const key = JSON.stringify(host);
    const destination = prepared.get(key) ?? prepareDestination(host);
    prepared.set(key, destination);
    return destination;
  };
}

interface PhaseValue {
  readonly text: string;
  /** True if the value was a string in the response. */
  readonly isString: boolean;
}

interface IterationOutcome {
  readonly requests: number;
  readonly failed: number;
  readonly exchanges: readonly TracedExchange[];
  readonly failure: PhaseFailure | null;
  readonly values: ReadonlyMap<string, PhaseValue>;
}

interface IterationOptions extends PhaseOptions {
  readonly index: number;
  readonly count: number;
  readonly prepare: typeof prepareDestination;
}

function runIteration(job: LoadJob, options: IterationOptions): Promise<IterationOutcome> {
  const { index, count, endsOnFailure, signal, prepare } = options;
  const compiled = compileJob(job, { worker: index, workers: count }, packJobRows(job), {
    prepare,
    keepsTypes: true,
  });
  const exchanges: TracedExchange[] = [];
  const answered = new Map<number, TracedExchange>();
  let values: ReadonlyMap<string, PhaseValue> = new Map();
  let requests = 0;
  let failed = 0;
  let failure: TracedExchange | null = null;
  // Makes the client due immediately, although due times are distributed over the duration.
  const start = performance.now() - dueAt(job, index);
  return new Promise((resolve) => {
    const shard = { threadIndex: index, first: index, stride: count, clients: 1 };
    const onAbort = () => loop.stop('stopped', 0);
    const loop = new LoadLoop({ ...job, trace: job.trace ?? { secrets: [] } }, compiled, shard, {
      now: () => performance.now() - start,
      postSnapshot: () => undefined,
      updateLiveCounts: () => undefined,
      onExchange: (exchange) => {
        if (exchange.error !== NOT_SENT) requests++;
        if (exchange.error !== NOT_SENT && !exchange.success) failed++;
        if (exchanges.length < MAX_EXCHANGES) exchanges.push(exchange);
        answered.set(exchange.target, exchange);
        if (exchange.success) return;
        failure ??= exchange;
        if (endsOnFailure) loop.stop('stopped', 0);
      },
      isUnlimited: true,
      maxExchanges: Number.POSITIVE_INFINITY,
      onClientEnd: (client) => {
        values = valuesOf(job, compiled, client);
        // Stops the loop later, because the loop is still processing the event that ended the client.
        setImmediate(() => loop.stop('stopped', 0));
      },
      isLeaseExpired: null,
      onLeaseExpired: () => undefined,
      onEnd: () => {
        signal.removeEventListener('abort', onAbort);
        const failing = failure ?? [...answered.values()].find((one) => isMissingVariable(job, one, values));
        resolve({
          requests,
          failed,
          exchanges,
          values,
          failure: failing === undefined ? null : failureOf(job, failing, values),
        });
      },
      bodyBudget: new BodyBudget({ all: createBudgetCell(), own: createBudgetCell() }),
      onOverload: () => undefined,
      measureBusy: () => 0,
    });
    signal.addEventListener('abort', onAbort);
    loop.start();
    if (signal.aborted) onAbort();
  });
}

function valuesOf(job: LoadJob, compiled: CompiledJob, client: Client): ReadonlyMap<string, PhaseValue> {
  const values = new Map<string, PhaseValue>();
  job.targets.forEach(({ variables }, target) => {
    variables.forEach(({ name }, at) => {
      const { index = -1, typeIndex = -1 } = compiled.targets[target]?.variables[at] ?? {};
      const value = client.values[index];
      if (value === undefined) return;
      const text = Buffer.from(value, 'latin1').toString();
      values.set(name, { text, isString: client.values[typeIndex] === undefined });
    });
  });
  return values;
}

function isMissingVariable(
  job: LoadJob,
  { target }: TracedExchange,
  values: ReadonlyMap<string, PhaseValue>,
): boolean {
  return job.targets[target]?.variables.some(({ name }) => !values.has(name)) === true;
}

function failureOf(
  job: LoadJob,
  { target, status, error, unexpected, success }: TracedExchange,
  values: ReadonlyMap<string, PhaseValue>,
): PhaseFailure {
  const { url = '', method = 'GET', variables = [] } = job.targets[target] ?? {};
  const missing = variables.find(({ name }: JobVariable) => !values.has(name));
  const lacksVariable = success || unexpected?.error === responseFaultText('variable', null);
  const reason =
    lacksVariable && missing !== undefined
      ? `the response has no value for the variable "${missing.name}"`
      : (error ?? unexpected?.error ?? `status ${status ?? 'unknown'}`);
  return { url, method, status, error: reason };
}
