/**
 * Interleaved runs of load generators, in slices: one program runs for a fraction of a second while the
 * others are paused. All programs therefore run under the same conditions, and adjacent slices form a pair.
 * Whole runs are less precise: the CPU cost of the same program differs by a quarter between two runs.
 *
 * ```
 * wrk        ██          ██          ██
 * loadtests     ██          ██          ██
 * baseline         ██          ██          ██
 * ```
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { clearTimeout, setTimeout } from 'node:timers';
import { onExit } from './cleanup.mjs';
import { collect, environment, lastLines, pinned } from './measure-command.mjs';
import { pause } from './pause.mjs';
import { accountOf, threadTimes } from './process-stats.mjs';

/** Unmeasured time of each program, in which it starts, opens its connections and compiles. */
const WARM_UP_MS = 2000;
/** The target has completed all requests if its count does not change for this time. */
const SETTLE_MS = 20;
/** Time in which a program must end after SIGTERM. */
const END_MS = 15_000;
/** Longer than any program runs. */
const ENDLESS_SECONDS = 3600;

/** Ends paused programs even if the benchmark is killed. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'];

/**
 * Runs one round: all subjects from start to end, each with `bench.seconds` of slices.
 *
 * @param subjects - See `load-comparison.mjs`. Only closed-model loads can be paused.
 * @returns A map from name to `{ slices, requests, stdout }`. A slice is `{ requests, cpuMs, wallMs,
 * userShare }`, of which `userShare` is that of all slices. `requests` is the count of the target from start
 * to end.
 */
export async function runInSlices({ target, clientCore, seconds }, subjects, sliceMs) {
  const generators = [];
  const runAlternately = async (ms) => {
    for (let elapsed = 0; elapsed < ms; elapsed += sliceMs) {
      for (const generator of generators) await generator.run(sliceMs);
    }
  };
  try {
    for (const subject of subjects) generators.push(start(target, { core: clientCore, ...subject }));
    await runAlternately(WARM_UP_MS);
    for (const generator of generators) generator.begin();
    await runAlternately(seconds * 1000);
    for (const generator of generators) await generator.end();
    return new Map(generators.map(({ name, result }) => [name, result()]));
  } finally {
    for (const { kill } of generators) await kill();
  }
}

function start(target, { name, commandFor, core, isEngine = false }) {
  const [program, ...args] = [...WITH_PARENT, ...pinned(commandFor(ENDLESS_SECONDS), core)];
  const child = spawn(program, args, {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.kill('SIGSTOP');
  const [, stdout, stderr] = child.stdio.map(collect);
  const ended = once(child, 'close');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const kill = onExit(async () => {
    if (!isOver()) child.kill('SIGKILL');
    await ended;
  });
  const failed = (what) => new Error(`${name} ${what}: ${lastLines({ stdout: stdout(), stderr: stderr() })}`);

  let slices = [];
  let requests = 0;
  let before = null;
  let userShare = null;

  /** Returns the number of requests that the target counts during an action. */
  const counted = async (action) => {
    const first = await target.requests();
    await action();
    const requestsMade = (await settledCount(target)) - first;
    requests += requestsMade;
    return requestsMade;
  };

  return {
    name,
    kill,
    async run(ms) {
      const cpu = threadTimes(child.pid);
      let wallMs = 0;
      const requestsMade = await counted(async () => {
        const from = performance.now();
        child.kill('SIGCONT');
        await pause(ms);
        if (isOver()) throw failed(`exited with code ${child.exitCode}`);
        child.kill('SIGSTOP');
        wallMs = performance.now() - from;
      });
      slices.push({ requests: requestsMade, cpuMs: threadTimes(child.pid) - cpu, wallMs });
    },
    begin() {
      slices = [];
      before = accountOf(child.pid);
    },
    async end() {
      if (slices.some((slice) => slice.requests === 0)) throw failed('sent no requests');
      const { user, system } = accountOf(child.pid);
      userShare = (user - before.user) / (user + system - before.user - before.system);
      // Only the engine reports its own counts.
      if (!isEngine) return await kill();
      await counted(async () => {
        child.kill('SIGTERM');
        child.kill('SIGCONT');
        const timeout = setTimeout(() => child.kill('SIGKILL'), END_MS);
        await ended;
        clearTimeout(timeout);
      });
      if (child.exitCode !== 0) throw failed(`exited with code ${child.exitCode}`);
    },
    result: () => ({
      slices: slices.map((slice) => ({ ...slice, userShare })),
      requests,
      stdout: stdout(),
    }),
  };
}

async function settledCount(target) {
  for (let last = await target.requests(); ;) {
    await pause(SETTLE_MS);
    const now = await target.requests();
    if (now === last) return now;
    last = now;
  }
}
