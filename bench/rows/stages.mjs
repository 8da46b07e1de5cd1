import { atMost, equal } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import { booksClose, compareLoad, costRatio, ourSubject } from '../load.mjs';
import { medianOf, pairedRatio } from '../pairs.mjs';

const CONNECTIONS = 64;
const PER_SECOND = 2000;
const MOST = 1.02;

/** Each as a job without stages; `before`: what a stage adds to the clients that are due, see src/core/load/ramps.ts. */
const LOADS = {
  connections: {
    level: CONNECTIONS,
    job: (targets, seconds) => closedJob(targets, { connections: CONNECTIONS, seconds }),
    before: () => CONNECTIONS,
  },
  rate: {
    level: PER_SECOND,
    job: (targets, seconds) => openJob(targets, { perSecond: PER_SECOND, seconds }),
    before: (second) => PER_SECOND * second,
  },
};

/** What is made of a load, and what it may cost. */
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
    const samples = await compareLoad(
      bench,
      Object.entries(LOADS).flatMap(([plain, load]) => {
        const job = load.job([targetOf(target.port)], seconds);
        const varied = Object.entries(VARIANTS).map(([variant, change]) =>
          ourSubject(bench, change(job, load, seconds), `${plain}, ${variant}`),
        );
        return [ourSubject(bench, job, plain), ...varied];
      }),
    );
    const rows = pairs.map(({ name, plain }) => ({
      name,
      'without, µs/request': medianOf(samples.get(plain), 'cpuPerRequest'),
      'with, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
      '×': costRatio(samples, name, plain),
      'warm ×': pairedRatio(samples.get(name), samples.get(plain), 'warmPerRequest'),
    }));
    const requestsOf = (name) => samples.get(name).reduce((sum, { requests }) => sum + requests, 0);
    return {
      rows,
      samples: Object.fromEntries(samples),
      goals: [
        ...pairs.map(({ name, plain, variant }) =>
          atMost(`${plain}: ${variant} / none`, costRatio(samples, name, plain), MOST, ' ×'),
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

function inStages(job, { level, before }, seconds) {
  const ramps = Array.from({ length: seconds }, (_, second) => ({
    ...{ start: second * 1000, lasts: 1000, from: level, to: level },
    before: before(second),
  }));
  return { ...job, initial: level, ramps };
}
