import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { measure } from '../measure-command.mjs';
import { COMMANDS } from '../compared-programs.mjs';

const CONNECTIONS = 64;
const LIMIT_SECONDS = 120;

/**
 * The calls of a short run are subtracted from those of a longer one, so that the start and the end of a
 * program do not count. Waiting for sockets and timers counts.
 */
export const systemCalls = {
  name: 'system-calls',
  title: `System calls per request, ${CONNECTIONS} persistent connections`,
  needs: ['nginx', 'strace'],
  async run(bench) {
    const { target, seconds } = bench;
    const commands = {
      wrk: (duration) =>
        bench.programs.wrk === undefined
          ? null
          : [
              ...bench.programs.wrk.command,
              ...COMMANDS.wrk({ url: target.url(), connections: CONNECTIONS, seconds: duration }),
            ],
      loadtests: (duration) =>
        bench.engineCommand(
          closedJob([targetOf(target.port)], { connections: CONNECTIONS, seconds: duration }),
        ),
    };
    const rows = [];
    for (const [name, commandFor] of Object.entries(commands)) {
      if (commandFor(1) === null) continue;
      const short = await traced(bench, commandFor(seconds));
      const long = await traced(bench, commandFor(seconds * 3));
      rows.push({ name, ...perRequest(short, long) });
      bench.log(`${name} ${rows.at(-1).total.toFixed(2)}`);
    }
    const engine = rows.find(({ name }) => name === 'loadtests');
    return {
      rows,
      goals: [within('system calls per request', engine.total, { of: 2, tolerance: 0.1 })],
    };
  },
};

async function traced(bench, command) {
  const summary = join(bench.directory, 'system-calls.txt');
  const before = await bench.target.requests();
  const strace = [...bench.programs.strace.command, '-c', '-f', '-o', summary, ...command];
  const { exitCode } = await measure(strace, { core: bench.clientCore, limit: LIMIT_SECONDS });
  if (exitCode !== 0) throw new Error(`strace exited with code ${exitCode}`);
  const requests = (await bench.target.requests()) - before;
  return { requests, calls: callsOf(readFileSync(summary, 'utf8')) };
}

/**
 * Reads the output of `strace -c`; columns: percentage, seconds, microseconds, calls, errors (optional),
 * name.
 */
function callsOf(summary) {
  const lines = summary.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(\w+)$/gm);
  return new Map(
    [...lines].filter(([, , name]) => name !== 'total').map(([, calls, name]) => [name, +calls]),
  );
}

function perRequest(short, long) {
  const requests = long.requests - short.requests;
  const each = [...long.calls]
    .map(([name, calls]) => [name, (calls - (short.calls.get(name) ?? 0)) / requests])
    .sort(([, a], [, b]) => b - a);
  return {
    total: each.reduce((sum, [, calls]) => sum + calls, 0),
    calls: each
      .filter(([, calls]) => calls >= 0.005)
      .map(([name, calls]) => `${name} ${calls.toFixed(2)}`)
      .join(', '),
  };
}
