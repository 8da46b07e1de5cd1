import { compareWithWrk } from '../load-comparison.mjs';

const CONNECTIONS = 64;

export const heads = {
  name: 'heads',
  title: `GET with many response headers, ${CONNECTIONS} persistent connections`,
  needs: ['nginx', 'wrk'],
  run: (bench) =>
    compareWithWrk(bench, [
      { name: '40 headers', path: '/heads/40', connections: CONNECTIONS, goal: 1.25 },
      { name: '12 headers, one differs', path: '/heads/12', connections: CONNECTIONS, goal: 1.25 },
    ]),
};
