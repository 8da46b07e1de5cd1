/** What the kernel tells of a process. Errors: throws once it is gone. */
import { readdirSync, readFileSync } from 'node:fs';

/** CPU of all threads that live, in ms, as the scheduler knows it: the first number, in nanoseconds. */
export function threadTimes(pid) {
  const tasks = `/proc/${pid}/task`;
  const each = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/schedstat`, 'utf8'));
  return each.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}

/** Of the times in /proc: what Linux gives everywhere. */
const TICKS = 100;

/** User and system time of a process, in seconds, to a hundredth: too coarse for a slice. */
export function accountOf(pid) {
  // The name before them may hold blanks and brackets.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return { user: Number(fields[11]) / TICKS, system: Number(fields[12]) / TICKS };
}
