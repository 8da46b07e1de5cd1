import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedJob, targetOf } from '../jobs.mjs';
import { compareLoad, costGoal, engineSubject, loadResult, peerSubjects } from '../load-comparison.mjs';

const CONNECTIONS = 64;
const SCRIPT = `
local count = 0
request = function()
  count = count + 1
  return wrk.format("GET", "/varied?id=" .. count, { ["X-Request-Id"] = tostring(count) })
end
`;

/** The number of the request, in the path and in the header. */
const NUMBER = '%{1:1000000000}';

export const varied = {
  name: 'varied',
  title: `GET with a different path and header for each request, ${CONNECTIONS} persistent connections`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { target } = bench;
    const script = join(bench.directory, 'varied.lua');
    writeFileSync(script, SCRIPT);
    const headers = [{ name: 'X-Request-Id', value: NUMBER }];
    const get = targetOf(target.port, `/varied?id=${NUMBER}`, { headers });
    const samples = await compareLoad(bench, [
      ...peerSubjects(bench, ['wrk'], {
        url: target.url('/varied'),
        connections: CONNECTIONS,
        options: ['-s', script],
      }),
      engineSubject(bench, closedJob([get], { connections: CONNECTIONS })),
    ]);
    const goal = costGoal(samples, ['loadtests', 'wrk'], 1, 'loadtests / wrk with a script');
    return loadResult(samples, [goal]);
  },
};
