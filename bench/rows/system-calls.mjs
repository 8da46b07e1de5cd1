import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { measure } from '../measure-command.mjs';
import { COMMANDS } from '../compared-programs.mjs';

const CONNECTIONS = 64;
const LIMIT_SECONDS = 120;

/**
 * A short run is taken from a longer one, so that what start and end call does not count. Everything else does, the
 * waiting for sockets and the timers as well.
 */
export const systemCalls = {
  name: 'system-calls',
  title: `System calls per request, ${CONNECTIONS} kept connections`,
  needs: ['nginx', 'strace'],
  async run(bench) {
    const { target, seconds } = bench;
    const commands = {
      wrk: (lasting) =>
        bench.programs.wrk === undefined
          ? null
          : [
              ...bench.programs.wrk.command,
              ...COMMANDS.wrk({ url: target.url(), connections: CONNECTIONS, seconds: lasting }),
            ],
      ours: (lasting) =>
        bench.engineCommand(
          closedJob([targetOf(target.port)], { connections: CONNECTIONS, seconds: lasting }),
        ),
    };
    const rows = [];
    for (const [name, commandFor] of Object.entries(commands)) {
      if (commandFor(1) === null) continue;
      const short = await traced(bench, commandFor(seconds));
      const long = await traced(bench, commandFor(seconds * 3));
      rows.push({ name, ...perRequest(short, long) });
      bench.say(`${name} ${rows.at(-1)['in all'].toFixed(2)}`);
    }
    const ours = rows.find(({ name }) => name === 'ours');
    return {
      rows,
      goals: [within('system calls per request', ours['in all'], { of: 2, tolerance: 0.1 })],
    };
  },
};

async function traced(bench, command) {
  const summary = join(bench.directory, 'system-calls.txt');
  const before = await bench.target.requests();
  const strace = [...bench.programs.strace.command, '-c', '-f', '-o', summary, ...command];
  const { exitCode } = await measure(strace, { core: bench.clientCore, limit: LIMIT_SECONDS });
  if (exitCode !== 0) throw new Error(`strace ended with ${exitCode}`);
  const requests = (await bench.target.requests()) - before;
  return { requests, calls: callsOf(readFileSync(summary, 'utf8')) };
}

/** Lines of `strace -c`: share, seconds, microseconds, calls, perhaps errors, name. */
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
    'in all': each.reduce((sum, [, calls]) => sum + calls, 0),
    calls: each
      .filter(([, calls]) => calls >= 0.005)
      .map(([name, calls]) => `${name} ${calls.toFixed(2)}`)
      .join(', '),
  };
}
