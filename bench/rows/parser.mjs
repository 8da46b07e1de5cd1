import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { atMost, equal } from '../goals.mjs';

const FUZZ = fileURLToPath(new URL('../../test/support/parser-fuzz.ts', import.meta.url));

const CASES = 1_000_000;
const BLOCK = 100_000;

/** Each run uses a new seed; failures name seed and case. */
export const parser = {
  name: 'parser',
  title: `The response parser compared with Node.js, on ${CASES.toLocaleString('en-US')} generated responses, split at every byte`,
  needs: [],
  async run(bench) {
    const outfile = join(bench.directory, 'parser-fuzz.mjs');
    await build({ entryPoints: [FUZZ], outfile, bundle: true, format: 'esm', platform: 'node' });
    const { fuzzParser } = await import(pathToFileURL(outfile).href);
    const seed = Date.now() % 1_000_000_000;
    const [outcomes, reasons, faults] = [{}, {}, []];
    let slowestMs = 0;
    let keptBytes = 0;
    for (let from = 0; from < CASES; from += BLOCK) {
      const report = await fuzzParser(seed, from, BLOCK);
      addTo(outcomes, report.outcomes);
      addTo(reasons, report.reasons);
      faults.push(...report.faults);
      slowestMs = Math.max(slowestMs, report.maxCpuMs);
      keptBytes = Math.max(keptBytes, report.keptBytes);
      bench.log(`seed ${seed}, ${from + BLOCK} cases, ${faults.length} faults`);
    }
    for (const fault of faults) bench.log(fault);
    return {
      rows: [
        ...Object.entries(outcomes).map(([name, cases]) => ({ name, cases })),
        ...Object.entries(reasons).map(([name, cases]) => ({ name: `differs from Node.js: ${name}`, cases })),
      ],
      seed,
      faults,
      goals: [
        equal('faults', faults.length, 0),
        atMost('slowest response', slowestMs, 1000, ' ms'),
        atMost(`retained memory after ${BLOCK} responses`, keptBytes / 1024 / 1024, 8, ' MiB'),
      ],
    };
  },
};

function addTo(sums, counts) {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}
