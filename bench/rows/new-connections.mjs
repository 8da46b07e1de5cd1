import { atMost } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import {
  booksClose,
  compareLoad,
  compareRuns,
  costRatio,
  loadTable,
  ourSubject,
  peerSubjects,
} from '../load-comparison.mjs';

const CONNECTIONS = 64;
const PER_SECOND = 5000;
/** Of wrk's time, so that starting is spread over as many requests as its own. */
const OPEN_LASTS = 4;

const wrkFor = (bench) =>
  peerSubjects(bench, ['wrk'], { ...workOf(bench), options: ['-H', 'Connection: close'] });
const workOf = ({ target }) => ({ url: target.url(), connections: CONNECTIONS });

/** The peers ask the target to close after each answer, and ours asks one that closes by itself. */
export const newConnections = {
  name: 'new-connections',
  title: `GET with a new connection for each request, ${CONNECTIONS} at once`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const closed = closedJob([targetOf(bench.target.port, '/closing')], { connections: CONNECTIONS });
    const samples = await compareLoad(bench, [
      ...wrkFor(bench),
      ourSubject(bench, closed),
      ...peerSubjects(bench, ['ab', 'hey'], { ...workOf(bench), keepAlive: false }),
    ]);
    return {
      ...loadTable(samples),
      goals: [atMost('ours / wrk', costRatio(samples, 'ours', 'wrk'), 1.5, ' ×'), booksClose(samples)],
    };
  },
};

/** As users have it: clients that start at a rate. wrk goes as fast as it can, so that only it never has to wake up. */
export const newClients = {
  name: 'new-clients',
  title: `A new connection for each request, ${PER_SECOND} clients a second, beside wrk at full speed`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const seconds = bench.seconds * OPEN_LASTS;
    const open = openJob([targetOf(bench.target.port)], { perSecond: PER_SECOND, seconds });
    const samples = await compareRuns(bench, [...wrkFor(bench), { ...ourSubject(bench, open), seconds }]);
    return {
      ...loadTable(samples),
      goals: [atMost('ours / wrk', costRatio(samples, 'ours', 'wrk'), 1.5, ' ×'), booksClose(samples)],
    };
  },
};
