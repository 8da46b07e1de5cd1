/** Prometheus metrics of a worker. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { RunningWorker } from './worker.ts';

export interface WorkerMetrics {
  /** Content type of the metrics text. */
  readonly type: string;
  read(): Promise<string>;
}

export function openWorkerMetrics(worker: RunningWorker): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name: `loadtests_worker_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  };
  const counter = (name: string, help: string, value: () => number): void => {
    new Counter({
      name: `loadtests_worker_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  };
  const counts = () => worker.counts();
  gauge('busy', '1 while the worker prepares or generates the load of a shard, otherwise 0.', () =>
    counts().threads > 0 ? 1 : 0,
  );
  gauge('draining', '1 while the worker is draining and accepts no shards, otherwise 0.', () =>
    worker.state() === 'draining' ? 1 : 0,
  );
  gauge('busy_threads', 'Engine threads of the current shard.', () => counts().threads);
  gauge('connections', 'Open connections of the current shard.', () => counts().connections);
  counter('requests_started', 'Load requests started.', () => counts().started);
  counter(
    'requests_ended',
    'Load requests that received a response, failed or were abandoned.',
    () => counts().ended,
  );
  counter('shards', 'Completed shards.', () => counts().shards);
  counter('refused_shards', 'Refused, canceled or expired shards.', () => counts().refusedShards);
  return { type: registry.contentType, read: async () => await registry.metrics() };
}
