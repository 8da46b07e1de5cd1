/** Comparison of the built CLI with other commands by time, CPU and memory. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measure } from './measure-command.mjs';
import { alternate, medianOf, pairedRatio } from './paired-runs.mjs';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LIMIT_SECONDS = 60;

/** Returns the command line of a CLI command; null if the CLI is not built. */
export function cliCommand(...args) {
  return existsSync(MAIN) ? [process.execPath, MAIN, ...args] : null;
}

export const NOT_BUILT = { skipped: 'dist/ is not built: npm run build' };

/**
 * Runs commands alternately. They are not pinned to a core, as in normal use.
 *
 * @param subjects - `{ name, command }`; the others are compared with the first.
 */
export async function compareCommands(bench, subjects, { rounds, cwd, env }) {
  return await alternate(
    rounds,
    subjects.map(({ name, command }) => ({
      name,
      sample: async () => {
        const options = { limit: LIMIT_SECONDS, memory: true, cwd, env };
        const { exitCode, wallMs, cpuMs, peakMemory, stdout, stderr } = await measure(command, options);
        if (exitCode !== 0) throw new Error(`${name} exited with code ${exitCode}: ${stdout}${stderr}`);
        bench.log(`${name} ${wallMs.toFixed(0)} ms`);
        return { wallMs, cpuMs, peakMemory };
      },
    })),
  );
}

export function commandTable(samples) {
  const [baseline] = samples.keys();
  const rows = [...samples].map(([name, list]) => ({
    name,
    ms: medianOf(list, 'wallMs'),
    'CPU ms': medianOf(list, 'cpuMs'),
    'peak MiB': medianOf(list, 'peakMemory') / 1024,
    [`× ${baseline}`]: pairedRatio(list, samples.get(baseline), 'wallMs'),
    'CPU ×': pairedRatio(list, samples.get(baseline), 'cpuMs'),
    'memory ×': pairedRatio(list, samples.get(baseline), 'peakMemory'),
  }));
  return { rows, samples: Object.fromEntries(samples) };
}
