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
/** Maximum duration with `--long`. */
const LONG_SECONDS = 600;
const SPARE_SECONDS = 30;
/** The target writes its log at least once per second. */
const LOG_MS = 1500;

const PATHS = { '/logged/found': 200, '/logged/missing': 404, '/logged/broken': 500 };

/** Maximum request number; a path can receive requests from several runs. */
const IDS = 10_000_000;

/**
 * Compares the ledger with the log of the target. Each request has a number. Each number must appear exactly
 * once in the log, and statuses and bytes of both directions must be equal.
 */
export const counts = {
  name: 'counts',
  title: 'The ledger of the engine and each line of the log of the target',
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
    const rows = report.targets.map(({ url, ...metrics }) => {
      const { pathname } = new URL(url);
      const lines = logged.get(pathname) ?? nothing();
      return {
        name: pathname,
        'engine: responses': JSON.stringify(metrics.statusCodes),
        'log: responses': JSON.stringify(lines.statuses),
        'unique ids': lines.unique,
        duplicates: lines.duplicates,
        missing: lines.highest - lines.unique,
        'engine: bytes out': metrics.bytesSent,
        'log: bytes in': lines.received,
        'engine: bytes in': metrics.bytesReceived,
        'log: bytes out': lines.sent,
      };
    });
    const read = [...logged.values()].reduce((sum, { requests }) => sum + requests, 0);
    const wrong = rows.filter(
      (row) =>
        row['engine: responses'] !== row['log: responses'] ||
        row.duplicates !== 0 ||
        row.missing !== 0 ||
        row['engine: bytes out'] !== row['log: bytes in'] ||
        row['engine: bytes in'] !== row['log: bytes out'],
    );
    return {
      rows,
      goals: [
        equal('paths with different counts', wrong.length, 0),
        equal('difference between logged and started requests', read - report.total.ledger.started, 0),
        ...(long
          ? [{ what: 'lines read', goal: `≥ ${MANY}`, measured: String(read), met: read >= MANY }]
          : []),
      ],
    };
  },
};

/** Reads the log of the target, in the format of its configuration. */
async function readLog(file) {
  const paths = new Map();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [path, id, status, received, sent] = line.split(' ');
    const counts = paths.get(path) ?? nothing();
    paths.set(path, counts);
    counts.requests++;
    counts.received += Number(received);
    counts.sent += Number(sent);
    counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
    counts.highest = Math.max(counts.highest, Number(id));
    if (counts.ids[id] === 0) counts.unique++;
    else counts.duplicates++;
    counts.ids[id] = 1;
  }
  return paths;
}

function nothing() {
  const ids = new Uint8Array(IDS + 1);
  return { requests: 0, received: 0, sent: 0, statuses: {}, ids, highest: 0, unique: 0, duplicates: 0 };
}
