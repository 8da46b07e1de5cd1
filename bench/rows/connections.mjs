import { compareWithWrk } from '../load-comparison.mjs';

export const connections = {
  name: 'connections',
  title: 'GET on few and on many persistent connections',
  needs: ['nginx', 'wrk'],
  run: (bench) =>
    compareWithWrk(
      bench,
      [1, 256, 512].map((count) => ({
        name: count === 1 ? 'one connection' : `${count} connections`,
        path: '/',
        connections: count,
        goal: 1.2,
      })),
    ),
};
