/** Entry point of an engine thread. */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { createClock, processTime } from './clock.ts';
import { warmUpCode } from './code-warmup.ts';
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

if (parentPort === null) throw new Error('Bug: the engine thread was not started as a worker thread');
runThread(parentPort);

function runThread(port: NonNullable<typeof parentPort>): void {
  // The thread group always passes data of this type.
  const input = workerData as ThreadInput;
  const { job, rows, shard } = input;
  const compiled = compileJob(job, { worker: shard.threadIndex, workers: shard.stride }, rows);
  const liveCounts = new Float64Array(input.liveCounts);
  const bodyBudget = new BodyBudget(input.bodyCells);
  const lease = input.lease === null ? null : new Lease(input.lease);
  let overloaded = false;
  const post = (message: ThreadMessage): void => port.postMessage(message);
  let lastUtilization = performance.eventLoopUtilization();
  const measureBusy = (): number => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, lastUtilization);
    lastUtilization = now;
    return utilization;
  };
  let loop: LoadLoop | null = null;
  const createLoop = (start: number): LoadLoop =>
    new LoadLoop(job, compiled, shard, {
      now: createClock(start),
      postSnapshot: (snapshot) => post({ type: 'snapshot', snapshot }),
      updateLiveCounts: (finished, failed) => {
        liveCounts[FINISHED_INDEX] = finished;
        liveCounts[FAILED_INDEX] = failed;
      },
      onExchange: (exchange) => post({ type: 'exchange', exchange }),
      bodyBudget,
      onOverload: () => {
        if (overloaded) return;
        overloaded = true;
        post({ type: 'overloaded' });
      },
      isLeaseExpired: lease === null ? null : () => lease.isExpired(),
      onLeaseExpired: () => post({ type: 'lease-expired' }),
      onEnd: (time) => post({ type: 'done', time }),
      measureBusy,
    });
  port.on('message', (message: ThreadCommand) => {
    switch (message.type) {
      case 'start':
        if (loop !== null) return;
        loop = createLoop(message.start);
        loop.start();
        return;
      case 'stop':
        // If the thread is stopped before the start, the loop is still needed to account for the planned requests.
        loop ??= createLoop(processTime());
        loop.stop(message.unstarted, message.drainMs);
        return;
      case 'rows':
        compiled.replaceLatestRows(message.rows);
        return;
    }
  });
  void warmUpCode(job, { bodyBudget, measureBusy }).then(() => post({ type: 'ready' }));
}
