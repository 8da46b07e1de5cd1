import { openCpuGroup } from '../cpu-group.mjs';
import { atLeast, atMost } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import {
  compareLoad,
  compareRuns,
  costGoal,
  countsMatch,
  engineSubject,
  loadResult,
  loadTable,
  peerSubjects,
  reportOf,
} from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { median, medianOf, pairedRatio } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const QUOTAS = [0.5, 1, 1.5, 2];
/** Ten periods of the kernel; a group receives its quota in each. */
const QUOTA_SLICE_MS = 1000;
/** A minimal load, in clients per second: most of the CPU time of a short run is its start. */
const SMALL = 10;
const [SHORT, LONGER] = [1, 3];
const SPARE_SECONDS = 30;

/** Not pinned to a core, so that the engine chooses the same number of threads as for a user. */
const FREE = { core: null };

export const threads = {
  name: 'threads',
  title: `GET on ${CONNECTIONS} persistent connections, not pinned, with the chosen number of threads, compared with wrk with the same number`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { samples, count } = await besideWrk(bench, (command) => command);
    return loadResult(samples, goalsOf(samples, `${count} of each`));
  },
};

export const quota = {
  name: 'quota',
  title: 'The same, with a CPU quota',
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const [rows, goals, samples] = [[], [], {}];
    for (const cores of QUOTAS) {
      const group = openCpuGroup(cores);
      if (typeof group === 'string') return { skipped: group };
      try {
        const measured = await besideWrk(bench, group.within, QUOTA_SLICE_MS);
        const table = loadTable(measured.samples);
        rows.push(...table.rows.map((row) => ({ ...row, name: `${row.name}, ${cores} cores` })));
        goals.push(...goalsOf(measured.samples, `${cores} cores, ${measured.count} of each`));
        goals.push(countsMatch(measured.samples));
        samples[cores] = table.samples;
      } finally {
        await group.close();
      }
    }
    return { rows, goals, samples };
  },
};

async function besideWrk(bench, within, sliceMs) {
  const { target } = bench;
  const job = { ...closedJob([targetOf(target.port)], { connections: CONNECTIONS }), threads: null };
  const subject = (one) => ({ ...one, ...FREE, commandFor: (seconds) => within(one.commandFor(seconds)) });
  const count = await threadsOf(within(bench.engineCommand(job)));
  const work = { url: target.url(), connections: CONNECTIONS, threads: count };
  const samples = await compareLoad(
    bench,
    [...peerSubjects(bench, ['wrk'], work).map(subject), subject(engineSubject(bench, job))],
    sliceMs,
  );
  return { samples, count };
}

function goalsOf(samples, what) {
  const more = pairedRatio(samples.get('loadtests'), samples.get('wrk'), 'perSecond');
  return [
    costGoal(samples, ['loadtests', 'wrk'], 1.25, `loadtests / wrk (threads: ${what}), CPU per request`),
    atLeast(`loadtests / wrk (threads: ${what}), throughput`, more, 0.95, ' ×'),
  ];
}

async function threadsOf(command) {
  return reportOf(await measure(command, { ...FREE, limit: SPARE_SECONDS })).generator.threads;
}

/**
 * Loads from almost idle to full speed, for which the chosen number of threads is compared with fixed
 * numbers.
 */
const LOADS = [
  ['10/s', (targets, seconds) => openJob(targets, { perSecond: 10, seconds })],
  ['100/s', (targets, seconds) => openJob(targets, { perSecond: 100, seconds })],
  ['1,000/s', (targets, seconds) => openJob(targets, { perSecond: 1000, seconds })],
  ['4,000/s', (targets, seconds) => openJob(targets, { perSecond: 4000, seconds })],
  ['full, 64', (targets, seconds) => closedJob(targets, { connections: 64, seconds })],
  ['full, 512', (targets, seconds) => closedJob(targets, { connections: 512, seconds })],
];
const FIXED = [1, 2, 4];

export const loads = {
  name: 'loads',
  title: `The chosen number of threads, compared with ${FIXED.join(', ')} threads: from 10 clients per second to full speed`,
  needs: ['nginx'],
  async run(bench) {
    const { target, seconds } = bench;
    const [rows, goals, samples] = [[], [], {}];
    for (const [name, jobFor] of LOADS) {
      const job = jobFor([targetOf(target.port)], seconds);
      const subjects = [null, ...FIXED].map((count) => ({
        ...engineSubject(bench, { ...job, threads: count }, count === null ? 'chosen' : `${count} fixed`),
        ...FREE,
      }));
      const measured = await compareRuns(bench, subjects);
      const table = loadTable(measured);
      rows.push(...table.rows.map((row) => ({ ...row, name: `${name}, ${row.name}` })));
      goals.push(...goalsBeside(measured, name), countsMatch(measured));
      samples[name] = table.samples;
    }
    const started = await smallStarts(bench);
    goals.push(atMost('start of a small load, CPU', median(started), 150, ' ms'));
    return { rows, goals, samples: { ...samples, started } };
  },
};

/**
 * Returns goals for the chosen number of threads, compared with the best fixed number by CPU per request and
 * by throughput.
 */
function goalsBeside(samples, name) {
  const chosen = samples.get('chosen');
  const others = [...samples.values()].filter((list) => list !== chosen);
  const by = (metric, better) =>
    others.reduce((best, list) => (better(medianOf(list, metric), medianOf(best, metric)) ? list : best));
  const cheapest = by('cpuPerRequest', (a, b) => a < b);
  const fastest = by('perSecond', (a, b) => a > b);
  return [
    atMost(
      `${name}: chosen / cheapest, CPU per request`,
      pairedRatio(chosen, cheapest, 'cpuPerRequest'),
      1.25,
      ' ×',
    ),
    atLeast(`${name}: chosen / fastest, throughput`, pairedRatio(chosen, fastest, 'perSecond'), 0.95, ' ×'),
  ];
}

/**
 * Returns the CPU time of the start of a run, in ms: the time of a short run minus the time of its seconds,
 * which is known from a longer run.
 */
async function smallStarts(bench) {
  const cost = async (seconds) => {
    const job = openJob([targetOf(bench.target.port)], { perSecond: SMALL, seconds });
    const options = { ...FREE, limit: seconds + SPARE_SECONDS };
    return (await measure(bench.engineCommand({ ...job, threads: null }), options)).cpuMs;
  };
  const starts = [];
  for (let round = 0; round < bench.rounds; round++) {
    const [short, longer] = [await cost(SHORT), await cost(LONGER)];
    const start = short - (SHORT * (longer - short)) / (LONGER - SHORT);
    bench.log(
      `start of a small load: ${start.toFixed(0)} ms; whole run of ${SHORT} s: ${short.toFixed(0)} ms`,
    );
    starts.push(start);
  }
  return starts;
}
