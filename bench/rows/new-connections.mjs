import { closedJob, openJob, targetOf } from '../jobs.mjs';
import {
  compareLoad,
  compareRuns,
  costGoal,
  engineSubject,
  loadResult,
  peerSubjects,
} from '../load-comparison.mjs';

const CONNECTIONS = 64;
const PER_SECOND = 5000;
/** Duration relative to wrk, so that the start is distributed over a similar number of requests. */
const OPEN_DURATION_FACTOR = 4;

const wrkFor = (bench) =>
  peerSubjects(bench, ['wrk'], { ...workOf(bench), options: ['-H', 'Connection: close'] });
const workOf = ({ target }) => ({ url: target.url(), connections: CONNECTIONS });

/**
 * The other programs ask the target to close after each response; the engine requests a path after which the
 * target closes.
 */
export const newConnections = {
  name: 'new-connections',
  title: `GET with a new connection for each request, ${CONNECTIONS} concurrent connections`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const closed = closedJob([targetOf(bench.target.port, '/closing')], { connections: CONNECTIONS });
    const samples = await compareLoad(bench, [
      ...wrkFor(bench),
      engineSubject(bench, closed),
      ...peerSubjects(bench, ['ab', 'hey'], { ...workOf(bench), keepAlive: false }),
    ]);
    return loadResult(samples, [costGoal(samples, ['loadtests', 'wrk'], 1.5)]);
  },
};

/**
 * The load of an open model: clients that start at a rate. wrk runs at full speed, so only wrk never waits
 * for an event.
 */
export const newClients = {
  name: 'new-clients',
  title: `A new connection for each request, ${PER_SECOND} clients per second, compared with wrk at full speed`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const seconds = bench.seconds * OPEN_DURATION_FACTOR;
    const open = openJob([targetOf(bench.target.port)], { perSecond: PER_SECOND, seconds });
    const samples = await compareRuns(bench, [...wrkFor(bench), { ...engineSubject(bench, open), seconds }]);
    return loadResult(samples, [costGoal(samples, ['loadtests', 'wrk'], 1.5)]);
  },
};
