import { atMost, equal } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { compareRuns, costGoal, engineSubject, loadResult, peerSubjects } from '../load-comparison.mjs';
import { median } from '../paired-runs.mjs';
import { fileLimit } from '../target.mjs';

const MANY = 5000;
/** Number of connections of the run that determines the memory without connections. */
const FEW = 64;
/** Files that the process needs in addition to its connections. */
const SPARE_FILES = 200;

export const manyConnections = {
  name: 'many-connections',
  title: `GET on ${MANY} persistent connections, and the memory of a connection`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const limit = fileLimit();
    if (limit < MANY + SPARE_FILES) {
      return {
        skipped: `requires ${MANY + SPARE_FILES} open files, the limit is ${limit}; increase it with "ulimit -n"`,
      };
    }
    const { target } = bench;
    const subject = (name, connections) =>
      engineSubject(bench, closedJob([targetOf(target.port)], { connections }), name);
    const few = `loadtests, ${FEW} connections`;
    // Whole runs instead of slices: after a pause, thousands of unread responses would change the load.
    const samples = await compareRuns(
      bench,
      [
        ...peerSubjects(bench, ['wrk'], { url: target.url(), connections: MANY }),
        subject('loadtests', MANY),
        subject(few, FEW),
      ],
      { memory: true },
    );
    const engine = samples.get('loadtests');
    const base = samples.get(few);
    const kibibytes = engine.map(
      ({ peakMemory }, round) => (peakMemory - base[round].peakMemory) / (MANY - FEW),
    );
    const peaks = engine.map(({ peakConnections }) => peakConnections);
    return loadResult(
      samples,
      [
        costGoal(samples, ['loadtests', 'wrk'], 1.1),
        atMost('memory of a connection', median(kibibytes), 20, ' KiB'),
        equal('minimum of the peak connections', Math.min(...peaks), MANY),
      ],
      { memory: true },
    );
  },
};
