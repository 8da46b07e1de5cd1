/** Kernel statistics of a process. The functions throw if the process has ended. */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the CPU time of all running threads in ms, from the first value of schedstat (ns). */
export function threadTimes(pid) {
  const tasks = `/proc/${pid}/task`;
  const each = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/schedstat`, 'utf8'));
  return each.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}

/** Clock ticks per second in /proc; the same on all Linux systems. */
const TICKS = 100;

/** Returns the user and system time of a process in seconds, in steps of 10 ms: too coarse for a slice. */
export function accountOf(pid) {
  // The name before these fields may contain spaces and brackets.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return { user: Number(fields[11]) / TICKS, system: Number(fields[12]) / TICKS };
}
