/** Rows that compare generators of load by what a request costs them, as the target counts requests. */
import { fileURLToPath } from 'node:url';
import { atMost } from './goals.mjs';
import { answered, closedJob, targetOf } from './jobs.mjs';
import { lastLines, measure } from './measure-command.mjs';
import { COMMANDS } from './compared-programs.mjs';
import { alternate, medianOf, pairedRatio } from './paired-runs.mjs';
import { runInSlices } from './interleaved-runs.mjs';

const BARE_SOCKETS = fileURLToPath(new URL('bare-sockets.mjs', import.meta.url));

/** Long beside what stopping and going on takes, and short beside the moods of a machine. */
const SLICE_MS = 200;
/** Beyond the seconds of load itself: start, end, and a machine that is busy with something else. */
const SPARE_SECONDS = 30;

/**
 * A subject: `{ name, commandFor, core?, ours? }`. `commandFor`: its command for so many seconds of load; `core`: the one
 * it is pinned to, null for any, the client's where it does not say.
 */

/** The peers of a list that this machine has, called for the same work; those it has not are told of elsewhere. */
export function peerSubjects(bench, names, work) {
  return names
    .filter((name) => bench.programs[name] !== undefined)
    .map((name) => ({
      name,
      commandFor: (seconds) => [...bench.programs[name].command, ...COMMANDS[name]({ seconds, ...work })],
    }));
}

export function ourSubject(bench, job, name = 'ours') {
  return {
    name,
    commandFor: (seconds) => bench.engineCommand({ ...job, duration: seconds * 1000 }),
    ours: true,
  };
}

/** A floor for whoever uses Node's public API. */
export function bareSubject({ target }, { path, connections, secure = false }, name = 'bare sockets') {
  const port = secure ? target.securePort : target.port;
  const kind = secure ? 'tls' : 'plain';
  return {
    name,
    commandFor: (seconds) => [
      process.execPath,
      BARE_SOCKETS,
      ...[port, path, connections, seconds, kind].map(String),
    ],
  };
}

/**
 * Samples of all subjects, one for each slice, of loads of the closed model: see `slices.mjs`.
 *
 * Shape: a map from name to samples; those of one index were taken one after the other. The last one of each round of
 *        ours has its books.
 */
export async function compareLoad(bench, subjects, sliceMs = SLICE_MS) {
  const samples = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < bench.rounds; round++) {
    const results = await runInSlices(bench, subjects, sliceMs);
    for (const { name, ours = false } of subjects) {
      const { slices, requests, stdout } = results.get(name);
      const figures = slices.map(sampleOf);
      bench.say(`${name} ${medianOf(figures, 'cpuPerRequest').toFixed(2)} µs`);
      if (ours) Object.assign(figures.at(-1), booksOf(JSON.parse(stdout), requests));
      samples.get(name).push(...figures);
    }
  }
  return samples;
}

function sampleOf({ requests, cpuMs, wallMs, userShare }) {
  const cpuPerRequest = (cpuMs * 1000) / requests;
  return {
    requests,
    perSecond: (requests / wallMs) * 1000,
    cpuPerRequest,
    userPerRequest: cpuPerRequest * userShare,
    systemPerRequest: cpuPerRequest * (1 - userShare),
  };
}

/** Samples of whole runs, one after the other: for loads that must not stand still. `memory`: whether to watch its peak. */
export async function compareRuns(bench, subjects, { memory = false } = {}) {
  return await alternate(
    bench.rounds,
    subjects.map((subject) => ({
      name: subject.name,
      sample: async () => {
        const sample = await sampleRun(bench, subject, memory);
        bench.say(`${subject.name} ${sample.cpuPerRequest.toFixed(2)} µs`);
        return sample;
      },
    })),
  );
}

async function sampleRun(
  bench,
  { name, commandFor, core = bench.clientCore, ours = false, seconds = bench.seconds },
  memory,
) {
  const before = await bench.target.requests();
  const cost = await measure(commandFor(seconds), {
    core,
    limit: seconds + SPARE_SECONDS,
    memory,
  });
  const after = await bench.target.requests();
  const requests = after - before;
  if (cost.exitCode !== 0 || requests === 0) {
    throw new Error(`${name} made ${requests} requests and ended with ${cost.exitCode}: ${lastLines(cost)}`);
  }
  return {
    requests,
    perSecond: requests / seconds,
    cpuPerRequest: (cost.cpuMs * 1000) / requests,
    userPerRequest: (cost.userMs * 1000) / requests,
    systemPerRequest: (cost.systemMs * 1000) / requests,
    ...(memory ? { peakMemory: cost.peakMemory } : {}),
    ...(ours ? booksOf(reportOf(cost), requests) : {}),
  };
}

/** Errors: for a command that failed, with what it said. */
export function reportOf(cost) {
  if (cost.exitCode !== 0) throw new Error(`the engine ended with ${cost.exitCode}: ${lastLines(cost)}`);
  return JSON.parse(cost.stdout.trim().split('\n').at(-1));
}

/** What the engine says of itself, beside what the target counted. */
function booksOf({ total, warmup, peakConnections }, requests) {
  const ledgers = [total.ledger, ...(warmup === null ? [] : [warmup.ledger])];
  const sumOf = (count) => ledgers.reduce((sum, ledger) => sum + count(ledger), 0);
  const answers = sumOf((ledger) => answered({ ledger }));
  return {
    uncounted: requests - answers,
    failed: sumOf(({ started }) => started) - answers,
    bytesPerRequest: (total.bytesSent + total.bytesReceived) / requests,
    peakConnections,
  };
}

/** A row's table: medians, and each subject's cost in terms of the first one's. */
export function loadTable(samples, { memory = false } = {}) {
  const [baseline] = samples.keys();
  const rows = [...samples].map(([name, list]) => ({
    name,
    requestsPerSecond: Math.round(medianOf(list, 'perSecond')),
    'µs/request': medianOf(list, 'cpuPerRequest'),
    user: medianOf(list, 'userPerRequest'),
    system: medianOf(list, 'systemPerRequest'),
    [`× ${baseline}`]: pairedRatio(list, samples.get(baseline), 'cpuPerRequest'),
    ...(memory ? { 'peak MiB': medianOf(list, 'peakMemory') / 1024 } : {}),
  }));
  return { rows, samples: Object.fromEntries(samples) };
}

/**
 * What a row makes of shapes of work that differ, each of ours beside wrk's own of the same, and beside the floor.
 *
 * @param shapes `{ name, path, connections, goal }`: GET of a path of the target, and how many times wrk's cost it may
 *        cost.
 */
export async function compareWithWrk(bench, shapes) {
  const { target } = bench;
  const peerOf = (name) => `wrk, ${name}`;
  const bareOf = (name) => `bare sockets, ${name}`;
  const samples = await compareLoad(
    bench,
    shapes.flatMap(({ name, path, connections }) => [
      ...peerSubjects(bench, ['wrk'], { url: target.url(path), connections }).map((peer) => ({
        ...peer,
        name: peerOf(name),
      })),
      ourSubject(bench, closedJob([targetOf(target.port, path)], { connections }), name),
      bareSubject(bench, { path, connections }, bareOf(name)),
    ]),
  );
  const rows = shapes.map(({ name }) => ({
    name,
    requestsPerSecond: Math.round(medianOf(samples.get(name), 'perSecond')),
    'wrk, µs/request': medianOf(samples.get(peerOf(name)), 'cpuPerRequest'),
    'ours, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
    'bare sockets': medianOf(samples.get(bareOf(name)), 'cpuPerRequest'),
    '× wrk': costRatio(samples, name, peerOf(name)),
    'bare sockets × wrk': costRatio(samples, bareOf(name), peerOf(name)),
  }));
  return {
    rows,
    samples: Object.fromEntries(samples),
    goals: [
      ...shapes.map(({ name, goal }) =>
        atMost(`${name}: ours / wrk`, costRatio(samples, name, peerOf(name)), goal, ' ×'),
      ),
      booksClose(samples),
    ],
  };
}

/** Ratio of CPU per request of two subjects, where both were measured; else null. */
export function costRatio(samples, name, to) {
  const [a, b] = [samples.get(name), samples.get(to)];
  return a === undefined || b === undefined ? null : pairedRatio(a, b, 'cpuPerRequest');
}

/** What ours said at the end of each run. */
export function booksIn(samples) {
  return samples.filter(({ uncounted }) => uncounted !== undefined);
}

/** Every run of ours: nothing failed, and the target counted exactly what the engine did. */
export function booksClose(samples) {
  const ours = booksIn([...samples.values()].flat());
  const off = ours.reduce((sum, { uncounted, failed }) => sum + Math.abs(uncounted) + failed, 0);
  return {
    what: 'requests lost, failed or counted wrongly',
    goal: '= 0',
    measured: String(off),
    met: off === 0,
  };
}
