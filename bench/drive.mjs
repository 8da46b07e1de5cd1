// Runs one job on the built engine and prints its report: node drive.mjs FOLDER_OF_THE_ENGINE JOB_FILE
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, file] = process.argv.slice(2);
const { job, stopAfter } = JSON.parse(readFileSync(file, 'utf8'));
const { createEngine } = await import(pathToFileURL(join(folder, 'run.mjs')).href);
const engine = createEngine({ workerUrl: pathToFileURL(join(folder, 'worker.mjs')), version: 'bench' });
const beforeLoadMs = cpuMs();
const load = engine.start(job, ({ success, error }) => {
  if (stopAfter !== null && success + error >= stopAfter) load.stop('stopped');
});
const report = await load.ended;
await engine.close();
// Second by second is of no use here.
console.log(JSON.stringify({ ...report, timeline: undefined, beforeLoadMs }));

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
