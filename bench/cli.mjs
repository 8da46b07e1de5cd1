/** The command line as it is shipped, and commands beside it, by time, CPU and memory. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measure } from './measure-command.mjs';
import { alternate, medianOf, pairedRatio } from './paired-runs.mjs';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LIMIT_SECONDS = 60;

/** Null when it is not built. */
export function cliCommand(...words) {
  return existsSync(MAIN) ? [process.execPath, MAIN, ...words] : null;
}

export const NOT_BUILT = { skipped: 'dist/ is not built: npm run build' };

/**
 * Not pinned: a command may use the machine as it does where people use it.
 *
 * @param subjects `{ name, command }`; the first is what the others are compared with.
 */
export async function compareCommands(bench, subjects, { rounds, cwd, env }) {
  return await alternate(
    rounds,
    subjects.map(({ name, command }) => ({
      name,
      sample: async () => {
        const how = { limit: LIMIT_SECONDS, memory: true, cwd, env };
        const { exitCode, wallMs, cpuMs, peakMemory, stdout, stderr } = await measure(command, how);
        if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}: ${stdout}${stderr}`);
        bench.say(`${name} ${wallMs.toFixed(0)} ms`);
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
