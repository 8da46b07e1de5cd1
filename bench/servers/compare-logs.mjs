/** Comparison of the counts of the engine with the log of a server. Pure. */

/** Code in the ledger for a request whose reused connection was closed, and that must not be sent again. */
const CLOSED_UNANNOUNCED = 'closed_before_answer';

/**
 * Compares the reports of all runs on a server with its log.
 *
 * @param reports - See src/core/load/run-report.ts.
 * @param log - `requests`: `{ method, path, status, bytesIn, bytesOut }`, with null for unknown bytes.
 * `strange`: lines that are not requests.
 * @returns `requests`: number of responses. `bytes`: true if the bytes of the responses were compared.
 * `sentAgain` and `lost`: requests on connections that the server closed without notice, which were sent
 * again, or whose method forbids it. `differences`: descriptions; empty if the counts are equal.
 */
export function compareLogs(reports, log) {
  const targets = reports.flatMap((report) => report.targets);
  const counted = countBy(
    targets.flatMap(({ method, statusCodes }) =>
      Object.entries(statusCodes).map(([status, count]) => [`${method} ${status}`, count]),
    ),
  );
  const logged = countBy(log.requests.map(({ method, status }) => [`${method} ${status}`, 1]));
  const classes = [...new Set([...counted.keys(), ...logged.keys()])].toSorted();
  const differences = [
    ...classes.flatMap((key) => different(key, counted.get(key) ?? 0, logged.get(key) ?? 0)),
    ...failuresOf(targets),
    ...(log.strange.length > 0 ? [`log lines that are not requests: ${log.strange.length}`] : []),
    ...different('bytes received', sumOf(targets, 'bytesReceived'), sumOf(log.requests, 'bytesOut')),
    ...different('bytes sent', sumOf(targets, 'bytesSent'), sumOf(log.requests, 'bytesIn')),
  ];
  const bytes = log.requests.length > 0 && sumOf(log.requests, 'bytesOut') !== null;
  return {
    requests: [...counted.values()].reduce((sum, count) => sum + count, 0),
    bytes,
    sentAgain: targets.reduce((sum, { ledger }) => sum + ledger.resent, 0),
    lost: targets.reduce((sum, { ledger }) => sum + (ledger.network[CLOSED_UNANNOUNCED] ?? 0), 0),
    differences,
  };
}

/** Returns all failures, except those of connections that the server closed without notice. */
function failuresOf(targets) {
  const failures = countBy(
    targets.flatMap(({ ledger }) => [
      ...Object.entries(ledger.timeout).map(([phase, count]) => [`timeout (${phase})`, count]),
      ...Object.entries(ledger.network)
        .filter(([code]) => code !== CLOSED_UNANNOUNCED)
        .map(([code, count]) => [`network error (${code})`, count]),
      ...Object.entries(ledger.protocol).map(([fault, count]) => [`protocol error (${fault})`, count]),
      ['abandoned', ledger.abandoned],
    ]),
  );
  return [...failures].filter(([, count]) => count > 0).map(([what, count]) => `${what}: ${count}`);
}

function different(what, counted, logged) {
  if (counted === logged || logged === null) return [];
  return [`${what}: ${counted} by the engine, ${logged} by the server`];
}

/** Returns the sum of a member; null if any value is unknown. */
function sumOf(list, key) {
  if (list.some((one) => (one[key] ?? null) === null)) return null;
  return list.reduce((sum, one) => sum + one[key], 0);
}

function countBy(entries) {
  const counts = new Map();
  for (const [key, count] of entries) counts.set(key, (counts.get(key) ?? 0) + count);
  return counts;
}
