/**
 * Runs a command and measures its cost in the same way for every program.
 *
 * Bash starts the command in a subshell that becomes it. Its `time` reports user and system time of that
 * child with all its threads and children, as the kernel accounts them, in milliseconds. The measurement
 * therefore requires no other program and does not rely on the measured one. Bash also measures the wall
 * time, in microseconds, from before the fork to after the end.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { clearInterval, clearTimeout, setInterval } from 'node:timers';
import { onExit } from './cleanup.mjs';

// The braces are required: `time` before a bare subshell would run inside it, and its output would be lost.
// Descriptor 3 receives the process id and, at the end, the clock and the exit code. Descriptor 4 receives
// the error output of the command, because `time` writes to the error output of bash.
const LAUNCH = `
TIMEFORMAT='%U %S'
begun=$EPOCHREALTIME
time { (
  echo "$BASHPID" >&3
  exec 3>&- 2>&4 4>&-
  exec "$@"
); }
code=$?
echo "$begun $EPOCHREALTIME $code" >&3
`;

/**
 * Node.js 20 reads the file of this variable at each start. The time depends on the machine, not on the
 * command.
 */
const NO_CERTIFICATES = { NODE_EXTRA_CA_CERTS: undefined };

/**
 * Interval at which the peak memory is read. The kernel keeps the peak, so only the last moments can be
 * missing.
 */
const MEMORY_EVERY_MS = 20;
/** Time until SIGKILL for a command that ignores SIGTERM. */
const KILL_AFTER_MS = 2000;

/**
 * Runs and measures a command.
 *
 * @param command - Program and arguments.
 * @param options - `core`: the core that the command is pinned to, null for any. `limit`: seconds after which
 * the command is ended and an error is thrown. `memory`: true to measure the peak memory. `cwd`, `env`: as
 * for `spawn`; `env` is added to the environment.
 */
export async function measure(command, options) {
  const { core = null, limit, memory = false, cwd, env = {} } = options;
  const bash = spawn('bash', ['-c', LAUNCH, 'bash', ...pinned(command, core)], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, times, facts, stderr] = bash.stdio.map(collect);
  const pid = () => Number(facts().split('\n')[0]) || null;
  const end = (signal) => {
    if (pid() !== null && bash.exitCode === null) kill(pid(), signal);
  };
  const ended = new Promise((resolve) => bash.once('close', resolve));
  const release = onExit(async () => {
    if (bash.exitCode !== null) return;
    end('SIGTERM');
    const force = setTimeout(() => end('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(force);
  });
  let overdue = false;
  const timeout = setTimeout(() => {
    overdue = true;
    release();
  }, limit * 1000);
  let peakMemory = null;
  const memoryTimer = setInterval(() => {
    if (memory && pid() !== null) peakMemory = Math.max(peakMemory ?? 0, peakOf(pid()));
  }, MEMORY_EVERY_MS);
  await ended;
  clearTimeout(timeout);
  clearInterval(memoryTimer);
  await release();
  if (overdue) throw new Error(`"${command[0]}" did not exit within ${limit} s`);
  const [user, system] = times().trim().split(/\s+/).slice(-2).map(Number);
  const [begun, stopped, code] = facts().trim().split('\n').at(-1).split(' ').map(Number);
  return {
    exitCode: code,
    wallMs: (stopped - begun) * 1000,
    userMs: user * 1000,
    systemMs: system * 1000,
    cpuMs: (user + system) * 1000,
    /** In KiB; null if it was not measured. */
    peakMemory,
    stdout: stdout(),
    stderr: stderr(),
  };
}

/** Returns a command that runs on one core; null for any core. */
export function pinned(command, core) {
  return core === null ? command : ['taskset', '-c', String(core), ...command];
}

/** Returns the environment of every measured program. */
export function environment(more = {}) {
  return { ...process.env, ...NO_CERTIFICATES, ...more, LC_ALL: 'C' };
}

/** Returns a function that reads the output of a stream so far. */
export function collect(stream) {
  let text = '';
  stream?.setEncoding?.('utf8').on('data', (chunk) => (text += chunk));
  return () => text;
}

/** Returns the peak resident memory in KiB, as the kernel records it; 0 if the process has ended. */
function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Returns the last lines of a program's output. */
export function lastLines({ stdout, stderr }) {
  return `${stdout}\n${stderr}`.trim().split('\n').slice(-5).join(' | ');
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
