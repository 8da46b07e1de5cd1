import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import {
  booksClose,
  compareLoad,
  costRatio,
  loadTable,
  ourSubject,
  peerSubjects,
} from '../load-comparison.mjs';

const CONNECTIONS = 64;
const SCRIPT = `
local count = 0
request = function()
  count = count + 1
  return wrk.format("GET", "/varied?id=" .. count, { ["X-Request-Id"] = tostring(count) })
end
`;

/** The number of the request, in both. */
const NUMBER = '%{1:1000000000}';

export const varied = {
  name: 'varied',
  title: `GET with another path and header each time, ${CONNECTIONS} kept connections`,
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
      ourSubject(bench, closedJob([get], { connections: CONNECTIONS })),
    ]);
    return {
      ...loadTable(samples),
      goals: [
        atMost('ours / wrk with a script', costRatio(samples, 'ours', 'wrk'), 1, ' ×'),
        booksClose(samples),
      ],
    };
  },
};
