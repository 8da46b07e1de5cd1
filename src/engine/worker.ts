/** Entry of an engine thread: wires a loop to its messages, and nothing else. */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import type { Slice } from '../core/load/slice.ts';
import { clockFrom, processTime } from './clock.ts';
import { BodyRoom } from './kept-body.ts';
import { Lease } from './lease.ts';
import { LoadLoop } from './loop.ts';
import { FAILED, FINISHED, type FromWorker, type ToWorker, type WorkerOrders } from './messages.ts';
import { compileJob } from './request-bytes.ts';

if (parentPort === null) throw new Error('Bug: the engine worker is not a program of its own');
work(parentPort);

function work(port: NonNullable<typeof parentPort>): void {
  // Handed over by the pool, in this type.
  const orders = workerData as WorkerOrders;
  const { job, rows, share } = orders;
  const compiled = compileJob(job, { worker: share.worker, workers: share.stride }, rows);
  const pulse = new Float64Array(orders.pulse);
  const bodies = new BodyRoom(orders.bodies);
  const lease = orders.lease === null ? null : new Lease(orders.lease);
  let overloaded = false;
  const say = (message: FromWorker, transfer: readonly ArrayBuffer[] = []): void => {
    port.postMessage(message, transfer);
  };
  let told = performance.eventLoopUtilization();
  let loop: LoadLoop | null = null;
  const loopFrom = (start: number): LoadLoop =>
    new LoadLoop(job, compiled, share, {
      now: clockFrom(start),
      post: (slice) => {
        say({ type: 'slice', slice }, buffersOf(slice));
      },
      pulse: (finished, failed) => {
        pulse[FINISHED] = finished;
        pulse[FAILED] = failed;
      },
      exchanged: (exchange) => {
        say({ type: 'exchange', exchange });
      },
      bodies,
      overloaded: () => {
        if (overloaded) return;
        overloaded = true;
        say({ type: 'overloaded' });
      },
      isLapsed: lease === null ? null : () => lease.isOver(),
      lapsed: () => {
        say({ type: 'lapsed' });
      },
      ended: (time) => {
        say({ type: 'done', time });
      },
      busy: () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, told);
        told = now;
        return utilization;
      },
    });
  port.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'go':
        if (loop !== null) return;
        loop = loopFrom(message.start);
        loop.start();
        return;
      case 'stop':
        // Stopped before it began: it still has to account for what was planned.
        loop ??= loopFrom(processTime());
        loop.stop(message.unstarted, message.drainMs);
        return;
    }
  });
  say({ type: 'ready' });
}

function buffersOf(slice: Slice): readonly ArrayBuffer[] {
  const { connect, tls } = slice.opening;
  const arrays = [
    slice.lag.counts,
    connect.counts,
    tls.counts,
    ...slice.targets.flatMap((tally) => countsOf(tally)),
  ];
  // None of them is shared memory.
  return arrays.map((array) => array.buffer as ArrayBuffer);
}

function countsOf(tally: Slice['targets'][number]): (Uint32Array | Float64Array)[] {
  const own = [tally.statuses, tally.response.counts];
  return tally.service === null ? own : [...own, tally.service.counts];
}
