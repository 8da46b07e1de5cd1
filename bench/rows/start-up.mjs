import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommand, commandTable, compareCommands, NOT_BUILT } from '../cli.mjs';
import { atMost } from '../goals.mjs';
import { measure } from '../measure-command.mjs';
import { pairedDifference } from '../paired-runs.mjs';

/** A start is short and varies: about 20 pairs by default. */
const STARTS_PER_ROUND = 7;

const BARE = 'node -e 0';

/** Goals in ms of CPU, in addition to Node.js without work. */
const GOALS = { '--help': 25, validate: 60 };

export const startUp = {
  name: 'start-up',
  title: 'Start of a command, compared with Node.js without work',
  needs: [],
  run: (bench) => measureStarts(bench, {}),
};

/**
 * Node.js 20 reads the certificates at each start. A ratio would hide the cost of the command; a difference
 * does not.
 */
export const startUpWithCertificates = {
  name: 'start-up-with-certificates',
  title: 'The same, with a Node.js that reads extra certificates',
  needs: [],
  run: (bench) => measureStarts(bench, { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
};

async function measureStarts(bench, env) {
  if (cliCommand() === null) return NOT_BUILT;
  const directory = join(bench.directory, 'start-up');
  mkdirSync(directory, { recursive: true });
  // The starter file of a new user; an existing file is preserved.
  await measure(cliCommand('init'), { limit: 30, cwd: directory });
  const commands = Object.keys(GOALS);
  const samples = await compareCommands(
    bench,
    [
      { name: BARE, command: [process.execPath, '-e', '0'] },
      ...commands.map((name) => ({ name, command: cliCommand(name) })),
    ],
    { rounds: bench.rounds * STARTS_PER_ROUND, cwd: directory, env },
  );
  return {
    ...commandTable(samples),
    goals: commands.map((name) => {
      const difference = pairedDifference(samples.get(name), samples.get(BARE), 'cpuMs');
      return atMost(`${name} − ${BARE}, CPU`, difference, GOALS[name], ' ms');
    }),
  };
}
