// Runs one job on the built engine and prints the report. Usage: node engine-driver.mjs ENGINE_DIRECTORY
// JOB_FILE [PROFILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, file, profile] = process.argv.slice(2);
const { job, stopAfter, abortRules } = JSON.parse(readFileSync(file, 'utf8'));
const importBuilt = async (name) => await import(pathToFileURL(join(directory, `${name}.mjs`)).href);
const { createEngine } = await importBuilt('engine');
const evaluateRules = abortRules === null ? () => false : await ruleEvaluator();
const engine = createEngine({ threadUrl: threadUrl(), version: 'bench' });
const load = engine.start(job, ({ success, error }) => {
  if (stopAfter !== null && success + error >= stopAfter) load.stop('stopped');
  if (evaluateRules()) load.stop('threshold');
});
process.once('SIGTERM', () => load.stop('stopped'));
const report = await load.ended;
await engine.close();
// The timeline is not used.
console.log(JSON.stringify({ ...report, timeline: undefined }));

/** Returns a function that reports whether a rule has failed, with the same steps as the service. */
async function ruleEvaluator() {
  const { findFailedRule } = await importBuilt('abort-evaluation');
  const { recordOfReport } = await importBuilt('report-record');
  const spec = { abortRules, targets: job.targets, flows: job.flows, warmup: job.warmup };
  return () => {
    const report = load.partialReport();
    if (report === null) return false;
    return findFailedRule(spec, recordOfReport(report, 0), report.elapsed) !== null;
  };
}

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
