import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommand, commandTable, compareCommands, NOT_BUILT } from '../cli.mjs';
import { atMost } from '../goals.mjs';
import { measure } from '../measure-command.mjs';
import { pairedDifference } from '../paired-runs.mjs';

/** A start is short, so that one tells little: 20 pairs by default. */
const STARTS_PER_ROUND = 7;

const BARE = 'node -e 0';

/** Milliseconds of CPU beyond Node with nothing to do. */
const GOALS = { '--help': 25, validate: 60 };

export const startUp = {
  name: 'start-up',
  title: 'Starting, beside Node with nothing to do',
  needs: [],
  run: (bench) => measureStarts(bench, {}),
};

/** Node 20 reads them at each start, which hides what a command takes in a ratio, and not in a difference. */
export const startUpWithCertificates = {
  name: 'start-up-with-certificates',
  title: 'The same, with a Node that reads extra certificates',
  needs: [],
  run: (bench) => measureStarts(bench, { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
};

async function measureStarts(bench, env) {
  if (cliCommand() === null) return NOT_BUILT;
  const directory = join(bench.directory, 'start-up');
  mkdirSync(directory, { recursive: true });
  // The starter file is what a new user has; where it is already there, it stays.
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
      const beyond = pairedDifference(samples.get(name), samples.get(BARE), 'cpuMs');
      return atMost(`${name} − ${BARE}, CPU`, beyond, GOALS[name], ' ms');
    }),
  };
}
