import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { atLeast, atMost, equal } from '../goals.mjs';
import { answered, closedJob, targetOf } from '../jobs.mjs';
import { reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { fileLimit, startTarget } from '../target.mjs';

const CONNECTIONS = 20_000;
/** What the same work costs in memory without the connections. */
const FEW = 64;
/** Files of a process beside its connections. */
const SPARE_FILES = 500;
/** Several, so that source ports (28,232 to one address, by default) never decide. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
/** Until the last connection is made, on a busy machine too. */
const LEAST_SECONDS = 20;
const SPARE_SECONDS = 60;
const LOOK_MS = 250;

export const scale = {
  name: 'scale',
  title: `${CONNECTIONS.toLocaleString('en-US')} connections held at once, to ${ADDRESSES.length} addresses of one host`,
  needs: ['nginx'],
  async run(bench) {
    const directory = join(bench.directory, 'scale');
    mkdirSync(directory);
    // Two workers, since each has the limit of open files that we have.
    const target = await startTarget(bench.programs, directory, { workers: 2, addresses: ADDRESSES });
    const seconds = Math.max(bench.seconds, LEAST_SECONDS);
    const runWith = async (connections) => {
      const get = targetOf(target.port, '/held', { addresses: ADDRESSES });
      const job = closedJob([get], { connections, seconds });
      const how = { core: bench.clientCore, limit: seconds + SPARE_SECONDS, memory: true };
      const cost = await measure(bench.engineCommand(job), how);
      return { cost, report: reportOf(cost), connections };
    };
    const few = await runWith(FEW);
    const before = await target.requests();
    const watch = watchPeak(target);
    // As many in one process as it may have open files; the rest in another one.
    const shares = splitBy(fileLimit() - SPARE_FILES);
    const runs = await Promise.all(shares.map(runWith));
    const atOnce = await watch();
    const requests = (await target.requests()) - before;
    const [large] = runs;
    const grown = large.cost.peakMemory - few.cost.peakMemory;
    const counted = runs.reduce((sum, { report }) => sum + answered(report.total), 0);
    const started = runs.reduce((sum, { report }) => sum + report.total.ledger.started, 0);
    return {
      rows: [few, ...runs].map(({ cost, report, connections }, index) => ({
        name: index === 0 ? 'few, for the base' : `process ${index}`,
        connections,
        'at once': report.peakConnections,
        requests: report.total.ledger.started,
        'peak MiB': cost.peakMemory / 1024,
        'lag p99, ms': report.generator.lagP99,
        'p99, ms': report.total.latency.p99,
      })),
      goals: [
        atLeast('connections at once, as the target counts', atOnce, CONNECTIONS),
        atMost('memory of a connection', grown / (large.connections - FEW), 20, ' KiB'),
        equal('requests that the target counted', requests, counted),
        equal('requests that failed', started - counted, 0),
      ],
    };
  },
};

/** The most connections that the target had open whenever it was looked at; the function returned ends it. */
function watchPeak(target) {
  let most = 0;
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(async () => {
      most = Math.max(most, await target.connections());
    });
  }, LOOK_MS);
  return async () => {
    clearInterval(timer);
    await looking;
    return most;
  };
}

function splitBy(most) {
  const shares = [];
  for (let left = CONNECTIONS; left > 0; left -= most) shares.push(Math.min(left, most));
  return shares;
}
