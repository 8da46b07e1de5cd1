/** Entry of an engine thread: wires a loop to its messages, and nothing else. */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import type { Snapshot } from '../core/load/snapshot.ts';
import { createClock, processTime } from './clock.ts';
import { BodyBudget } from './buffered-body.ts';
import { Lease } from './lease.ts';
import { LoadLoop } from './load-loop.ts';
import {
  FAILED_INDEX,
  FINISHED_INDEX,
  type ThreadMessage,
  type ThreadCommand,
  type ThreadInput,
} from './thread-messages.ts';
import { compileJob } from './request-compiler.ts';

if (parentPort === null) throw new Error('Bug: the engine worker is not a program of its own');
runThread(parentPort);

function runThread(port: NonNullable<typeof parentPort>): void {
  // Handed over by the pool, in this type.
  const orders = workerData as ThreadInput;
  const { job, rows, shard } = orders;
  const compiled = compileJob(job, { worker: shard.threadIndex, workers: shard.stride }, rows);
  const pulse = new Float64Array(orders.liveCounts);
  const bodyBudget = new BodyBudget(orders.bodyCells);
  const lease = orders.lease === null ? null : new Lease(orders.lease);
  let overloaded = false;
  const say = (message: ThreadMessage, transfer: readonly ArrayBuffer[] = []): void => {
    port.postMessage(message, transfer);
  };
  let told = performance.eventLoopUtilization();
  let loop: LoadLoop | null = null;
  const loopFrom = (start: number): LoadLoop =>
    new LoadLoop(job, compiled, shard, {
      now: createClock(start),
      postSnapshot: (snapshot) => {
        say({ type: 'slice', slice: snapshot }, transferablesOf(snapshot));
      },
      updateLiveCounts: (finished, failed) => {
        pulse[FINISHED_INDEX] = finished;
        pulse[FAILED_INDEX] = failed;
      },
      onExchange: (exchange) => {
        say({ type: 'exchange', exchange });
      },
      bodyBudget,
      onOverload: () => {
        if (overloaded) return;
        overloaded = true;
        say({ type: 'overloaded' });
      },
      isLeaseExpired: lease === null ? null : () => lease.isExpired(),
      onLeaseExpired: () => {
        say({ type: 'lapsed' });
      },
      onEnd: (time) => {
        say({ type: 'done', time });
      },
      measureBusy: () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, told);
        told = now;
        return utilization;
      },
    });
  port.on('message', (message: ThreadCommand) => {
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

function transferablesOf(snapshot: Snapshot): readonly ArrayBuffer[] {
  const { connect, tls } = snapshot.connectionSetup;
  const arrays = [
    snapshot.lag.counts,
    connect.counts,
    tls.counts,
    ...snapshot.targets.flatMap((tally) => countsOf(tally)),
  ];
  // None of them is shared memory.
  return arrays.map((array) => array.buffer as ArrayBuffer);
}

function countsOf(tally: Snapshot['targets'][number]): (Uint32Array | Float64Array)[] {
  const own = [tally.statuses, tally.response.counts];
  return tally.service === null ? own : [...own, tally.service.counts];
}
