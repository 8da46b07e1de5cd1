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

export const stages = {
  name: 'stages',
  title: `A stage for each second, beside the same load without stages: ${CONNECTIONS} connections, ${PER_SECOND} clients a second`,
  needs: ['nginx'],
  async run(bench) {
    const { target, seconds } = bench;
    const names = Object.keys(LOADS);
    const twin = (name) => `${name}, no stages`;
    const samples = await compareLoad(
      bench,
      Object.entries(LOADS).flatMap(([name, load]) => {
        const job = load.job([targetOf(target.port)], seconds);
        return [ourSubject(bench, job, twin(name)), ourSubject(bench, inStages(job, load, seconds), name)];
      }),
    );
    const rows = names.map((name) => ({
      name,
      'no stages, µs/request': medianOf(samples.get(twin(name)), 'cpuPerRequest'),
      'stages, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
      '×': costRatio(samples, name, twin(name)),
      'warm ×': pairedRatio(samples.get(name), samples.get(twin(name)), 'warmPerRequest'),
    }));
    const requestsOf = (name) => samples.get(name).reduce((sum, { requests }) => sum + requests, 0);
    return {
      rows,
      samples: Object.fromEntries(samples),
      goals: [
        ...names.map((name) =>
          atMost(`${name}: stages / none`, costRatio(samples, name, twin(name)), MOST, ' ×'),
        ),
        equal(
          'rate: requests of stages, less those without',
          requestsOf('rate') - requestsOf(twin('rate')),
          0,
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
