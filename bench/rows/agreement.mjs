import { startDelayTarget } from '../delay-target.mjs';
import { atMost } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { peerSubjects, reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { alternate, medianOf } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const DELAY_MS = 20;
const SPARE_SECONDS = 30;
const TOLERANCE = 10;

/** What each prints of the time that half of its requests took, in ms; h2load tells a mean only. */
const HALF = {
  wrk: (text) => inMilliseconds(/^\s*50%\s+([\d.]+)(us|ms|s)$/m.exec(text)),
  hey: (text) => Number(/^\s*50% in ([\d.]+) secs$/m.exec(text)?.[1]) * 1000,
  ab: (text) => Number(/^\s*50%\s+(\d+)$/m.exec(text)?.[1]),
  h2load: (text) =>
    inMilliseconds(/^time for request:(?:\s+[\d.]+(?:us|ms|s)){2}\s+([\d.]+)(us|ms|s)/m.exec(text)),
  autocannon: (text) => JSON.parse(text).latency.p50,
};

/** The work is the same and easy for all: a tool that is far from the others is wrong about something. */
export const agreement = {
  name: 'agreement',
  title: `Throughput and p50 as each tells them, ${CONNECTIONS} kept connections, answers after ${DELAY_MS} ms`,
  needs: ['taskset', 'wrk'],
  async run(bench) {
    const target = await startDelayTarget(bench.programs);
    try {
      const { seconds } = bench;
      const url = `http://127.0.0.1:${target.port}/`;
      const work = { url, connections: CONNECTIONS, options: ['--latency'] };
      const job = closedJob([targetOf(target.port)], { connections: CONNECTIONS, seconds });
      const subjects = [
        {
          name: 'ours',
          command: bench.engineCommand(job),
          told: (cost) => reportOf(cost).total.serviceTime.p50,
        },
        ...peerSubjects(bench, Object.keys(HALF), work).map((peer) => ({
          ...peer,
          told: ({ stdout }) => HALF[peer.name](stdout),
        })),
      ];
      const samples = await alternate(
        bench.rounds,
        subjects.map(({ name, command, told }) => ({
          name,
          sample: async () => {
            target.begin('fixed', DELAY_MS);
            const cost = await measure(command, { core: bench.clientCore, limit: seconds + SPARE_SECONDS });
            const { requests, p50: own } = await target.report();
            const p50 = told(cost);
            bench.say(`${name} ${Math.round(requests / seconds)}/s, p50 ${p50.toFixed(1)} ms`);
            return { perSecond: requests / seconds, p50, targetP50: own };
          },
        })),
      );
      const peers = [...samples].filter(([name]) => name !== 'ours');
      const fastest = peers.reduce((a, b) =>
        medianOf(a[1], 'perSecond') > medianOf(b[1], 'perSecond') ? a : b,
      );
      const ours = samples.get('ours');
      return {
        rows: [...samples].map(([name, list]) => ({
          name,
          'requests/s': medianOf(list, 'perSecond'),
          'p50, ms': medianOf(list, 'p50'),
          "target's own p50, ms": medianOf(list, 'targetP50'),
        })),
        samples: Object.fromEntries(samples),
        goals: [
          atMost(`throughput, off ${fastest[0]}'s`, apart(ours, fastest[1], 'perSecond'), TOLERANCE, ' %'),
          atMost(`p50, off ${fastest[0]}'s`, apart(ours, fastest[1], 'p50'), TOLERANCE, ' %'),
        ],
      };
    } finally {
      await target.close();
    }
  },
};

function inMilliseconds(match) {
  return Number(match?.[1]) * { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? 'ms'];
}

function apart(a, b, figure) {
  const [one, other] = [medianOf(a, figure), medianOf(b, figure)];
  return (100 * Math.abs(one - other)) / other;
}
