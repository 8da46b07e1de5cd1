/** Our engine as a command like the peers' ones: built once into a directory, told its job by a file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, PATTERNS } from '../scripts/bundle-options.mjs';

const DRIVER = fileURLToPath(new URL('drive.mjs', import.meta.url));

/** As the product is built, but with an entry of its own, since dist has none for programs. */
export async function buildEngine(directory) {
  const built = await Promise.all([
    bundle({
      entryPoints: { run: 'src/engine/engine.ts', worker: 'src/engine/thread.ts' },
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
 * `profiles`: a directory for profiles of the engine's thread, or null; a run that is profiled costs more.
 * `stopAfter`: so many requests at least, where the time alone does not say when it is enough.
 */
export function createEngineCommand(directory, profiles) {
  let jobs = 0;
  return (job, { stopAfter = null } = {}) => {
    const name = `job-${jobs++}`;
    const file = join(directory, `${name}.json`);
    const profile = profiles === null ? [] : [join(profiles, `${name}.cpuprofile`)];
    writeFileSync(file, JSON.stringify({ job, stopAfter }));
    return [process.execPath, DRIVER, directory, file, ...profile];
  };
}
