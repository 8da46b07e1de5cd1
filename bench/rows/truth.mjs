import { runDelayed, withDelayTarget } from '../delay-target.mjs';
import { atMost, equal } from '../goals.mjs';
import { countResponses, closedJob, targetOf } from '../jobs.mjs';
import { median } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const MEAN_MS = 60;
/** Tolerance: the greater of the two applies. */
const TOLERANCE = { ms: 3, fraction: 0.05 };

/**
 * Compares the response times of the engine with those of the target, which measures its own times. They may
 * differ only by the transmission.
 */
export const truth = {
  name: 'truth',
  title: `Response times of the engine and of the target, ${CONNECTIONS} persistent connections`,
  needs: ['taskset'],
  run: (bench) =>
    withDelayTarget(bench, async (target) => {
      const { seconds } = bench;
      const job = closedJob([targetOf(target.port)], { connections: CONNECTIONS, seconds });
      const rows = [];
      for (let round = 0; round < bench.rounds; round++) {
        const { report, counted } = await runDelayed(bench, target, { job, delay: 'spread', ms: MEAN_MS });
        const { total } = report;
        rows.push({
          name: `round ${round + 1}`,
          'engine p50, ms': total.serviceTime.p50,
          'target p50, ms': counted.p50,
          'engine p99, ms': total.serviceTime.p99,
          'target p99, ms': counted.p99,
          'engine counts': countResponses(total),
          'target counts': counted.requests,
        });
        bench.log(`p99 ${total.serviceTime.p99.toFixed(1)} ms, target ${counted.p99.toFixed(1)} ms`);
      }
      return {
        rows,
        goals: [closeTo(rows, 'p50'), closeTo(rows, 'p99'), countsEqual(rows)],
      };
    }),
};

function closeTo(rows, percentile) {
  const expected = median(rows.map((row) => row[`target ${percentile}, ms`]));
  const differences = rows.map((row) =>
    Math.abs(row[`engine ${percentile}, ms`] - row[`target ${percentile}, ms`]),
  );
  const allowed = Math.max(TOLERANCE.ms, Math.round(expected * TOLERANCE.fraction * 10) / 10);
  return atMost(`${percentile}, difference from the target`, median(differences), allowed, ' ms');
}

function countsEqual(rows) {
  const wrong = rows.filter((row) => row['engine counts'] !== row['target counts']);
  return equal('rounds with different counts', wrong.length, 0);
}
