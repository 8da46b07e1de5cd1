import { createReadStream } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { equal } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { pause } from '../pause.mjs';

const CONNECTIONS = 64;
const MANY = 5_000_000;
/** At most, for that many. */
const LONG_SECONDS = 600;
const SPARE_SECONDS = 30;
/** The target writes its log at least once a second. */
const LOG_MS = 1500;

const PATHS = { '/logged/found': 200, '/logged/missing': 404, '/logged/broken': 500 };

/** More than one run sends to one path. */
const IDS = 10_000_000;

/**
 * Each request has a number, and every line of the target's log is read: each number once and none left out; statuses
 * and bytes of both directions as the engine says.
 */
export const counts = {
  name: 'counts',
  title: `The engine's books against each line of the target's log`,
  needs: ['nginx'],
  async run(bench) {
    const { target, long } = bench;
    const seconds = long ? LONG_SECONDS : bench.seconds;
    const targets = Object.keys(PATHS).map((path) => targetOf(target.port, `${path}?id=%{1:${IDS}}`));
    const job = closedJob(targets, { connections: CONNECTIONS, seconds });
    await truncate(target.requestLog, 0);
    const cost = await measure(bench.engineCommand(job, long ? { stopAfter: MANY } : {}), {
      core: bench.clientCore,
      limit: seconds + SPARE_SECONDS,
    });
    await pause(LOG_MS);
    const logged = await readLog(target.requestLog);
    await truncate(target.requestLog, 0);
    const report = reportOf(cost);
    const rows = report.targets.map(({ url, ...figures }) => {
      const { pathname } = new URL(url);
      const lines = logged.get(pathname) ?? nothing();
      return {
        name: pathname,
        'engine: answers': JSON.stringify(figures.statusCodes),
        'log: answers': JSON.stringify(lines.statuses),
        'ids seen once': lines.once,
        twice: lines.again,
        'left out': lines.highest - lines.once,
        'engine: bytes out': figures.bytesSent,
        'log: bytes in': lines.received,
        'engine: bytes in': figures.bytesReceived,
        'log: bytes out': lines.sent,
      };
    });
    const read = [...logged.values()].reduce((sum, { requests }) => sum + requests, 0);
    const wrong = rows.filter(
      (row) =>
        row['engine: answers'] !== row['log: answers'] ||
        row['twice'] !== 0 ||
        row['left out'] !== 0 ||
        row['engine: bytes out'] !== row['log: bytes in'] ||
        row['engine: bytes in'] !== row['log: bytes out'],
    );
    return {
      rows,
      goals: [
        equal('paths whose books differ', wrong.length, 0),
        equal('requests not logged, or logged and not started', read - report.total.ledger.started, 0),
        ...(long
          ? [{ what: 'lines read', goal: `≥ ${MANY}`, measured: String(read), met: read >= MANY }]
          : []),
      ],
    };
  },
};

/** Lines as the target's configuration has them. */
async function readLog(file) {
  const paths = new Map();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [path, id, status, received, sent] = line.split(' ');
    const seen = paths.get(path) ?? nothing();
    paths.set(path, seen);
    seen.requests++;
    seen.received += Number(received);
    seen.sent += Number(sent);
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    seen.highest = Math.max(seen.highest, Number(id));
    if (seen.ids[id] === 0) seen.once++;
    else seen.again++;
    seen.ids[id] = 1;
  }
  return paths;
}

function nothing() {
  const ids = new Uint8Array(IDS + 1);
  return { requests: 0, received: 0, sent: 0, statuses: {}, ids, highest: 0, once: 0, again: 0 };
}
