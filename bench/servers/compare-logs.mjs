/** What the engine told beside what the server wrote down. Pure. */

/** How the ledger calls a request on a used connection that was closed, and that may not be sent again. */
const LOST = 'closed_before_answer';

/**
 * @param reports of all runs on the server. Source: src/core/load/run-report.ts.
 * @param log `requests`: `{ method, path, status, bytesIn, bytesOut }`, where bytes may be unknown; `strange`: lines
 *        that are no requests.
 * @returns `requests`: those that were answered. `bytes`: whether those of the answers were compared.
 *          `sentAgain`, `lost`: requests on connections that the server closed without saying so: those that were sent
 *          once more, and those whose method forbids that. `differences`: in words, none where both agree.
 */
export function compareBooks(reports, log) {
  const targets = reports.flatMap((report) => report.targets);
  const told = countBy(
    targets.flatMap(({ method, statusCodes }) =>
      Object.entries(statusCodes).map(([status, count]) => [`${method} ${status}`, count]),
    ),
  );
  const logged = countBy(log.requests.map(({ method, status }) => [`${method} ${status}`, 1]));
  const classes = [...new Set([...told.keys(), ...logged.keys()])].toSorted();
  const differences = [
    ...classes.flatMap((key) => different(key, told.get(key) ?? 0, logged.get(key) ?? 0)),
    ...failuresOf(targets),
    ...(log.strange.length > 0 ? [`lines in the log that are no requests: ${log.strange.length}`] : []),
    ...different('bytes received', sumOf(targets, 'bytesReceived'), sumOf(log.requests, 'bytesOut')),
    ...different('bytes sent', sumOf(targets, 'bytesSent'), sumOf(log.requests, 'bytesIn')),
  ];
  const bytes = log.requests.length > 0 && sumOf(log.requests, 'bytesOut') !== null;
  return {
    requests: [...told.values()].reduce((sum, count) => sum + count, 0),
    bytes,
    sentAgain: targets.reduce((sum, { ledger }) => sum + ledger.resent, 0),
    lost: targets.reduce((sum, { ledger }) => sum + (ledger.network[LOST] ?? 0), 0),
    differences,
  };
}

/** Everything that was started and not answered, but for what a server closes without saying so. */
function failuresOf(targets) {
  const failures = countBy(
    targets.flatMap(({ ledger }) => [
      ...Object.entries(ledger.timeout).map(([phase, count]) => [`timeout (${phase})`, count]),
      ...Object.entries(ledger.network)
        .filter(([code]) => code !== LOST)
        .map(([code, count]) => [`network error (${code})`, count]),
      ...Object.entries(ledger.protocol).map(([fault, count]) => [`protocol error (${fault})`, count]),
      ['abandoned', ledger.abandoned],
    ]),
  );
  return [...failures].filter(([, count]) => count > 0).map(([what, count]) => `${what}: ${count}`);
}

function different(what, told, logged) {
  if (told === logged || logged === null) return [];
  return [`${what}: ${told} by the engine, ${logged} by the server`];
}

/** Null where any of them is unknown. */
function sumOf(list, key) {
  if (list.some((one) => (one[key] ?? null) === null)) return null;
  return list.reduce((sum, one) => sum + one[key], 0);
}

function countBy(entries) {
  const counts = new Map();
  for (const [key, count] of entries) counts.set(key, (counts.get(key) ?? 0) + count);
  return counts;
}
