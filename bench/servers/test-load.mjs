/**
 * The load for every server: persistent connections, a new connection for each of many clients, and requests
 * with a body.
 */
import { jobOf, targetOf } from '../jobs.mjs';

const BUSY_CONNECTIONS = 16;
const POSTING_CONNECTIONS = 4;
const NEW_CLIENTS = 200;
/** Long, so that a busy machine does not cause differences. */
const TIMEOUT_MS = 30_000;

/**
 * Returns the reports of all runs, which take place one after another.
 *
 * @param options - `clients`: number of clients of the run with new connections.
 */
export async function loadServer(
  engine,
  { port, secure, headers, paths, post, body },
  { seconds, clients = NEW_CLIENTS },
) {
  const gets = paths.map((path) => targetOf(port, path, { secure, headers }));
  const posted = targetOf(port, post, {
    ...{ secure, headers, method: 'POST' },
    body: { kind: 'text', text: body },
  });
  const closed = { duration: seconds * 1000, timeout: TIMEOUT_MS };
  const jobs = [
    jobOf(gets, { ...closed, initial: BUSY_CONNECTIONS, total: BUSY_CONNECTIONS }),
    jobOf(gets, { testType: 'non-cycling', initial: 0, total: clients, duration: 1000, timeout: TIMEOUT_MS }),
    jobOf([posted], { ...closed, initial: POSTING_CONNECTIONS, total: POSTING_CONNECTIONS }),
  ];
  const reports = [];
  for (const job of jobs) reports.push(await engine.start(job, () => undefined).ended);
  return reports;
}
