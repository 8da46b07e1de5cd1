/** The engine as a command: built once into a directory, and started with a job file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, PATTERNS } from '../scripts/bundle-options.mjs';

const DRIVER = fileURLToPath(new URL('engine-driver.mjs', import.meta.url));

/** Builds the engine with the options of the product. dist contains no entry for programs. */
export async function buildEngine(directory) {
  const built = await Promise.all([
    bundle({
      entryPoints: {
        engine: 'src/engine/engine.ts',
        thread: 'src/engine/thread.ts',
        'abort-evaluation': 'src/core/compare/abort-evaluation.ts',
        'report-record': 'src/core/run-record/report-record.ts',
      },
      outdir: directory,
      outExtension: { '.js': '.mjs' },
    }),
    bundle({ ...PATTERNS, outdir: dirname(directory) }),
  ]);
  for (const { path, contents } of built.flatMap(({ outputFiles }) => outputFiles)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
}

/**
 * Returns a function that creates command lines for jobs.
 *
 * @param profiles - Directory for profiles of the engine thread, or null. A profiled run costs more.
 * @returns A function that accepts a job and these options: `stopAfter`, the number of requests after which the run
 * ends, or null to end it after its duration only; `abortRules`, which are evaluated every second like in the service.
 */
export function createEngineCommand(directory, profiles) {
  let jobs = 0;
  return (job, { stopAfter = null, abortRules = null } = {}) => {
    const name = `job-${jobs++}`;
    const file = join(directory, `${name}.json`);
    const profile = profiles === null ? [] : [join(profiles, `${name}.cpuprofile`)];
    writeFileSync(file, JSON.stringify({ job, stopAfter, abortRules }));
    return [process.execPath, DRIVER, directory, file, ...profile];
  };
}
