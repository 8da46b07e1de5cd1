import { compareWithWrk } from '../load-comparison.mjs';

const CONNECTIONS = 64;

export const heads = {
  name: 'heads',
  title: `GET answered with many headers, ${CONNECTIONS} kept connections`,
  needs: ['nginx', 'wrk'],
  run: (bench) =>
    compareWithWrk(bench, [
      { name: '40 headers', path: '/heads/40', connections: CONNECTIONS, goal: 1.25 },
      { name: '12 headers, one of them varies', path: '/heads/12', connections: CONNECTIONS, goal: 1.25 },
    ]),
};
