import { runDelayed, withDelayTarget } from '../delay-target.mjs';
import { atMost, equal } from '../goals.mjs';
import { countResponses, openJob, targetOf } from '../jobs.mjs';
import { median } from '../paired-runs.mjs';

const PER_SECOND = 2000;
const DELAY_MS = 50;

export const openModel = {
  name: 'open-model',
  title: `${PER_SECOND} clients per second; the target responds after ${DELAY_MS} ms`,
  needs: ['taskset'],
  run: (bench) =>
    withDelayTarget(bench, async (target) => {
      const job = openJob([targetOf(target.port)], { perSecond: PER_SECOND, seconds: bench.seconds });
      const samples = [];
      for (let round = 0; round < bench.rounds; round++) {
        const { cost, report, counted } = await runDelayed(bench, target, { job, ms: DELAY_MS });
        const { total, generator } = report;
        const { requests } = counted;
        samples.push({
          'lag p99, ms': generator.lagP99,
          'µs/request': (cost.cpuMs * 1000) / requests,
          'response p50, ms': total.latency.p50,
          'response p99, ms': total.latency.p99,
          planned: total.ledger.planned,
          responses: countResponses(total),
          'counted by the target': requests,
        });
        bench.log(`lag p99 ${generator.lagP99.toFixed(1)} ms`);
      }
      const planned = PER_SECOND * bench.seconds;
      const wrong = samples.filter((sample) =>
        ['planned', 'responses', 'counted by the target'].some((count) => sample[count] !== planned),
      );
      return {
        rows: samples.map((sample, round) => ({ name: `round ${round + 1}`, ...sample })),
        goals: [
          atMost('lag p99', median(samples.map((sample) => sample['lag p99, ms'])), 10, ' ms'),
          equal(`rounds whose counts are not ${planned}`, wrong.length, 0),
        ],
      };
    }),
};
