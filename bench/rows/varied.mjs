import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { booksClose, compareLoad, costRatio, loadTable, ourSubject, peerSubjects } from '../load.mjs';

const CONNECTIONS = 64;
/** Requests of a pass after the first one, which has no value to use yet. */
const VARIED = 49;

const SCRIPT = `
local count = 0
request = function()
  count = count + 1
  return wrk.format("GET", "/varied?id=" .. count, { ["X-Request-Id"] = tostring(count) })
end
`;

/** Ours takes the value from the header of the answer before, which wrk's script does not have to read. */
export const varied = {
  name: 'varied',
  title: `GET with another path and header each time, ${CONNECTIONS} kept connections`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { target, seconds } = bench;
    const script = join(bench.folder, 'varied.lua');
    writeFileSync(script, SCRIPT);
    const variables = [{ name: 'id', header: 'X-Request-Id' }];
    const headers = [{ name: 'X-Request-Id', value: '{{id}}' }];
    const next = targetOf(target.port, '/varied?id={{id}}', { headers, variables });
    const targets = [
      targetOf(target.port, '/varied', { variables }),
      ...Array.from({ length: VARIED }, () => next),
    ];
    const samples = await compareLoad(bench, [
      ...peerSubjects(bench, ['wrk'], {
        url: target.url('/varied'),
        connections: CONNECTIONS,
        options: ['-s', script],
      }),
      ourSubject(bench, closedJob(targets, { connections: CONNECTIONS, seconds })),
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
