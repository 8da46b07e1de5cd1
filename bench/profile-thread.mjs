/**
 * Profiles the calling thread and writes the profile when the thread reports the end of its work. The engine
 * starts its threads without the flags of its process, so `--cpu-prof` covers only the main thread.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort } from 'node:worker_threads';

const EVERY_MICROSECONDS = 500;

export function profileThread(file) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: EVERY_MICROSECONDS });
  session.post('Profiler.start');

  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = (message, transfer) => {
    if (message.type === 'done') {
      session.post('Profiler.stop', (error, stopped) => {
        if (error === null) writeFileSync(file, JSON.stringify(stopped.profile));
      });
    }
    post(message, transfer);
  };
}
