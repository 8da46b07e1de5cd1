import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedJob, targetOf } from '../jobs.mjs';
import { compareLoad, costGoal, engineSubject, loadResult, peerSubjects } from '../load-comparison.mjs';

const CONNECTIONS = 64;
const BODY = 'y'.repeat(1024);

export const exchange = {
  name: 'exchange',
  title: `POST of 1 KiB with a response of 10 KiB, ${CONNECTIONS} persistent connections`,
  needs: ['nginx', 'wrk'],
  async run(bench) {
    const { target } = bench;
    const script = join(bench.directory, 'exchange.lua');
    writeFileSync(
      script,
      `wrk.method = "POST"\nwrk.body = "${BODY}"\nwrk.headers["Content-Type"] = "text/plain"\n`,
    );
    const work = { url: target.url('/exchange'), connections: CONNECTIONS, options: ['-s', script] };
    const headers = [{ name: 'Content-Type', value: 'text/plain' }];
    const body = { kind: 'text', text: BODY };
    const post = targetOf(target.port, '/exchange', { method: 'POST', body, headers });
    const samples = await compareLoad(bench, [
      ...peerSubjects(bench, ['wrk'], work),
      engineSubject(bench, closedJob([post], { connections: CONNECTIONS })),
    ]);
    return loadResult(samples, [costGoal(samples, ['loadtests', 'wrk'], 1.25)]);
  },
};
