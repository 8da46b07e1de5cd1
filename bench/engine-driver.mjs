// Runs one job on the built engine and prints its report: node drive.mjs DIRECTORY_OF_THE_ENGINE JOB_FILE [PROFILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, file, profile] = process.argv.slice(2);
const { job, stopAfter } = JSON.parse(readFileSync(file, 'utf8'));
const { createEngine } = await import(pathToFileURL(join(directory, 'run.mjs')).href);
const engine = createEngine({ workerUrl: workerUrl(), version: 'bench' });
const load = engine.start(job, ({ success, error }) => {
  if (stopAfter !== null && success + error >= stopAfter) load.stop('stopped');
});
process.once('SIGTERM', () => load.stop('stopped'));
const report = await load.ended;
await engine.close();
// Second by second is of no use here.
console.log(JSON.stringify({ ...report, timeline: undefined }));

function workerUrl() {
  const worker = pathToFileURL(join(directory, 'worker.mjs'));
  if (profile === undefined) return worker;
  const profiler = new URL('profile-thread.mjs', import.meta.url);
  const entry = join(directory, 'profiled-worker.mjs');
  writeFileSync(
    entry,
    `import { profileThread } from ${JSON.stringify(profiler.href)};
profileThread(${JSON.stringify(profile)});
await import(${JSON.stringify(worker.href)});
`,
  );
  return pathToFileURL(entry);
}
