/**
 * Runs one command and says what it cost, in the same way for every program.
 *
 * Bash starts the command in a subshell that becomes it, and its `time` tells user and system time of that child with
 * all its threads and children, as the kernel accounts them when it is waited for, to the millisecond. So nothing has
 * to be installed and no program has to be trusted about itself. The wall clock is bash's too, in microseconds: from
 * before the fork to after the end.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { clearInterval, clearTimeout, setInterval } from 'node:timers';
import { atEnd } from './cleanup.mjs';

// The braces are needed: `time` on a bare subshell would be run, and lost, inside of it.
// Descriptor 3 tells the process id and, at the end, clock and exit code; 4 takes the command's own error output,
// since that of bash is where `time` writes.
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

/** Node 20 reads the file of this variable at each start, which is a matter of the machine and of no command. */
const NO_CERTIFICATES = { NODE_EXTRA_CA_CERTS: undefined };

/** How often the peak of memory is read; the kernel keeps the peak, so only the last moments can be missed. */
const MEMORY_EVERY_MS = 20;
/** For a command that does not end when asked to. */
const KILL_AFTER_MS = 2000;

/**
 * @param command Program and arguments.
 * @param how `core`: the one it is pinned to, null for any. `limit`: seconds after which it is ended and an error is
 *        thrown. `memory`: whether to watch its peak. `cwd`, `env`: as for `spawn`; the environment is added
 *        to.
 */
export async function measure(command, how) {
  const { core = null, limit, memory = false, cwd, env = {} } = how;
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
  const release = atEnd(async () => {
    if (bash.exitCode !== null) return;
    end('SIGTERM');
    const force = setTimeout(() => end('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(force);
  });
  let overdue = false;
  const alarm = setTimeout(() => {
    overdue = true;
    release();
  }, limit * 1000);
  let peakMemory = null;
  const watch = setInterval(() => {
    if (memory && pid() !== null) peakMemory = Math.max(peakMemory ?? 0, peakOf(pid()));
  }, MEMORY_EVERY_MS);
  await ended;
  clearTimeout(alarm);
  clearInterval(watch);
  await release();
  if (overdue) throw new Error(`"${command[0]}" did not end within ${limit} s`);
  const [user, system] = times().trim().split(/\s+/).slice(-2).map(Number);
  const [begun, stopped, code] = facts().trim().split('\n').at(-1).split(' ').map(Number);
  return {
    exitCode: code,
    wallMs: (stopped - begun) * 1000,
    userMs: user * 1000,
    systemMs: system * 1000,
    cpuMs: (user + system) * 1000,
    /** KiB; null when it was not watched. */
    peakMemory,
    stdout: stdout(),
    stderr: stderr(),
  };
}

/** A command on one core; null for any. */
export function pinned(command, core) {
  return core === null ? command : ['taskset', '-c', String(core), ...command];
}

/** Of every program that is measured. */
export function environment(more = {}) {
  return { ...process.env, ...NO_CERTIFICATES, ...more, LC_ALL: 'C' };
}

/** All that a stream says, so far. */
export function collect(stream) {
  let text = '';
  stream?.setEncoding?.('utf8').on('data', (part) => (text += part));
  return () => text;
}

/** Peak of resident memory in KiB, as the kernel keeps it; 0 for a process that is gone. */
function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** What a program said last. */
export function lastLines({ stdout, stderr }) {
  return `${stdout}\n${stderr}`.trim().split('\n').slice(-5).join(' | ');
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
}
