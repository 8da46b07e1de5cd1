import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ACCOUNTS,
  DECLARED_APPS,
  DECLARED_TESTS,
  LISTED_APPS,
  LISTED_TESTS,
  projectFile,
} from '../large-account.mjs';
import { cliCommand, commandTable, compareCommands, NOT_BUILT } from '../cli.mjs';
import { atMost, equal } from '../goals.mjs';
import { collect, environment } from '../measure-command.mjs';
import { median, pairedRatio } from '../paired-runs.mjs';
import { startProgram } from '../child-program.mjs';

const SERVER = fileURLToPath(new URL('../list-server.mjs', import.meta.url));
const BARE = fileURLToPath(new URL('../baseline-lists.mjs', import.meta.url));
const LONGEST_BLOCK = new URL('../longest-block.mjs', import.meta.url).href;

/** A plan takes about a second and varies more between runs than a load of some seconds. */
const PLANS_PER_ROUND = 3;

export const planRow = {
  name: 'plan',
  title: `Plan of ${DECLARED_APPS} apps and ${DECLARED_TESTS} tests, on services with ${LISTED_APPS} apps and ${LISTED_TESTS} tests`,
  needs: ['taskset'],
  async run(bench) {
    if (cliCommand() === null) return NOT_BUILT;
    const results = [];
    for (const name of Object.keys(ACCOUNTS)) results.push(await planAccount(bench, name));
    return {
      rows: results.flatMap(({ rows }) => rows),
      goals: results.flatMap(({ goals }) => goals),
      samples: Object.fromEntries(results.map(({ name, samples }) => [name, samples])),
    };
  },
};

async function planAccount(bench, name) {
  const account = ACCOUNTS[name];
  const server = await startProgram(bench.programs, SERVER, name);
  try {
    const { port } = server.ready;
    const cwd = join(bench.directory, `plan-${name}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'loadtests.yaml'), projectFile(port, account));
    const env = { LOADTESTS_API_KEY: 'key-of-the-benchmark' };
    const rounds = bench.rounds * PLANS_PER_ROUND;
    const blocks = [];
    let created = null;
    for (let round = 0; round < bench.rounds; round++) {
      const plan = await planWithProbe({ cwd, env });
      created = plan.created;
      blocks.push(plan.longestBlock);
    }
    const bare = `${name}: fetch and parse`;
    const planned = `${name}: plan`;
    const samples = await compareCommands(
      bench,
      [
        { name: bare, command: [process.execPath, BARE, `http://127.0.0.1:${port}`] },
        { name: planned, command: cliCommand('plan') },
      ],
      { rounds, cwd, env },
    );
    const ratio = (metric) => pairedRatio(samples.get(planned), samples.get(bare), metric);
    const { rows, ...rest } = commandTable(samples);
    return {
      name,
      ...rest,
      // The header of the ratio contains the name of the first subject.
      rows: rows.map(({ [`× ${bare}`]: wall, ...row }) => ({ ...row, '×': wall })),
      goals: [
        atMost(`${name}: plan / fetch and parse, time`, ratio('wallMs'), 1.5, ' ×'),
        atMost(`${name}: plan / fetch and parse, memory`, ratio('peakMemory'), 3, ' ×'),
        atMost(`${name}: longest time without events`, median(blocks), 100, ' ms'),
        equal(`${name}: tests that the plan creates or replaces`, created, DECLARED_TESTS),
      ],
    };
  } finally {
    await server.close();
  }
}

/**
 * Makes a plan with a probe of the event loop. The number of created tests proves that the measured command
 * makes this plan.
 */
async function planWithProbe({ cwd, env }) {
  const [node, ...command] = cliCommand('plan', '--json');
  const child = spawn(node, ['--import', LONGEST_BLOCK, ...command], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, stderr, longestBlock] = child.stdio.map(collect);
  await once(child, 'close');
  try {
    const { create, replace } = JSON.parse(stdout()).summary;
    return { created: create + replace, longestBlock: Number(longestBlock()) };
  } catch {
    throw new Error(`the command did not print a plan: ${stdout()}${stderr()}`);
  }
}
