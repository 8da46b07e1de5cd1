import { atMost } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import { booksClose, compareLoad, costRatio, loadTable, ourSubject, peerSubjects } from '../load.mjs';

const CONNECTIONS = 64;
const PER_SECOND = 5000;
/** Of the others' time, so that starting is spread over as many requests as theirs. */
const OPEN_LASTS = 4;

/**
 * The peers ask the target to close after each answer and have as many connections at once as always. Ours does the
 * same where the target closes by itself; and its open model, which is what users have, starts clients at a rate.
 */
export const newConnections = {
  name: 'new-connections',
  title: 'GET with a new connection for each request',
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { target, seconds } = bench;
    const work = { url: target.url(), connections: CONNECTIONS };
    const closed = closedJob([targetOf(target.port, '/closing')], { connections: CONNECTIONS, seconds });
    const open = openJob([targetOf(target.port)], {
      perSecond: PER_SECOND,
      seconds: seconds * OPEN_LASTS,
    });
    const samples = await compareLoad(bench, [
      ...peerSubjects(bench, ['wrk'], { ...work, options: ['-H', 'Connection: close'] }),
      ourSubject(bench, open),
      ourSubject(bench, closed, 'ours, closed model'),
      ...peerSubjects(bench, ['ab', 'hey'], { ...work, keepAlive: false }),
    ]);
    return {
      ...loadTable(samples),
      goals: [
        atMost(`ours (${PER_SECOND}/s) / wrk`, costRatio(samples, 'ours', 'wrk'), 1.5, ' ×'),
        atMost('ours (closed model) / wrk', costRatio(samples, 'ours, closed model', 'wrk'), 1.5, ' ×'),
        booksClose(samples),
      ],
    };
  },
};
