import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atLeast } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import {
  baselineSubject,
  compareLoad,
  costGoal,
  costRatio,
  engineSubject,
  loadResult,
  peerSubjects,
} from '../load-comparison.mjs';

const CONNECTIONS = 64;

const K6_SCRIPT = `
import http from 'k6/http';
export const options = { discardResponseBodies: true };
export default function () {
  http.get(__ENV.URL);
}
`;

export const keepAlive = {
  name: 'keep-alive',
  title: `The same GET on ${CONNECTIONS} persistent connections`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { target } = bench;
    const script = join(bench.directory, 'k6.js');
    writeFileSync(script, K6_SCRIPT);
    const work = { url: target.url(), connections: CONNECTIONS, script };
    const [wrk, ...others] = peerSubjects(bench, ['wrk', 'autocannon', 'hey', 'k6', 'ab', 'h2load'], work);
    const engine = engineSubject(bench, closedJob([targetOf(target.port)], { connections: CONNECTIONS }));
    const bare = baselineSubject(bench, { path: '/', connections: CONNECTIONS });
    const samples = await compareLoad(bench, [wrk, engine, bare, ...others]);
    const against = (name, times) => {
      const ratio = costRatio(samples, name, 'loadtests');
      return ratio === null ? [] : [atLeast(`${name} / loadtests`, ratio, times, ' ×')];
    };
    return loadResult(samples, [
      costGoal(samples, ['loadtests', 'wrk'], 1.25),
      ...against('autocannon', 2),
      ...against('hey', 3),
      ...against('k6', 7),
    ]);
  },
};
