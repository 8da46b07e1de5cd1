import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import { compareLoad, compareRuns, costGoal, engineSubject, loadResult } from '../load-comparison.mjs';

const CONNECTIONS = 64;
const REQUESTS = 10;
const CLIENTS_PER_SECOND = 500;

const repeated = (target) => Array.from({ length: REQUESTS }, () => target);

export const clientCertificates = {
  name: 'client-certificates',
  title: `GET over TLS 1.3 with a client certificate, compared with none, ${CONNECTIONS} persistent connections`,
  needs: ['nginx', 'openssl'],
  async run(bench) {
    const { target, directory } = bench;
    const text = (name) => readFileSync(join(directory, name), 'utf8');
    const connection = { cert: text('certificate.pem'), key: text('key.pem') };
    const subject = (name, changes) => {
      const get = targetOf(target.securePort, '/', { secure: true, ...changes });
      return engineSubject(bench, closedJob([get], { connections: CONNECTIONS }), name);
    };
    const samples = await compareLoad(bench, [
      subject('without', {}),
      subject('with a certificate', { connection }),
    ]);
    const goal = costGoal(samples, ['with a certificate', 'without'], 1.05, 'with / without');
    return loadResult(samples, [goal]);
  },
};

export const groups = {
  name: 'groups',
  title: `A repeated request, compared with ${REQUESTS} listed ones, ${CONNECTIONS} persistent connections`,
  needs: ['nginx'],
  async run(bench) {
    const get = targetOf(bench.target.port);
    const subject = (name, targets, loops) => {
      const job = closedJob(targets, { connections: CONNECTIONS });
      return engineSubject(bench, { ...job, groups: loops }, name);
    };
    const samples = await compareLoad(bench, [
      subject('listed', repeated(get), null),
      subject('repeated', [get], [{ first: 0, count: 1, repeat: REQUESTS }]),
    ]);
    return loadResult(samples, [costGoal(samples, ['repeated', 'listed'], 1.05)]);
  },
};

/** Thresholds that the target meets, so that no run ends early. */
const ABORT_RULES = [
  { metric: 'p95', limit: '< 60s', after: 0 },
  { metric: 'p99.9', limit: '< 60s', after: 0, url: 0 },
  { metric: 'error_rate', limit: '< 50%', after: 0 },
];

export const abortRules = {
  name: 'abort-rules',
  title: `Thresholds with abort_after, compared with none, ${CONNECTIONS} persistent connections`,
  needs: ['nginx'],
  async run(bench) {
    const job = closedJob([targetOf(bench.target.port)], { connections: CONNECTIONS });
    const samples = await compareLoad(bench, [
      engineSubject(bench, job, 'without'),
      engineSubject(bench, job, 'with abort_after', { abortRules: ABORT_RULES }),
    ]);
    const goal = costGoal(samples, ['with abort_after', 'without'], 1.02, 'with / without');
    return loadResult(samples, [goal]);
  },
};

export const sharedConnections = {
  name: 'shared-connections',
  title: `${CLIENTS_PER_SECOND} clients per second with ${REQUESTS} requests each: ${CONNECTIONS} shared connections, compared with own ones`,
  needs: ['nginx'],
  async run(bench) {
    const targets = repeated(targetOf(bench.target.port));
    const job = openJob(targets, { perSecond: CLIENTS_PER_SECOND, seconds: bench.seconds });
    const samples = await compareRuns(bench, [
      engineSubject(bench, job, 'own'),
      engineSubject(bench, { ...job, connections: CONNECTIONS }, 'shared'),
    ]);
    return loadResult(samples, [costGoal(samples, ['shared', 'own'], 1.05)]);
  },
};
