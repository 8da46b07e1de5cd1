import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { atMost } from '../goals.mjs';

const ENGINE = fileURLToPath(new URL('../../src/engine', import.meta.url));

const ENTRY = `
export { ResponseParser } from './response-parser.ts';
export { KnownHead } from './known-head.ts';
`;

const ROUNDS = 12;
const ANSWERS = 40_000;
/** Of each kind that varies, so many that follow one another. */
const VALUES = 16;

const PAD = 'The value of a header. '.repeat(3);
const id = (seed) => ((seed + 1) * 2_654_435_761).toString(16).padStart(16, '0').slice(-16).repeat(2);

/** What nginx sends; `own` lines stand before `count` others. */
function answer({ date = 59, count = 0, own = [], length = 2 }) {
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

/** Each as the answers that follow one another, and what they may cost beside reading them whole. */
const KINDS = {
  '5 headers': { make: () => answer({}), goal: 0.3 },
  '– the date differs': { make: (nth) => answer({ date: 10 + nth }), goal: 0.6 },
  '– the length differs': { make: (nth) => answer({ length: 2 + nth }), goal: 0.6 },
  '12 headers, one differs': {
    make: (nth) => answer({ count: 6, own: [`X-Request-Id: ${id(nth)}`] }),
    goal: 0.3,
  },
  '– one that is wanted': {
    make: (nth) => answer({ count: 6, own: [`X-Token: ${id(nth)}`] }),
    goal: 0.5,
  },
  '40 headers': { make: () => answer({ count: 35 }), goal: 0.2 },
  '– one differs': {
    make: (nth) => answer({ count: 34, own: [`X-Request-Id: ${id(nth)}`] }),
    goal: 0.25,
  },
};

/** Without sockets: what the parser takes for one answer, whose head it knows or does not know. */
export const reading = {
  name: 'reading',
  title: 'Reading an answer, its head like an earlier one, beside reading it whole',
  needs: [],
  async run(bench) {
    const outfile = join(bench.directory, 'reading.mjs');
    const stdin = { contents: ENTRY, resolveDir: ENGINE, loader: 'ts' };
    await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20' });
    const engine = await import(pathToFileURL(outfile).href);
    const rows = Object.entries(KINDS).map(([name, { make }]) => {
      const answers = Array.from({ length: VALUES }, (_, nth) => make(nth));
      const { whole, known } = measureReading(engine, answers);
      return {
        name,
        bytes: answers[0].length,
        'whole, ns': Math.round(whole),
        'known, ns': Math.round(known),
        '×': known / whole,
      };
    });
    return {
      rows,
      goals: rows.map((row) => atMost(`${row.name}: known / whole`, row['×'], KINDS[row.name].goal, ' ×')),
    };
  },
};

function measureReading({ ResponseParser, KnownHead }, answers) {
  const buffer = Buffer.allocUnsafeSlow(64 * 1024);
  const wanted = [Buffer.from('x-token')];
  const parser = new ResponseParser();
  const read = (known) => () => {
    for (let nth = 0; nth < ANSWERS; nth++) {
      const bytes = answers[nth % answers.length];
      buffer.set(bytes);
      parser.begin(wanted, false, known);
      parser.feed(buffer, bytes.length);
    }
  };
  const copy = () => {
    for (let nth = 0; nth < ANSWERS; nth++) buffer.set(answers[nth % answers.length]);
  };
  const [whole, known, copied] = leastOf([read(null), read(new KnownHead(buffer)), copy]);
  return { whole: whole - copied, known: known - copied };
}

/** Nanoseconds of CPU for one answer, the least of some rounds in turn: whatever comes between only adds to it. */
function leastOf(works) {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, work] of works.entries()) {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      least[index] = Math.min(least[index], ((user + system) * 1000) / ANSWERS);
    }
  }
  return least;
}
