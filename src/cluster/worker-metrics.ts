/** What a worker tells Prometheus. A file of its own, so that only workers that are watched load the library. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { RunningWorker } from './worker.ts';

export interface WorkerMetrics {
  /** Of the text: a `Content-Type`. */
  readonly type: string;
  read(): Promise<string>;
}

export function openWorkerMetrics(worker: RunningWorker): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      ...{ name: `loadtests_worker_${name}`, help, registers },
      collect() {
        this.set(value());
      },
    });
  };
  const counter = (name: string, help: string, value: () => number): void => {
    new Counter({
      ...{ name: `loadtests_worker_${name}_total`, help, registers },
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  };
  const metrics = () => worker.counts();
  gauge('busy', 'Whether it makes load now.', () => (metrics().threads > 0 ? 1 : 0));
  gauge('draining', 'Whether it takes nothing new.', () => (worker.state() === 'draining' ? 1 : 0));
  gauge('busy_threads', 'Engine threads that make load now.', () => metrics().threads);
  gauge('connections', 'Current load connections.', () => metrics().connections);
  counter('requests_started', 'Load requests that it has begun.', () => metrics().started);
  counter('requests_ended', 'Load requests that were answered, failed or given up.', () => metrics().ended);
  counter('parts', 'Parts of runs that it has made.', () => metrics().shards);
  counter('refused', 'Parts of runs that it did not make.', () => metrics().refusedShards);
  return { type: registry.contentType, read: async () => await registry.metrics() };
}
