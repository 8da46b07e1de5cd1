import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DECLARED_APPS, DECLARED_TESTS, LISTED_APPS, LISTED_TESTS, projectFile } from '../large-account.mjs';
import { cliCommand, commandTable, compareCommands, NOT_BUILT } from '../cli.mjs';
import { atMost, equal } from '../goals.mjs';
import { measure } from '../measure-command.mjs';
import { pairedRatio } from '../paired-runs.mjs';
import { startProgram } from '../child-program.mjs';

const SERVER = fileURLToPath(new URL('../list-server.mjs', import.meta.url));
const BARE = fileURLToPath(new URL('../baseline-lists.mjs', import.meta.url));

/** A plan takes about a second and varies more between runs than a load of some seconds. */
const PLANS_PER_ROUND = 3;

export const planRow = {
  name: 'plan',
  title: `Plan of ${DECLARED_APPS} apps and ${DECLARED_TESTS} tests, on a service with ${LISTED_APPS} apps and ${LISTED_TESTS} tests`,
  needs: ['taskset'],
  async run(bench) {
    if (cliCommand() === null) return NOT_BUILT;
    const server = await startProgram(bench.programs, SERVER);
    try {
      const { port, bytes } = server.ready;
      const cwd = join(bench.directory, 'plan');
      mkdirSync(cwd);
      writeFileSync(join(cwd, 'loadtests.yaml'), projectFile(port));
      const env = { LOADTESTS_API_KEY: 'key-of-the-benchmark' };
      const creates = await plannedCreates({ cwd, env });
      const bare = 'fetch and parse';
      const samples = await compareCommands(
        bench,
        [
          { name: bare, command: [process.execPath, BARE, `http://127.0.0.1:${port}`] },
          { name: 'plan', command: cliCommand('plan') },
        ],
        { rounds: bench.rounds * PLANS_PER_ROUND, cwd, env },
      );
      const ratio = (metric) => pairedRatio(samples.get('plan'), samples.get(bare), metric);
      return {
        ...commandTable(samples),
        bytes,
        goals: [
          atMost(`plan / ${bare}, time`, ratio('wallMs'), 1.5, ' ×'),
          atMost(`plan / ${bare}, memory`, ratio('peakMemory'), 3, ' ×'),
          equal('tests that the plan creates', creates, DECLARED_TESTS),
        ],
      };
    } finally {
      await server.close();
    }
  },
};

/**
 * Returns the number of tests that the plan creates, which proves that the measured command makes this plan.
 */
async function plannedCreates({ cwd, env }) {
  const { stdout, stderr } = await measure(cliCommand('plan', '--json'), { limit: 60, cwd, env });
  try {
    return JSON.parse(stdout).summary.create;
  } catch {
    throw new Error(`the command did not print a plan: ${stdout}${stderr}`);
  }
}
