/**
 * Programs that make load as long as they are let, in slices: one of them runs for a fraction of a second, and stands
 * still while the others do. So whatever the machine is like at a moment, all of them meet it, and slices next to each
 * other make a pair. Whole runs tell less: the same program costs a quarter more or less from one to the next.
 *
 *     wrk   ██          ██          ██
 *     ours     ██          ██          ██
 *     bare        ██          ██          ██
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { clearTimeout, setTimeout } from 'node:timers';
import { atEnd } from './cleanup.mjs';
import { collect, environment, lastLines, pinned } from './measure-command.mjs';
import { pause } from './pause.mjs';
import { accountOf, threadTimes } from './process-stats.mjs';

/** What is not measured of each: it starts, opens its connections and compiles. */
const WARM_MS = 2000;
/** The target is through with what was on its way when it has counted nothing new for so long. */
const CALM_MS = 20;
/** For a program that has been asked to end. */
const END_MS = 15_000;
/** More than any of them ever gets. */
const ENDLESS_SECONDS = 3600;

/** Nobody stands still for ever because the benchmark was killed. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'];

/**
 * One round: all subjects from their start to their end, each with `bench.seconds` of slices.
 *
 * @param subjects see `load.mjs`; only loads of the closed model, which may stand still
 * @return a map from name to `{ slices, requests, stdout }`: a slice is `{ requests, cpuMs, wallMs,
 *         userShare }`, the last of which is that of all; `requests` are those that the target counted from start to end
 */
export async function runInSlices({ target, clientCore, seconds }, subjects, sliceMs) {
  const players = [];
  const takeTurns = async (ms) => {
    for (let passed = 0; passed < ms; passed += sliceMs) {
      for (const player of players) await player.run(sliceMs);
    }
  };
  try {
    for (const subject of subjects) players.push(start(target, { core: clientCore, ...subject }));
    await takeTurns(WARM_MS);
    for (const player of players) player.begin();
    await takeTurns(seconds * 1000);
    for (const player of players) await player.end();
    return new Map(players.map(({ name, result }) => [name, result()]));
  } finally {
    for (const { kill } of players) await kill();
  }
}

function start(target, { name, commandFor, core, ours = false }) {
  const [program, ...words] = [...WITH_PARENT, ...pinned(commandFor(ENDLESS_SECONDS), core)];
  const child = spawn(program, words, {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.kill('SIGSTOP');
  const [, stdout, stderr] = child.stdio.map(collect);
  const ended = once(child, 'close');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const kill = atEnd(async () => {
    if (!isOver()) child.kill('SIGKILL');
    await ended;
  });
  const failed = (what) => new Error(`${name} ${what}: ${lastLines({ stdout: stdout(), stderr: stderr() })}`);

  let slices = [];
  let requests = 0;
  let before = null;
  let userShare = null;

  /** What the target counts of what the program does meanwhile. */
  const counted = async (work) => {
    const first = await target.requests();
    await work();
    const made = (await calmCount(target)) - first;
    requests += made;
    return made;
  };

  return {
    name,
    kill,
    async run(ms) {
      const cpu = threadTimes(child.pid);
      let wallMs = 0;
      const made = await counted(async () => {
        const from = performance.now();
        child.kill('SIGCONT');
        await pause(ms);
        if (isOver()) throw failed(`ended with ${child.exitCode}`);
        child.kill('SIGSTOP');
        wallMs = performance.now() - from;
      });
      slices.push({ requests: made, cpuMs: threadTimes(child.pid) - cpu, wallMs });
    },
    begin() {
      slices = [];
      before = accountOf(child.pid);
    },
    async end() {
      if (slices.some((slice) => slice.requests === 0)) throw failed('made no requests');
      const { user, system } = accountOf(child.pid);
      userShare = (user - before.user) / (user + system - before.user - before.system);
      // Only ours tells what it has counted.
      if (!ours) return await kill();
      await counted(async () => {
        child.kill('SIGTERM');
        child.kill('SIGCONT');
        const alarm = setTimeout(() => child.kill('SIGKILL'), END_MS);
        await ended;
        clearTimeout(alarm);
      });
      if (child.exitCode !== 0) throw failed(`ended with ${child.exitCode}`);
    },
    result: () => ({
      slices: slices.map((slice) => ({ ...slice, userShare })),
      requests,
      stdout: stdout(),
    }),
  };
}

async function calmCount(target) {
  for (let last = await target.requests(); ;) {
    await pause(CALM_MS);
    const now = await target.requests();
    if (now === last) return now;
    last = now;
  }
}
