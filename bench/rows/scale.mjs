import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { atLeast, atMost, equal } from '../goals.mjs';
import { countResponses, closedJob, targetOf } from '../jobs.mjs';
import { reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { fileLimit, startTarget } from '../target.mjs';

const CONNECTIONS = 20_000;
/** Number of connections of the run that determines the memory without connections. */
const FEW = 64;
/** Files that a process needs in addition to its connections. */
const SPARE_FILES = 500;
/** Several addresses, so that the number of source ports (28,232 per address by default) is not the limit. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
/** Time until the last connection is open, including on a busy machine. */
const MIN_SECONDS = 20;
const SPARE_SECONDS = 60;
const CHECK_MS = 250;

export const scale = {
  name: 'scale',
  title: `${CONNECTIONS.toLocaleString('en-US')} concurrent connections to ${ADDRESSES.length} addresses of one host`,
  needs: ['nginx'],
  async run(bench) {
    const directory = join(bench.directory, 'scale');
    mkdirSync(directory);
    // Two worker processes, because each has the same open-file limit as the client.
    const target = await startTarget(bench.programs, directory, { workers: 2, addresses: ADDRESSES });
    const seconds = Math.max(bench.seconds, MIN_SECONDS);
    const runWith = async (connections) => {
      const get = targetOf(target.port, '/held', { addresses: ADDRESSES });
      const job = closedJob([get], { connections, seconds });
      const options = { core: bench.clientCore, limit: seconds + SPARE_SECONDS, memory: true };
      const cost = await measure(bench.engineCommand(job), options);
      return { cost, report: reportOf(cost), connections };
    };
    const few = await runWith(FEW);
    const before = await target.requests();
    const watch = watchPeak(target);
    // The first process opens as many connections as its open-file limit allows; a second one opens the
    // others.
    const counts = splitConnections(fileLimit() - SPARE_FILES);
    const runs = await Promise.all(counts.map(runWith));
    const peak = await watch();
    const requests = (await target.requests()) - before;
    const [large] = runs;
    const grown = large.cost.peakMemory - few.cost.peakMemory;
    const counted = runs.reduce((sum, { report }) => sum + countResponses(report.total), 0);
    const started = runs.reduce((sum, { report }) => sum + report.total.ledger.started, 0);
    return {
      rows: [few, ...runs].map(({ cost, report, connections }, index) => ({
        name: index === 0 ? 'few connections' : `process ${index}`,
        connections,
        peak: report.peakConnections,
        requests: report.total.ledger.started,
        'peak MiB': cost.peakMemory / 1024,
        'lag p99, ms': report.generator.lagP99,
        'p99, ms': report.total.latency.p99,
      })),
      goals: [
        atLeast('peak connections, counted by the target', peak, CONNECTIONS),
        atMost('memory of a connection', grown / (large.connections - FEW), 20, ' KiB'),
        equal('requests counted by the target', requests, counted),
        equal('failed requests', started - counted, 0),
      ],
    };
  },
};

/**
 * Records the maximum number of open connections of the target; the returned function stops the recording.
 */
function watchPeak(target) {
  let peak = 0;
  let reading = Promise.resolve();
  const timer = setInterval(() => {
    reading = reading.then(async () => {
      peak = Math.max(peak, await target.connections());
    });
  }, CHECK_MS);
  return async () => {
    clearInterval(timer);
    await reading;
    return peak;
  };
}

function splitConnections(max) {
  const counts = [];
  for (let rest = CONNECTIONS; rest > 0; rest -= max) counts.push(Math.min(rest, max));
  return counts;
}
