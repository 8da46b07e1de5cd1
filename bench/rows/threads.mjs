import { openCpuGroup } from '../cpu-group.mjs';
import { atLeast, atMost } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import {
  booksClose,
  compareLoad,
  compareRuns,
  costRatio,
  loadTable,
  ourSubject,
  peerSubjects,
  reportOf,
} from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { median, medianOf, pairedRatio } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const QUOTAS = [0.5, 1, 1.5, 2];
/** Ten of the kernel's periods, in each of which a group gets its quota. */
const QUOTA_SLICE_MS = 1000;
/** A load that asks next to nothing: what its seconds do not take is the start. */
const SMALL = 10;
const [SHORT, LONGER] = [1, 3];
const SPARE_SECONDS = 30;

/** Nobody is pinned: the number of threads is the one that a user gets. */
const FREE = { core: null };

export const threads = {
  name: 'threads',
  title: `GET on ${CONNECTIONS} kept connections, not pinned, threads as chosen, beside wrk with as many`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { samples, count } = await besideWrk(bench, (command) => command);
    return {
      ...loadTable(samples),
      goals: [...goalsOf(samples, `${count} of each`), booksClose(samples)],
    };
  },
};

export const quota = {
  name: 'quota',
  title: 'The same, with a quota of CPU time',
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
        goals.push(booksClose(measured.samples));
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
    [...peerSubjects(bench, ['wrk'], work).map(subject), subject(ourSubject(bench, job))],
    sliceMs,
  );
  return { samples, count };
}

function goalsOf(samples, what) {
  const more = pairedRatio(samples.get('ours'), samples.get('wrk'), 'perSecond');
  return [
    atMost(`ours / wrk (threads: ${what}), CPU per request`, costRatio(samples, 'ours', 'wrk'), 1.25, ' ×'),
    atLeast(`ours / wrk (threads: ${what}), throughput`, more, 0.95, ' ×'),
  ];
}

async function threadsOf(command) {
  return reportOf(await measure(command, { ...FREE, limit: SPARE_SECONDS })).generator.threads;
}

/** From next to nothing to as much as goes. What is chosen is compared with fixed numbers of threads. */
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
  title: `Threads as chosen, beside ${FIXED.join(', ')} threads: from 10 clients a second to full speed`,
  needs: ['nginx'],
  async run(bench) {
    const { target, seconds } = bench;
    const [rows, goals, samples] = [[], [], {}];
    for (const [name, jobFor] of LOADS) {
      const job = jobFor([targetOf(target.port)], seconds);
      const subjects = [null, ...FIXED].map((count) => ({
        ...ourSubject(bench, { ...job, threads: count }, count === null ? 'chosen' : `${count} fixed`),
        ...FREE,
      }));
      const measured = await compareRuns(bench, subjects);
      const table = loadTable(measured);
      rows.push(...table.rows.map((row) => ({ ...row, name: `${name}, ${row.name}` })));
      goals.push(...goalsBeside(measured, name), booksClose(measured));
      samples[name] = table.samples;
    }
    const started = await smallStarts(bench);
    goals.push(atMost('start of a small load, CPU', median(started), 150, ' ms'));
    return { rows, goals, samples: { ...samples, started } };
  },
};

/** Beside the best of the fixed ones: by what a request costs, and by how many there were. */
function goalsBeside(samples, name) {
  const chosen = samples.get('chosen');
  const others = [...samples.values()].filter((list) => list !== chosen);
  const by = (figure, better) =>
    others.reduce((best, list) => (better(medianOf(list, figure), medianOf(best, figure)) ? list : best));
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

/** CPU of a run of no seconds, in ms: that of a short one, less what each of its seconds takes, as a longer one tells. */
async function smallStarts(bench) {
  const cost = async (seconds) => {
    const job = openJob([targetOf(bench.target.port)], { perSecond: SMALL, seconds });
    const how = { ...FREE, limit: seconds + SPARE_SECONDS };
    return (await measure(bench.engineCommand({ ...job, threads: null }), how)).cpuMs;
  };
  const took = [];
  for (let round = 0; round < bench.rounds; round++) {
    const [short, longer] = [await cost(SHORT), await cost(LONGER)];
    const start = short - (SHORT * (longer - short)) / (LONGER - SHORT);
    bench.say(
      `a small load starts in ${start.toFixed(0)} ms, and takes ${short.toFixed(0)} ms in ${SHORT} s`,
    );
    took.push(start);
  }
  return took;
}
