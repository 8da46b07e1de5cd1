import { closedJob, targetOf } from '../jobs.mjs';
import {
  baselineSubject,
  compareLoad,
  costGoal,
  engineSubject,
  loadResult,
  peerSubjects,
} from '../load-comparison.mjs';

const CONNECTIONS = 64;

export const tls = {
  name: 'tls',
  title: `GET over TLS 1.3 (AES-128-GCM), ${CONNECTIONS} persistent connections`,
  needs: ['nginx', 'openssl', 'wrk'],
  async run(bench) {
    const { target } = bench;
    const [wrk, ...others] = peerSubjects(bench, ['wrk', 'h2load', 'autocannon', 'hey'], {
      url: target.secureUrl(),
      connections: CONNECTIONS,
    });
    const get = targetOf(target.securePort, '/', { secure: true });
    const engine = engineSubject(bench, closedJob([get], { connections: CONNECTIONS }));
    const bare = baselineSubject(bench, { path: '/', connections: CONNECTIONS, secure: true });
    const samples = await compareLoad(bench, [wrk, engine, bare, ...others]);
    return loadResult(samples, [costGoal(samples, ['loadtests', 'wrk'], 1.15)]);
  },
};
