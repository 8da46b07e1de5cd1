/** Rows that compare generators of load by what a request costs them, as the target counts requests. */
import { fileURLToPath } from 'node:url';
import { atMost } from './goals.mjs';
import { answered, closedJob, targetOf } from './jobs.mjs';
import { measure } from './measure.mjs';
import { COMMANDS } from './peers.mjs';
import { alternate, medianOf, pairedRatio } from './pairs.mjs';

const BARE_SOCKETS = fileURLToPath(new URL('bare-sockets.mjs', import.meta.url));

/** Beyond the seconds of load itself: start, end, and a machine that is busy with something else. */
const SPARE_SECONDS = 30;
/** What a request costs once programs are started, connections open and code compiled is told apart. */
const WARM_AFTER_MS = 1000;

/** The peers of a list that this machine has, called for the same work; those it has not are told of elsewhere. */
export function peerSubjects(bench, names, work) {
  return names
    .filter((name) => bench.programs[name] !== undefined)
    .map((name) => ({
      name,
      command: [...bench.programs[name].command, ...COMMANDS[name]({ seconds: bench.seconds, ...work })],
      seconds: bench.seconds,
    }));
}

export function ourSubject(bench, job, name = 'ours') {
  return { name, command: bench.engineCommand(job), seconds: job.duration / 1000, ours: true };
}

/** A floor for whoever uses Node's public API. */
export function bareSubject(
  { target, seconds },
  { path, connections, secure = false },
  name = 'bare sockets',
) {
  const port = secure ? target.securePort : target.port;
  return {
    name,
    command: [
      process.execPath,
      BARE_SOCKETS,
      ...[port, path, connections, seconds].map(String),
      secure ? 'tls' : 'plain',
    ],
    seconds,
  };
}

/** Samples of all subjects, in pairs; a subject may say which `core` it is pinned to, null for any. `memory`: whether to watch its peak. */
export async function compareLoad(bench, subjects, { memory = false } = {}) {
  return await alternate(
    bench.rounds,
    subjects.map((subject) => ({
      name: subject.name,
      sample: async () => {
        const sample = await sampleLoad(bench, subject, memory);
        bench.say(`${subject.name} ${sample.cpuPerRequest.toFixed(2)} µs`);
        return sample;
      },
    })),
  );
}

async function sampleLoad(bench, subject, memory) {
  const { name, seconds, core = bench.clientCore, ours = false } = subject;
  const before = await bench.target.requests();
  const cost = await measure(subject.command, {
    core,
    limit: seconds + SPARE_SECONDS,
    memory,
    mark: { afterMs: WARM_AFTER_MS, count: bench.target.requests },
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
    warmPerRequest: warmCost(cost, after),
    ...(memory ? { peakMemory: cost.peakMemory } : {}),
    ...(ours ? booksOf(reportOf(cost), requests) : {}),
  };
}

/** Null when too little came after the mark. */
function warmCost({ cpuMs, marked }, after) {
  if (marked === null || after <= marked.count) return null;
  return ((cpuMs - marked.cpuMs) * 1000) / (after - marked.count);
}

/** Errors: for a command that failed, with what it said. */
export function reportOf(cost) {
  if (cost.exitCode !== 0) throw new Error(`the engine ended with ${cost.exitCode}: ${lastLines(cost)}`);
  return JSON.parse(cost.stdout.trim().split('\n').at(-1));
}

/** What the engine says of itself, beside what the target counted. */
function booksOf({ total, warmup, peakConnections, beforeLoadMs }, requests) {
  const ledgers = [total.ledger, ...(warmup === null ? [] : [warmup.ledger])];
  const sumOf = (count) => ledgers.reduce((sum, ledger) => sum + count(ledger), 0);
  const answers = sumOf((ledger) => answered({ ledger }));
  return {
    uncounted: requests - answers,
    failed: sumOf(({ started }) => started) - answers,
    bytesPerRequest: (total.bytesSent + total.bytesReceived) / requests,
    peakConnections,
    /** CPU that starting Node and loading the engine took, which is part of the cost above. */
    beforeLoadMs,
  };
}

function lastLines({ stdout, stderr }) {
  return `${stdout}\n${stderr}`.trim().split('\n').slice(-5).join(' | ');
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
    ...warmColumns(list, samples.get(baseline), baseline),
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
  const { target, seconds } = bench;
  const peerOf = (name) => `wrk, ${name}`;
  const bareOf = (name) => `bare sockets, ${name}`;
  const samples = await compareLoad(
    bench,
    shapes.flatMap(({ name, path, connections }) => [
      ...peerSubjects(bench, ['wrk'], { url: target.url(path), connections }).map((peer) => ({
        ...peer,
        name: peerOf(name),
      })),
      ourSubject(bench, closedJob([targetOf(target.port, path)], { connections, seconds }), name),
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
    ...warmColumns(samples.get(name), samples.get(peerOf(name)), 'wrk'),
    'bare sockets, warm × wrk': pairedRatio(
      samples.get(bareOf(name)),
      samples.get(peerOf(name)),
      'warmPerRequest',
    ),
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

function warmColumns(list, baseline, name) {
  if ([...list, ...baseline].some(({ warmPerRequest }) => warmPerRequest === null)) return {};
  return {
    'warm µs': medianOf(list, 'warmPerRequest'),
    [`warm × ${name}`]: pairedRatio(list, baseline, 'warmPerRequest'),
  };
}

/** Ratio of CPU per request of two subjects, where both were measured; else null. */
export function costRatio(samples, name, to) {
  const [a, b] = [samples.get(name), samples.get(to)];
  return a === undefined || b === undefined ? null : pairedRatio(a, b, 'cpuPerRequest');
}

/** Every sample of ours: nothing failed, and the target counted exactly what the engine did. */
export function booksClose(samples) {
  const ours = [...samples.values()].flat().filter((sample) => sample.uncounted !== undefined);
  const off = ours.reduce((sum, { uncounted, failed }) => sum + Math.abs(uncounted) + failed, 0);
  return {
    what: 'requests lost, failed or counted wrongly',
    goal: '= 0',
    measured: String(off),
    met: off === 0,
  };
}
