import { startDelayTarget } from '../delay-target.mjs';
import { atMost, equal } from '../goals.mjs';
import { answered, closedJob, targetOf } from '../jobs.mjs';
import { reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { median } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const MEAN_MS = 60;
const SPARE_SECONDS = 30;
/** Whichever is more. */
const TOLERANCE = { ms: 3, share: 0.05 };

/** The target knows how long it took; what the engine says may differ by the way there and back, and by no more. */
export const truth = {
  name: 'truth',
  title: `Times as told by the engine and by the target itself, ${CONNECTIONS} kept connections`,
  needs: ['taskset'],
  async run(bench) {
    const target = await startDelayTarget(bench.programs);
    try {
      const { seconds } = bench;
      const job = closedJob([targetOf(target.port)], { connections: CONNECTIONS, seconds });
      const rows = [];
      for (let round = 0; round < bench.rounds; round++) {
        target.begin('spread', MEAN_MS);
        const limit = seconds + SPARE_SECONDS;
        const cost = await measure(bench.engineCommand(job), { core: bench.clientCore, limit });
        const { total } = reportOf(cost);
        const books = await target.report();
        rows.push({
          name: `round ${round + 1}`,
          'engine p50, ms': total.serviceTime.p50,
          'target p50, ms': books.p50,
          'engine p99, ms': total.serviceTime.p99,
          'target p99, ms': books.p99,
          'engine counts': answered(total),
          'target counts': books.requests,
        });
        bench.say(`p99 ${total.serviceTime.p99.toFixed(1)} ms, target ${books.p99.toFixed(1)} ms`);
      }
      return {
        rows,
        goals: [closeTo(rows, 'p50'), closeTo(rows, 'p99'), countsEqual(rows)],
      };
    } finally {
      await target.close();
    }
  },
};

function closeTo(rows, percentile) {
  const told = median(rows.map((row) => row[`target ${percentile}, ms`]));
  const differences = rows.map((row) =>
    Math.abs(row[`engine ${percentile}, ms`] - row[`target ${percentile}, ms`]),
  );
  const allowed = Math.max(TOLERANCE.ms, Math.round(told * TOLERANCE.share * 10) / 10);
  return atMost(`${percentile}, difference from the target's own`, median(differences), allowed, ' ms');
}

function countsEqual(rows) {
  const wrong = rows.filter((row) => row['engine counts'] !== row['target counts']);
  return equal('rounds whose counts differ', wrong.length, 0);
}
