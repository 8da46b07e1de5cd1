/**
 * The iterations of a phase. Each one is a load of a single client in this thread, so its requests are compiled, sent
 * and checked like those of the load.
 */
import { performance } from 'node:perf_hooks';
import type { JobVariable, LoadJob, PayloadRows } from '../core/load/load-job.ts';
import type { PhaseFailure, TracedExchange } from '../core/load/run-report.ts';
import { responseFaultText } from '../core/load/unexpected-response.ts';
import { MAX_CONCURRENT_ROWS } from '../core/model/phase.ts';
import { dueAt } from '../core/model/pace.ts';
import type { PhaseOptions, PhaseOutcome } from '../core/ports/phase-runner.ts';
import { milliseconds } from '../core/units.ts';
import { BodyBudget, createBudgetCell } from './buffered-body.ts';
import { LoadLoop } from './load-loop.ts';
import { compileJob } from './request-compiler.ts';

/** Maximum number of exchanges in the outcome of a phase. */
const MAX_PHASE_EXCHANGES = 100;

/** Sends the requests of a phase. */
export async function runPhase(job: LoadJob, options: PhaseOptions): Promise<PhaseOutcome> {
  const started = performance.now();
  const [rows = NO_ROWS] = job.iterationRows;
  const names = [...new Set(job.targets.flatMap(({ variables }) => variables.map(({ name }) => name)))];
  const outcomes: { readonly row: readonly string[]; readonly values: ReadonlyMap<string, string> }[] = [];
  const exchanges: TracedExchange[] = [];
  let requests = 0;
  let failed = 0;
  let failure: PhaseFailure | null = null;
  let next = 0;
  const runIterations = async () => {
    while (next < rows.values.length && !options.signal.aborted) {
      if (failure !== null && options.endsOnFailure) return;
      const index = next++;
      const row = rows.values[index] ?? [];
      const iteration = await runIteration(
        {
          ...job,
          total: rows.values.length,
          iterationRows: rows.names.length === 0 ? [] : [{ ...rows, values: [row] }],
        },
        { ...options, index, count: rows.values.length },
      );
      requests += iteration.exchanges.filter(({ error }) => error !== NOT_SENT).length;
      failed += iteration.exchanges.filter(({ error, success }) => !success && error !== NOT_SENT).length;
      failure ??= iteration.failure;
      exchanges.push(...iteration.exchanges.slice(0, MAX_PHASE_EXCHANGES - exchanges.length));
      outcomes[index] = { row, values: iteration.values };
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_ROWS }, runIterations));
  // After a failure, a variable may have no value.
  const known = names.filter((name) => outcomes.every(({ values }) => values.has(name)));
  const allNames = [...rows.names, ...known];
  return {
    counts: { requests, failed, elapsed: milliseconds(performance.now() - started) },
    failure,
    rows: {
      names: allNames,
      values: outcomes.map(({ row, values }) => [...row, ...known.map((name) => values.get(name) ?? '')]),
      mask: allNames,
      ...(rows.order === undefined ? {} : { order: rows.order }),
    },
    exchanges,
  };
}

/** Error of a traced request that was not sent. */
const NOT_SENT = 'undefined_variable';

/** A phase without rows has one iteration. */
const NO_ROWS: PayloadRows = { names: [], values: [[]] };

interface IterationOutcome {
  readonly exchanges: readonly TracedExchange[];
  readonly failure: PhaseFailure | null;
  /** Values of the variables, by name. */
  readonly values: ReadonlyMap<string, string>;
}

function runIteration(
  job: LoadJob,
  { index, count, endsOnFailure, signal }: PhaseOptions & { readonly index: number; readonly count: number },
): Promise<IterationOutcome> {
  const compiled = compileJob(job, { worker: index, workers: count });
  const exchanges: TracedExchange[] = [];
  const values = new Map<string, string>();
  // Each client is due at its share of the duration, but begins immediately.
  const start = performance.now() - dueAt(job, index);
  return new Promise((resolve) => {
    const shard = { threadIndex: index, first: index, stride: count, clients: 1 };
    const onAbort = () => {
      loop.stop('stopped', 0);
    };
    const loop = new LoadLoop({ ...job, trace: { secrets: [] } }, compiled, shard, {
      now: () => performance.now() - start,
      postSnapshot: () => undefined,
      updateLiveCounts: () => undefined,
      onExchange: (exchange) => {
        exchanges.push(exchange);
        if (!exchange.success && endsOnFailure) loop.stop('stopped', 0);
      },
      maxExchanges: Number.POSITIVE_INFINITY,
      onClientEnd: (client) => {
        job.targets.forEach(({ variables }, target) => {
          variables.forEach(({ name }, at) => {
            const slot = compiled.targets[target]?.variables[at]?.index ?? -1;
            const value = client.values[slot];
            if (value !== undefined) values.set(name, Buffer.from(value, 'latin1').toString());
          });
        });
        // The loop is still processing the event that ended the client.
        setImmediate(() => {
          loop.stop('stopped', 0);
        });
      },
      isLeaseExpired: null,
      onLeaseExpired: () => undefined,
      onEnd: () => {
        signal.removeEventListener('abort', onAbort);
        resolve({ exchanges, values, failure: failureOf(job, exchanges, values) });
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

/** Returns the first failure of an iteration: a failed request, or a response without the value of a variable. */
function failureOf(
  job: LoadJob,
  exchanges: readonly TracedExchange[],
  values: ReadonlyMap<string, string>,
): PhaseFailure | null {
  const isMissing = ({ name }: JobVariable) => !values.has(name);
  // Only the last response to a target sets its variables; the others are redirects.
  const answered = new Map(exchanges.map((exchange) => [exchange.target, exchange]));
  const failed =
    exchanges.find(({ success }) => !success) ??
    [...answered.values()].find(({ target }) => job.targets[target]?.variables.some(isMissing) === true);
  if (failed === undefined) return null;
  const { target, status, error, unexpected } = failed;
  const { url = '', method = 'GET', variables = [] } = job.targets[target] ?? {};
  const missing = variables.find(isMissing);
  const lacksVariable = failed.success || unexpected?.error === responseFaultText('variable', null);
  const reason =
    lacksVariable && missing !== undefined
      ? `the response has no value for the variable "${missing.name}"`
      : (error ?? unexpected?.error ?? `status ${status ?? 'unknown'}`);
  return { url, method, status, error: reason };
}
