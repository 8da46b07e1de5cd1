import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommand, commandTable, compareCommands, NOT_BUILT } from '../cli.mjs';
import { atMost } from '../goals.mjs';
import { measure } from '../measure.mjs';
import { pairedRatio } from '../pairs.mjs';

/** A start is short, so that one tells little. */
const STARTS_PER_ROUND = 6;

export const startUp = {
  name: 'start-up',
  title: 'Starting, beside Node with nothing to do',
  needs: [],
  async run(bench) {
    if (cliCommand() === null) return NOT_BUILT;
    const folder = join(bench.folder, 'start-up');
    mkdirSync(folder);
    // The starter file is what a new user has.
    await measure(cliCommand('init'), { limit: 30, cwd: folder });
    const bare = 'node -e 0';
    const samples = await compareCommands(
      bench,
      [
        { name: bare, command: [process.execPath, '-e', '0'] },
        { name: '--help', command: cliCommand('--help') },
        { name: 'validate', command: cliCommand('validate') },
      ],
      { rounds: bench.rounds * STARTS_PER_ROUND, cwd: folder },
    );
    const ratio = (name) => pairedRatio(samples.get(name), samples.get(bare), 'wallMs');
    return {
      ...commandTable(samples),
      goals: [
        atMost(`--help / ${bare}`, ratio('--help'), 1.3, ' ×'),
        atMost(`validate / ${bare}`, ratio('validate'), 1.6, ' ×'),
      ],
    };
  },
};
