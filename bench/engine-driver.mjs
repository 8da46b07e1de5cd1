// Runs one job on the built engine and prints the report. Usage: node engine-driver.mjs ENGINE_DIRECTORY
// JOB_FILE [PROFILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, file, profile] = process.argv.slice(2);
const { job, stopAfter } = JSON.parse(readFileSync(file, 'utf8'));
const { createEngine } = await import(pathToFileURL(join(directory, 'engine.mjs')).href);
const engine = createEngine({ threadUrl: threadUrl(), version: 'bench' });
const load = engine.start(job, ({ success, error }) => {
  if (stopAfter !== null && success + error >= stopAfter) load.stop('stopped');
});
process.once('SIGTERM', () => load.stop('stopped'));
const report = await load.ended;
await engine.close();
// The timeline is not used.
console.log(JSON.stringify({ ...report, timeline: undefined }));

function threadUrl() {
  const thread = pathToFileURL(join(directory, 'thread.mjs'));
  if (profile === undefined) return thread;
  const profiler = new URL('profile-thread.mjs', import.meta.url);
  const entry = join(directory, 'profiled-thread.mjs');
  writeFileSync(
    entry,
    `import { profileThread } from ${JSON.stringify(profiler.href)};
profileThread(${JSON.stringify(profile)});
await import(${JSON.stringify(thread.href)});
`,
  );
  return pathToFileURL(entry);
}
