import { atMost, equal } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import { booksClose, compareRuns, costRatio, ourSubject } from '../load-comparison.mjs';
import { medianOf } from '../paired-runs.mjs';
import { ownParts } from '../engine-without-sockets.mjs';

const CONNECTIONS = 64;
const PER_SECOND = 2000;
const MOST = 1.02;
/** Without sockets, where nobody has to keep up: so many that a client more or less hardly counts. */
const MANY_PER_SECOND = 20_000;
const OWN_ROUNDS = 12;
const OWN_SECONDS = 3;

/** Each as a job without stages; `before`: what a stage adds to the clients that are due, see src/core/load/ramps.ts. */
const LOADS = {
  connections: {
    level: CONNECTIONS,
    job: (targets, seconds) => closedJob(targets, { connections: CONNECTIONS, seconds }),
    before: () => CONNECTIONS,
  },
  rate: rateOf(PER_SECOND),
};

/** The same where only the engine's own part is measured. */
const OWN_LOADS = { ...LOADS, rate: rateOf(MANY_PER_SECOND) };

function rateOf(perSecond) {
  return {
    level: perSecond,
    job: (targets, seconds) => openJob(targets, { perSecond, seconds }),
    before: (second) => perSecond * second,
  };
}

/** What is made of a load. */
const VARIANTS = {
  stages: inStages,
  'warm-up': (job) => ({ ...job, warmup: 1000 }),
};

export const stages = {
  name: 'stages',
  title: `A stage for each second, and a second of warm-up, beside the same load without: ${CONNECTIONS} connections, ${PER_SECOND} clients a second`,
  needs: ['nginx'],
  async run(bench) {
    const { target, seconds } = bench;
    const pairs = Object.keys(LOADS).flatMap((plain) =>
      Object.keys(VARIANTS).map((variant) => ({ plain, variant, name: `${plain}, ${variant}` })),
    );
    const samples = await compareRuns(
      bench,
      Object.entries(jobsOf(LOADS, target, seconds)).map(([name, job]) => ourSubject(bench, job, name)),
    );
    const own = await ownParts(bench, jobsOf(OWN_LOADS, target, OWN_SECONDS), OWN_ROUNDS);
    // Pairs of whole runs differ by more than what is looked for, even on a machine that does nothing else.
    const times = ({ name, plain }) =>
      1 + (own[name] - own[plain]) / 1000 / medianOf(samples.get(plain), 'cpuPerRequest');
    const rows = pairs.map(({ name, plain }) => ({
      name,
      'without, µs/request': medianOf(samples.get(plain), 'cpuPerRequest'),
      'with, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
      'whole runs ×': costRatio(samples, name, plain),
      'own part without, ns': Math.round(own[plain]),
      'own part with, ns': Math.round(own[name]),
    }));
    const requestsOf = (name) => samples.get(name).reduce((sum, { requests }) => sum + requests, 0);
    return {
      rows,
      samples: Object.fromEntries(samples),
      goals: [
        ...pairs.map((pair) =>
          atMost(`${pair.plain}: a request with ${pair.variant} / none`, times(pair), MOST, ' ×'),
        ),
        ...Object.keys(VARIANTS).map((variant) =>
          equal(
            `rate: requests with ${variant}, less those without`,
            requestsOf(`rate, ${variant}`) - requestsOf('rate'),
            0,
          ),
        ),
        booksClose(samples),
      ],
    };
  },
};

function jobsOf(loads, target, seconds) {
  return Object.fromEntries(
    Object.entries(loads).flatMap(([plain, load]) => {
      const job = load.job([targetOf(target.port)], seconds);
      const varied = Object.entries(VARIANTS).map(([variant, change]) => [
        `${plain}, ${variant}`,
        change(job, load, seconds),
      ]);
      return [[plain, job], ...varied];
    }),
  );
}

function inStages(job, { level, before }, seconds) {
  const ramps = Array.from({ length: seconds }, (_, second) => ({
    ...{ start: second * 1000, lasts: 1000, from: level, to: level },
    before: before(second),
  }));
  return { ...job, initial: level, ramps };
}
