import type { RunObserver } from '../core/ports/run-observer.ts';
import { WORKER_STATES, type RegisteredWorker } from '../core/model/worker.ts';
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { sumOf } from '../core/sum.ts';

export interface Gauges {
  readonly callbacks: () => ReadonlyMap<string, number>;
  /**
   * Returns the connected workers, or null if their state is unknown, because Redis does not respond. Null instead of a
   * function if the service generates the load itself.
   */
  readonly workers: (() => readonly RegisteredWorker[] | null) | null;
}

export interface MetricsReader {
  readonly contentType: string;
  text(): Promise<string>;
}

export interface Prometheus {
  readonly observer: RunObserver;
  readonly countResponse: (request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
  }) => void;
  /** Creates a reader of the metrics. Call this method only after creating the components that the gauges read. */
  createReader(gauges: Gauges): MetricsReader;
}

/** Process metrics, registered once per process because the library cannot unregister its collectors. */
let processMetrics: Registry | null = null;

function collectProcessMetrics(): Registry {
  if (processMetrics === null) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

export function createPrometheus(): Prometheus {
  const registry = new Registry();
  const registers = [registry];
  const process = collectProcessMetrics();
  const ended = new Counter({
    name: 'loadtests_runs_ended_total',
    help: 'Ended runs, by reason.',
    registers,
    labelNames: ['reason'],
  });
  const load = new Counter({
    name: 'loadtests_load_requests_total',
    help: 'Finished load requests, by outcome.',
    registers,
    labelNames: ['outcome'],
  });
  const responses = new Counter({
    name: 'loadtests_http_requests_total',
    help: 'HTTP responses of the service, by method, route and status.',
    registers,
    labelNames: ['method', 'route', 'status'],
  });
  const addGauge: AddGauge = (name, help, labelNames, collect) => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        collect(this);
      },
    });
  };
  const connections = new Map<string, number>();
  addGauge('loadtests_runs_running', 'Active runs.', [], (gauge) => gauge.set(connections.size));
  addGauge('loadtests_load_connections', 'Open connections of active runs.', [], (gauge) =>
    gauge.set(sumOf([...connections.values()])),
  );
  return {
    observer: {
      second({ id }, { counts, progress }) {
        connections.set(id, progress?.connections ?? 0);
        load.inc({ outcome: 'success' }, counts.success);
        load.inc({ outcome: 'error' }, counts.error);
        load.inc({ outcome: 'timeout_error' }, counts.timeoutError);
        load.inc({ outcome: 'network_error' }, counts.networkError);
      },
      ended({ id }, { abortReason }) {
        connections.delete(id);
        ended.inc({ reason: abortReason ?? 'finished' });
      },
    },
    countResponse({ method, route, status }) {
      responses.inc({ method, route, status: String(status) });
    },
    createReader(gauges) {
      addGauge('loadtests_callbacks', 'Callbacks and emails by state.', ['state'], (gauge) => {
        for (const [state, count] of gauges.callbacks()) gauge.set({ state }, count);
      });
      if (gauges.workers !== null) addWorkerGauges(gauges.workers, addGauge);
      const all = Registry.merge([process, registry]);
      return { contentType: all.contentType, text: async () => await all.metrics() };
    },
  };
}

/** Adds a gauge whose values are set when the metrics are read. A gauge without values is absent from the metrics. */
type AddGauge = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void) => void;

function addWorkerGauges(workers: () => readonly RegisteredWorker[] | null, addGauge: AddGauge): void {
  const add = (
    name: string,
    help: string,
    label: string,
    collect: (gauge: Gauge, list: readonly RegisteredWorker[]) => void,
  ) =>
    addGauge(name, help, [label], (gauge) => {
      const list = workers();
      if (list !== null) collect(gauge, list);
    });
  addGauge(
    'loadtests_redis_up',
    '1 if Redis responds. 0 if it has not responded for several seconds; then the metrics of workers are absent.',
    [],
    (gauge) => gauge.set(workers() === null ? 0 : 1),
  );
  add(
    'loadtests_workers',
    'Workers by state; "unusable" workers have an incompatible protocol version.',
    'state',
    (to, list) => {
      for (const state of [...WORKER_STATES.filter((state) => state !== 'lost'), 'unusable'])
        to.set({ state }, 0);
      for (const { compatible, state } of list) to.inc({ state: compatible ? state : 'unusable' });
    },
  );
  add('loadtests_worker_threads', 'Engine threads of each worker.', 'worker', (to, list) => {
    for (const { name, threads } of list) to.inc({ worker: name }, threads);
  });
  add(
    'loadtests_worker_load',
    'Utilization of the main thread of each worker, from 0 to 1.',
    'worker',
    (to, list) => {
      for (const { name, load } of list) to.set({ worker: name }, load);
    },
  );
  add(
    'loadtests_worker_clock_offset_seconds',
    'Difference between the worker clock and the Redis clock; positive if the worker clock is ahead.',
    'worker',
    (to, list) => {
      for (const { name, clock } of list) to.set({ worker: name }, clock.offsetMs / 1000);
    },
  );
}
