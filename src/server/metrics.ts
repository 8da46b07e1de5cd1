/** What the service counts of itself, for whoever watches it. */
import type { RunReport } from '../core/load/report.ts';

/** Requests of load by what came of them; each is an increase. */
export interface LoadCounts {
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
}

/** Told by the parts of the service as things happen. */
export interface Metrics {
  addLoad(counts: LoadCounts): void;
  runEnded(report: RunReport): void;
  answered(request: { readonly method: string; readonly route: string; readonly status: number }): void;
}

/** Asked when somebody reads. */
export interface Gauges {
  readonly running: () => number;
  readonly connections: () => number;
  readonly callbacks: () => ReadonlyMap<string, number>;
}

export interface MetricsReader {
  readonly contentType: string;
  text(): Promise<string>;
}

/** For a service that nobody watches. */
export const noMetrics: Metrics = {
  addLoad: () => undefined,
  runEnded: () => undefined,
  answered: () => undefined,
};

export interface OpenMetrics {
  readonly metrics: Metrics;
  /** To be called once the parts that gauges ask are there. */
  createReader(gauges: Gauges): MetricsReader;
}

/** In Prometheus' text form. The library is loaded by services that are watched only. */
export async function openMetrics(): Promise<OpenMetrics> {
  const { Counter, Gauge, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const ended = new Counter({
    ...{ name: 'loadtests_runs_ended_total', help: 'Runs by the reason of their end.', registers },
    labelNames: ['reason'],
  });
  const load = new Counter({
    ...{ name: 'loadtests_load_requests_total', help: 'Requests of load by outcome.', registers },
    labelNames: ['outcome'],
  });
  const answers = new Counter({
    ...{ name: 'loadtests_http_requests_total', help: 'Answers of the API by route and status.', registers },
    labelNames: ['method', 'route', 'status'],
  });
  return {
    metrics: {
      addLoad(counts) {
        load.inc({ outcome: 'success' }, counts.success);
        load.inc({ outcome: 'error' }, counts.error);
        load.inc({ outcome: 'timeout_error' }, counts.timeoutError);
        load.inc({ outcome: 'network_error' }, counts.networkError);
      },
      runEnded(report) {
        ended.inc({ reason: report.abortReason ?? 'finished' });
      },
      answered({ method, route, status }) {
        answers.inc({ method, route, status: String(status) });
      },
    },
    createReader(gauges) {
      new Gauge({
        ...{ name: 'loadtests_runs_running', help: 'Runs that go on.', registers },
        collect() {
          this.set(gauges.running());
        },
      });
      new Gauge({
        ...{ name: 'loadtests_load_connections', help: 'Connections of all runs.', registers },
        collect() {
          this.set(gauges.connections());
        },
      });
      new Gauge({
        ...{ name: 'loadtests_callbacks', help: 'Callbacks and mails by state.', registers },
        labelNames: ['state'],
        collect() {
          this.reset();
          for (const [state, count] of gauges.callbacks()) this.set({ state }, count);
        },
      });
      return { contentType: registry.contentType, text: async () => await registry.metrics() };
    },
  };
}
