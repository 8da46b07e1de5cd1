// Measures the longest work of the main thread between two turns of its event loop, after the command has opened
// its first connection. Writes the milliseconds of CPU time, which other processes do not affect, to descriptor
// 3. Usage: node --import ./longest-block.mjs COMMAND
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeSync } from 'node:fs';
import { setInterval } from 'node:timers';

const MAIN_THREAD = `/proc/self/task/${process.pid}/schedstat`;

let last = null;
let longest = 0;

function measure() {
  const now = Number(readFileSync(MAIN_THREAD, 'utf8').split(' ')[0]) / 1e6;
  if (last !== null) longest = Math.max(longest, now - last);
  last = now;
}

subscribe('net.client.socket', () => {
  if (last === null) setInterval(measure, 1).unref();
  measure();
});
process.on('exit', () => {
  measure();
  writeSync(3, String(longest));
});
