import { atMost, equal } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import {
  booksClose,
  compareRuns,
  costRatio,
  loadTable,
  ourSubject,
  peerSubjects,
} from '../load-comparison.mjs';
import { median } from '../paired-runs.mjs';
import { fileLimit } from '../target.mjs';

const MANY = 5000;
/** What the same work costs in memory without the connections. */
const FEW = 64;
/** Of the process beside its connections: libraries, threads, timers. */
const SPARE_FILES = 200;

export const manyConnections = {
  name: 'many-connections',
  title: `GET on ${MANY} kept connections, and the memory of a connection`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const limit = fileLimit();
    if (limit < MANY + SPARE_FILES) {
      return {
        skipped: `needs ${MANY + SPARE_FILES} open files, the limit is ${limit}; raise it with "ulimit -n"`,
      };
    }
    const { target } = bench;
    const subject = (name, connections) =>
      ourSubject(bench, closedJob([targetOf(target.port)], { connections }), name);
    const few = `ours, ${FEW} connections`;
    // Answers to thousands of connections at once, as they wait for who has stood still, are a state of their own: no slices.
    const samples = await compareRuns(
      bench,
      [
        ...peerSubjects(bench, ['wrk'], { url: target.url(), connections: MANY }),
        subject('ours', MANY),
        subject(few, FEW),
      ],
      { memory: true },
    );
    const ours = samples.get('ours');
    const base = samples.get(few);
    const kibibytes = ours.map(
      ({ peakMemory }, round) => (peakMemory - base[round].peakMemory) / (MANY - FEW),
    );
    return {
      ...loadTable(samples, { memory: true }),
      goals: [
        atMost('ours / wrk', costRatio(samples, 'ours', 'wrk'), 1.1, ' ×'),
        atMost('memory of a connection', median(kibibytes), 20, ' KiB'),
        equal(
          'connections at once, fewest',
          Math.min(...ours.map(({ peakConnections }) => peakConnections)),
          MANY,
        ),
        booksClose(samples),
      ],
    };
  },
};
