import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { atMost } from '../goals.mjs';

const ENGINE = fileURLToPath(new URL('../../src/engine', import.meta.url));

const ENTRY = `
export { ResponseParser } from './response-parser.ts';
export { HeaderCache } from './header-cache.ts';
`;

const ROUNDS = 12;
const RESPONSES = 40_000;
/** Number of different responses of each kind, which are read in turn. */
const VALUES = 16;

const PAD = 'The value of a header. '.repeat(3);
const id = (seed) => ((seed + 1) * 2_654_435_761).toString(16).padStart(16, '0').slice(-16).repeat(2);

/** Creates a response like those of nginx; `own` lines precede `count` other headers. */
function createResponse({ date = 59, count = 0, own = [], length = 2 }) {
  const lines = [
    'HTTP/1.1 200 OK',
    'Server: nginx/1.22.1',
    `Date: Sat, 21 Nov 2026 07:31:${date} GMT`,
    'Content-Type: text/plain',
    `Content-Length: ${length}`,
    'Connection: keep-alive',
    ...own,
    ...Array.from({ length: count }, (_, index) => `X-Header-Number-${10 + index}: ${PAD}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${'x'.repeat(length)}`);
}

/** Kinds of consecutive responses, and the maximum cost relative to parsing them completely. */
const KINDS = {
  '5 headers': { make: () => createResponse({}), goal: 0.3 },
  '– the date differs': { make: (nth) => createResponse({ date: 10 + nth }), goal: 0.6 },
  '– the length differs': { make: (nth) => createResponse({ length: 2 + nth }), goal: 0.6 },
  '12 headers, one differs': {
    make: (nth) => createResponse({ count: 6, own: [`X-Request-Id: ${id(nth)}`] }),
    goal: 0.3,
  },
  '– a required one differs': {
    make: (nth) => createResponse({ count: 6, own: [`X-Token: ${id(nth)}`] }),
    goal: 0.5,
  },
  '40 headers': { make: () => createResponse({ count: 35 }), goal: 0.2 },
  '– one differs': {
    make: (nth) => createResponse({ count: 34, own: [`X-Request-Id: ${id(nth)}`] }),
    goal: 0.25,
  },
};

/** The time of the parser per response without sockets, with and without a cached header section. */
export const reading = {
  name: 'reading',
  title: 'Reading a response with a cached header section, compared with parsing it completely',
  needs: [],
  async run(bench) {
    const outfile = join(bench.directory, 'reading.mjs');
    const stdin = { contents: ENTRY, resolveDir: ENGINE, loader: 'ts' };
    await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20' });
    const engine = await import(pathToFileURL(outfile).href);
    const rows = Object.entries(KINDS).map(([name, { make }]) => {
      const responses = Array.from({ length: VALUES }, (_, nth) => make(nth));
      const { parsed, cached } = measureReading(engine, responses);
      return {
        name,
        bytes: responses[0].length,
        'parsed, ns': Math.round(parsed),
        'cached, ns': Math.round(cached),
        '×': cached / parsed,
      };
    });
    return {
      rows,
      goals: rows.map((row) => atMost(`${row.name}: cached / parsed`, row['×'], KINDS[row.name].goal, ' ×')),
    };
  },
};

function measureReading({ ResponseParser, HeaderCache }, responses) {
  const buffer = Buffer.allocUnsafeSlow(64 * 1024);
  const headerNames = [Buffer.from('x-token')];
  const parser = new ResponseParser();
  const read = (cache) => () => {
    for (let nth = 0; nth < RESPONSES; nth++) {
      const bytes = responses[nth % responses.length];
      buffer.set(bytes);
      parser.begin(headerNames, false, cache);
      parser.feed(buffer, bytes.length);
    }
  };
  const copy = () => {
    for (let nth = 0; nth < RESPONSES; nth++) buffer.set(responses[nth % responses.length]);
  };
  const [parsed, cached, copied] = minimumCosts([read(null), read(new HeaderCache(buffer)), copy]);
  return { parsed: parsed - copied, cached: cached - copied };
}

/**
 * Returns the CPU time per response in ns: the minimum of alternating rounds, because disturbances only add
 * to it.
 */
function minimumCosts(actions) {
  const costs = actions.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, action] of actions.entries()) {
      const before = process.cpuUsage();
      action();
      const { user, system } = process.cpuUsage(before);
      costs[index] = Math.min(costs[index], ((user + system) * 1000) / RESPONSES);
    }
  }
  return costs;
}
