import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atLeast, atMost } from '../goals.mjs';
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

const K6_SCRIPT = `
import http from 'k6/http';
export const options = { discardResponseBodies: true };
export default function () {
  http.get(__ENV.URL);
}
`;

export const keepAlive = {
  name: 'keep-alive',
  title: `GET on ${CONNECTIONS} kept connections, always the same`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { target } = bench;
    const script = join(bench.directory, 'k6.js');
    writeFileSync(script, K6_SCRIPT);
    const work = { url: target.url(), connections: CONNECTIONS, script };
    const [wrk, ...others] = peerSubjects(bench, ['wrk', 'autocannon', 'hey', 'k6', 'ab', 'h2load'], work);
    const ours = ourSubject(bench, closedJob([targetOf(target.port)], { connections: CONNECTIONS }));
    const bare = bareSubject(bench, { path: '/', connections: CONNECTIONS });
    const samples = await compareLoad(bench, [wrk, ours, bare, ...others]);
    const against = (name, times) => {
      const ratio = costRatio(samples, name, 'ours');
      return ratio === null ? [] : [atLeast(`${name} / ours`, ratio, times, ' ×')];
    };
    return {
      ...loadTable(samples),
      goals: [
        atMost('ours / wrk', costRatio(samples, 'ours', 'wrk'), 1.25, ' ×'),
        ...against('autocannon', 2),
        ...against('hey', 3),
        ...against('k6', 7),
        booksClose(samples),
      ],
    };
  },
};
