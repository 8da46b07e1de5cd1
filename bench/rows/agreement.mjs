import { SPARE_SECONDS, withDelayTarget } from '../delay-target.mjs';
import { atMost } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { peerSubjects, reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { alternate, medianOf } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const DELAY_MS = 20;
const TOLERANCE = 10;

/**
 * Functions that read the median request time in ms from the output of each program. h2load prints only a
 * mean.
 */
const P50_READERS = {
  wrk: (text) => inMilliseconds(/^\s*50%\s+([\d.]+)(us|ms|s)$/m.exec(text)),
  hey: (text) => Number(/^\s*50% in ([\d.]+) secs$/m.exec(text)?.[1]) * 1000,
  ab: (text) => Number(/^\s*50%\s+(\d+)$/m.exec(text)?.[1]),
  h2load: (text) =>
    inMilliseconds(/^time for request:(?:\s+[\d.]+(?:us|ms|s)){2}\s+([\d.]+)(us|ms|s)/m.exec(text)),
  autocannon: (text) => JSON.parse(text).latency.p50,
};

/**
 * Compares programs on the same, easy work: if one of them differs much from the others, its measurement is
 * wrong.
 */
export const agreement = {
  name: 'agreement',
  title: `Throughput and p50 as each program reports them, ${CONNECTIONS} persistent connections, responses after ${DELAY_MS} ms`,
  needs: ['taskset', 'wrk'],
  run: (bench) =>
    withDelayTarget(bench, async (target) => {
      const { seconds } = bench;
      const url = `http://127.0.0.1:${target.port}/`;
      const work = { url, connections: CONNECTIONS, options: ['--latency'] };
      const job = closedJob([targetOf(target.port)], { connections: CONNECTIONS, seconds });
      const subjects = [
        {
          name: 'loadtests',
          commandFor: () => bench.engineCommand(job),
          readP50: (cost) => reportOf(cost).total.serviceTime.p50,
        },
        ...peerSubjects(bench, Object.keys(P50_READERS), work).map((peer) => ({
          ...peer,
          readP50: ({ stdout }) => P50_READERS[peer.name](stdout),
        })),
      ];
      const samples = await alternate(
        bench.rounds,
        subjects.map(({ name, commandFor, readP50 }) => ({
          name,
          sample: async () => {
            target.begin('fixed', DELAY_MS);
            const cost = await measure(commandFor(seconds), {
              core: bench.clientCore,
              limit: seconds + SPARE_SECONDS,
            });
            const { requests, p50: targetP50 } = await target.report();
            const p50 = readP50(cost);
            bench.log(`${name} ${Math.round(requests / seconds)}/s, p50 ${p50.toFixed(1)} ms`);
            return { perSecond: requests / seconds, p50, targetP50 };
          },
        })),
      );
      const peers = [...samples].filter(([name]) => name !== 'loadtests');
      const fastest = peers.reduce((a, b) =>
        medianOf(a[1], 'perSecond') > medianOf(b[1], 'perSecond') ? a : b,
      );
      const engine = samples.get('loadtests');
      return {
        rows: [...samples].map(([name, list]) => ({
          name,
          'requests/s': medianOf(list, 'perSecond'),
          'p50, ms': medianOf(list, 'p50'),
          'p50 of the target, ms': medianOf(list, 'targetP50'),
        })),
        samples: Object.fromEntries(samples),
        goals: [
          atMost(
            `throughput, difference from ${fastest[0]}`,
            deviation(engine, fastest[1], 'perSecond'),
            TOLERANCE,
            ' %',
          ),
          atMost(`p50, difference from ${fastest[0]}`, deviation(engine, fastest[1], 'p50'), TOLERANCE, ' %'),
        ],
      };
    }),
};

function inMilliseconds(match) {
  return Number(match?.[1]) * { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? 'ms'];
}

function deviation(a, b, metric) {
  const [one, other] = [medianOf(a, metric), medianOf(b, metric)];
  return (100 * Math.abs(one - other)) / other;
}
