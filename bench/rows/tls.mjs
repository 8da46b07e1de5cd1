import { atMost } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import {
  bareSubject,
  booksClose,
  compareLoad,
  costRatio,
  loadTable,
  ourSubject,
  peerSubjects,
} from '../load-comparison.mjs';

const CONNECTIONS = 64;

export const tls = {
  name: 'tls',
  title: `GET over TLS 1.3 (AES-128-GCM), ${CONNECTIONS} kept connections`,
  needs: ['nginx', 'openssl', 'wrk'],
  async run(bench) {
    const { target } = bench;
    const [wrk, ...others] = peerSubjects(bench, ['wrk', 'h2load', 'autocannon', 'hey'], {
      url: target.secureUrl(),
      connections: CONNECTIONS,
    });
    const get = targetOf(target.securePort, '/', { secure: true });
    const ours = ourSubject(bench, closedJob([get], { connections: CONNECTIONS }));
    const bare = bareSubject(bench, { path: '/', connections: CONNECTIONS, secure: true });
    const samples = await compareLoad(bench, [wrk, ours, bare, ...others]);
    return {
      ...loadTable(samples),
      goals: [atMost('ours / wrk', costRatio(samples, 'ours', 'wrk'), 1.15, ' ×'), booksClose(samples)],
    };
  },
};
