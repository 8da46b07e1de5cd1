/**
 * Comparison of load generators by their CPU time per request, with the target counting the requests.
 *
 * A subject is `{ name, commandFor, core?, isEngine? }`. `commandFor` returns its command for a number of
 * seconds of load. `core` is the core that it is pinned to: null for any, and the client core by default.
 */
import { fileURLToPath } from 'node:url';
import { atMost } from './goals.mjs';
import { countResponses, closedJob, targetOf } from './jobs.mjs';
import { lastLines, measure } from './measure-command.mjs';
import { COMMANDS } from './compared-programs.mjs';
import { alternate, medianOf, pairedRatio } from './paired-runs.mjs';
import { runInSlices } from './interleaved-runs.mjs';

const BASELINE_SOCKETS = fileURLToPath(new URL('baseline-sockets.mjs', import.meta.url));

/**
 * Long compared with pausing and resuming a program, and short compared with changes in the speed of the
 * machine.
 */
const SLICE_MS = 200;
/** Time for start and end, and for delays on a busy machine, in addition to the load itself. */
const SPARE_SECONDS = 30;

/**
 * Returns the installed programs of a list as subjects with the same work. The benchmark reports missing
 * programs at its start.
 */
export function peerSubjects(bench, names, work) {
  return names
    .filter((name) => bench.programs[name] !== undefined)
    .map((name) => ({
      name,
      commandFor: (seconds) => [...bench.programs[name].command, ...COMMANDS[name]({ seconds, ...work })],
    }));
}

/** @param options - options of the engine command: see `createEngineCommand` */
export function engineSubject(bench, job, name = 'loadtests', options = {}) {
  return {
    name,
    commandFor: (seconds) => {
      const duration = seconds * 1000;
      // In slices, the requests in flight wait while the program is paused. If the pause exceeded the timeout, because
      // the machine stalled, they would count as timeouts, although the target responded.
      return bench.engineCommand({ ...job, duration, timeout: Math.max(job.timeout, duration) }, options);
    },
    isEngine: true,
  };
}

/** Returns the baseline for clients that use the public API of Node.js. */
export function baselineSubject({ target }, { path, connections, secure = false }, name = 'bare sockets') {
  const port = secure ? target.securePort : target.port;
  const kind = secure ? 'tls' : 'plain';
  return {
    name,
    commandFor: (seconds) => [
      process.execPath,
      BASELINE_SOCKETS,
      ...[port, path, connections, seconds, kind].map(String),
    ],
  };
}

/**
 * Compares closed-model loads in slices: see `interleaved-runs.mjs`.
 *
 * @returns A map from name to samples, one for each slice. Samples with the same index were measured one
 * after another. The last sample of each round of the engine contains its counts.
 */
export async function compareLoad(bench, subjects, sliceMs = SLICE_MS) {
  const samples = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < bench.rounds; round++) {
    const results = await runInSlices(bench, subjects, sliceMs);
    for (const { name, isEngine = false } of subjects) {
      const { slices, requests, stdout } = results.get(name);
      const sliceSamples = slices.map(sampleOf);
      bench.log(`${name} ${medianOf(sliceSamples, 'cpuPerRequest').toFixed(2)} µs`);
      if (isEngine) Object.assign(sliceSamples.at(-1), compareCounts(JSON.parse(stdout), requests));
      samples.get(name).push(...sliceSamples);
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

/**
 * Compares whole runs, one after another, for loads that cannot be paused.
 *
 * @param options - `memory`: true to measure the peak memory.
 */
export async function compareRuns(bench, subjects, { memory = false } = {}) {
  return await alternate(
    bench.rounds,
    subjects.map((subject) => ({
      name: subject.name,
      sample: async () => {
        const sample = await sampleRun(bench, subject, memory);
        bench.log(`${subject.name} ${sample.cpuPerRequest.toFixed(2)} µs`);
        return sample;
      },
    })),
  );
}

async function sampleRun(
  bench,
  { name, commandFor, core = bench.clientCore, isEngine = false, seconds = bench.seconds },
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
    throw new Error(
      `${name} sent ${requests} requests and exited with code ${cost.exitCode}: ${lastLines(cost)}`,
    );
  }
  return {
    requests,
    perSecond: requests / seconds,
    cpuPerRequest: (cost.cpuMs * 1000) / requests,
    userPerRequest: (cost.userMs * 1000) / requests,
    systemPerRequest: (cost.systemMs * 1000) / requests,
    ...(memory ? { peakMemory: cost.peakMemory } : {}),
    ...(isEngine ? compareCounts(reportOf(cost), requests) : {}),
  };
}

/**
 * Returns the report of an engine run.
 *
 * @throws Error with the last lines of the output if the command failed.
 */
export function reportOf(cost) {
  if (cost.exitCode !== 0)
    throw new Error(`the engine exited with code ${cost.exitCode}: ${lastLines(cost)}`);
  return JSON.parse(cost.stdout.trim().split('\n').at(-1));
}

/**
 * Compares the counts of the engine with the count of the target. A request without a response may have reached the
 * target or not: it is `failed`, and never `uncounted`.
 */
function compareCounts({ total, warmup, peakConnections }, requests) {
  const ledgers = [total.ledger, ...(warmup === null ? [] : [warmup.ledger])];
  const sumOf = (count) => ledgers.reduce((sum, ledger) => sum + count(ledger), 0);
  const responses = sumOf((ledger) => countResponses({ ledger }));
  const started = sumOf((ledger) => ledger.started);
  return {
    uncounted: requests - Math.min(Math.max(requests, responses), started),
    failed: started - responses,
    peakConnections,
  };
}

/** Returns the result of a row: its table, its goals, and the goal for the counts of the engine. */
export function loadResult(samples, goals, options) {
  return { ...loadTable(samples, options), goals: [...goals, countsMatch(samples)] };
}

/** Returns the goal for the CPU time per request of a subject, compared with another one. */
export function costGoal(samples, [name, to], max, what = `${name} / ${to}`) {
  return atMost(what, costRatio(samples, name, to), max, ' ×');
}

/** Returns the table of a row: medians, and the cost of each subject relative to the first. */
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
 * Compares the engine with wrk and the baseline for several kinds of requests.
 *
 * @param shapes - `{ name, path, connections, goal }`: the path of the target to GET, and the maximum cost
 * relative to wrk.
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
      engineSubject(bench, closedJob([targetOf(target.port, path)], { connections }), name),
      baselineSubject(bench, { path, connections }, bareOf(name)),
    ]),
  );
  const rows = shapes.map(({ name }) => ({
    name,
    requestsPerSecond: Math.round(medianOf(samples.get(name), 'perSecond')),
    'wrk, µs/request': medianOf(samples.get(peerOf(name)), 'cpuPerRequest'),
    'loadtests, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
    'bare sockets': medianOf(samples.get(bareOf(name)), 'cpuPerRequest'),
    '× wrk': costRatio(samples, name, peerOf(name)),
    'bare sockets × wrk': costRatio(samples, bareOf(name), peerOf(name)),
  }));
  return {
    rows,
    samples: Object.fromEntries(samples),
    goals: [
      ...shapes.map(({ name, goal }) =>
        costGoal(samples, [name, peerOf(name)], goal, `${name}: loadtests / wrk`),
      ),
      countsMatch(samples),
    ],
  };
}

/** Returns the ratio of the CPU time per request of two subjects; null if one of them was not measured. */
export function costRatio(samples, name, to) {
  const [a, b] = [samples.get(name), samples.get(to)];
  return a === undefined || b === undefined ? null : pairedRatio(a, b, 'cpuPerRequest');
}

/** Returns the samples that contain the counts of a run of the engine. */
function samplesWithCounts(samples) {
  return samples.filter(({ uncounted }) => uncounted !== undefined);
}

/** Goal for all runs of the engine: no request failed, and the target counted the same number of requests. */
export function countsMatch(samples) {
  const counted = samplesWithCounts([...samples.values()].flat());
  const sumOf = (count) => counted.reduce((sum, sample) => sum + count(sample), 0);
  const wrong = sumOf(({ uncounted }) => Math.abs(uncounted));
  const failed = sumOf((sample) => sample.failed);
  return {
    what: 'requests counted wrongly, requests without a response',
    goal: '= 0, 0',
    measured: `${wrong}, ${failed}`,
    met: wrong + failed === 0,
  };
}
