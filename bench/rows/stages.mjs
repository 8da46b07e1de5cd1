import { atMost, equal } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import { countsMatch, compareRuns, costRatio, engineSubject } from '../load-comparison.mjs';
import { medianOf } from '../paired-runs.mjs';
import { measureEngineCost } from '../engine-without-sockets.mjs';

const CONNECTIONS = 64;
const PER_SECOND = 2000;
const MAX_RATIO = 1.02;
/** A rate for the runs without sockets, at which one client more or less hardly changes the result. */
const MANY_PER_SECOND = 20_000;
const OWN_ROUNDS = 12;
const OWN_SECONDS = 3;

/**
 * Jobs without stages. `before` returns the clients that are due before a stage: see src/core/model/ramps.ts.
 */
const LOADS = {
  connections: {
    level: CONNECTIONS,
    job: (targets, seconds) => closedJob(targets, { connections: CONNECTIONS, seconds }),
    before: () => CONNECTIONS,
  },
  rate: rateOf(PER_SECOND),
};

/** The loads of the runs without sockets. */
const OWN_LOADS = { ...LOADS, rate: rateOf(MANY_PER_SECOND) };

function rateOf(perSecond) {
  return {
    level: perSecond,
    job: (targets, seconds) => openJob(targets, { perSecond, seconds }),
    before: (second) => perSecond * second,
  };
}

/** Changes of a load. */
const VARIANTS = {
  stages: inStages,
  'warm-up': (job) => ({ ...job, warmup: 1000 }),
};

export const stages = {
  name: 'stages',
  title: `One stage per second, and one second of warm-up, compared with the same load without: ${CONNECTIONS} connections, ${PER_SECOND} clients per second`,
  needs: ['nginx'],
  async run(bench) {
    const { target, seconds } = bench;
    const pairs = Object.keys(LOADS).flatMap((plain) =>
      Object.keys(VARIANTS).map((variant) => ({ plain, variant, name: `${plain}, ${variant}` })),
    );
    const samples = await compareRuns(
      bench,
      Object.entries(jobsOf(LOADS, target, seconds)).map(([name, job]) => engineSubject(bench, job, name)),
    );
    const engineCost = await measureEngineCost(bench, jobsOf(OWN_LOADS, target, OWN_SECONDS), OWN_ROUNDS);
    // Pairs of whole runs differ by more than the cost to be measured, even on an idle machine.
    const ratioOf = ({ name, plain }) =>
      1 + (engineCost[name] - engineCost[plain]) / 1000 / medianOf(samples.get(plain), 'cpuPerRequest');
    const rows = pairs.map(({ name, plain }) => ({
      name,
      'without, µs/request': medianOf(samples.get(plain), 'cpuPerRequest'),
      'with, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
      'whole runs ×': costRatio(samples, name, plain),
      'own part without, ns': Math.round(engineCost[plain]),
      'own part with, ns': Math.round(engineCost[name]),
    }));
    const requestsOf = (name) => samples.get(name).reduce((sum, { requests }) => sum + requests, 0);
    return {
      rows,
      samples: Object.fromEntries(samples),
      goals: [
        ...pairs.map((pair) =>
          atMost(`${pair.plain}: a request with ${pair.variant} / none`, ratioOf(pair), MAX_RATIO, ' ×'),
        ),
        ...Object.keys(VARIANTS).map((variant) =>
          equal(
            `rate: requests with ${variant} minus requests without`,
            requestsOf(`rate, ${variant}`) - requestsOf('rate'),
            0,
          ),
        ),
        countsMatch(samples),
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
    start: second * 1000,
    duration: 1000,
    from: level,
    to: level,
    before: before(second),
  }));
  return { ...job, initial: level, ramps };
}
