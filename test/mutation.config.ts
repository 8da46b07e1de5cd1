/** Settings of the tests that `npm run mutate` runs for each mutant. */
import { defineConfig } from 'vitest/config';
import { ThreadsPoolWorker, type PoolOptions, type WorkerRequest } from 'vitest/node';

const POOL = 'lasting-threads';

type Listener = Parameters<ThreadsPoolWorker['on']>;

/** A thread that keeps its loaded modules after a test run. A new thread for each mutant is much slower. */
class LastingThread extends ThreadsPoolWorker {
  override readonly name = POOL;
  readonly #listeners: Listener[] = [];

  override on(...listener: Listener): void {
    this.#listeners.push(listener);
    super.on(...listener);
  }

  override send(message: WorkerRequest): void {
    if (message.type !== 'stop') {
      super.send(message);
      return;
    }
    for (const [event, callback] of this.#listeners) {
      if (event === 'message') callback({ __vitest_worker_response__: true, type: 'stopped' });
    }
  }

  override stop(): Promise<void> {
    for (const listener of this.#listeners.splice(0)) this.off(...listener);
    return Promise.resolve();
  }
}

let thread: LastingThread | null = null;

function createPoolWorker(options: PoolOptions): LastingThread {
  thread ??= new LastingThread(options);
  return thread;
}

export default defineConfig({
  plugins: [
    {
      name: POOL,
      // Stryker overrides the option `pool`.
      configureVitest: ({ project }) => {
        Object.assign(project.config, { pool: POOL, poolRunner: { name: POOL, createPoolWorker } });
      },
    },
  ],
  test: {
    root: import.meta.dirname + '/..',
    include: ['test/unit/{apply,config,contract,core,report}/**/*.test.ts'],
    // These files need seconds for each mutant.
    exclude: ['**/hostile-files.test.ts', '**/core/load/verdicts.test.ts'],
    env: { TEST_SCALE: '0.02' },
    isolate: false,
    testTimeout: 60_000,
  },
});
