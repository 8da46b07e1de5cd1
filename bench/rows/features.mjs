import { Buffer } from 'node:buffer';
import { equal } from '../goals.mjs';
import { closedJob, countResponses, targetOf } from '../jobs.mjs';
import {
  compareLoad,
  costGoal,
  costRatio,
  countsMatch,
  engineSubject,
  reportOf,
} from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { medianOf } from '../paired-runs.mjs';
import { TARGET_CORE } from '../target.mjs';

const CONNECTIONS = 64;
const REQUESTS = 10;
const ROWS = 100_000;
/** A value with as many digits as all variable values. */
const FIRST = 1_000_000;
const MAX_RATIO = 1.25;
/** For features that keep and parse bodies of 1 KiB. */
const MAX_JSON_RATIO = 1.4;
/** Returns an expectation; null: any value. */
const expects = (expected) => ({
  expect: { status: null, headers: null, body: null, json: null, ...expected },
});

const get = (port, path, changes = {}) => targetOf(port, path, changes);
const idHeader = (value) => ({ headers: [{ name: 'X-Id', value }] });
const nth = (count, create) => Array.from({ length: count }, (_, index) => create(index));

const KNOWN_ID = { values: [{ name: 'id', value: String(FIRST) }] };

const FILE = { sha256: '0'.repeat(64), content: Buffer.alloc(4096, 'x').toString('base64') };
const PARTS = [
  { name: 'title', value: 'Invoice' },
  { name: 'file', file: FILE.sha256, contentType: 'application/pdf', filename: 'a.pdf' },
];

/** Returns the body of `PARTS` as text, and its header. */
function plainMultipart() {
  const boundary = `loadtests-${'0'.repeat(32)}`;
  const text = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="title"',
    '',
    'Invoice',
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="a.pdf"',
    'Content-Type: application/pdf',
    '',
    Buffer.from(FILE.content, 'base64').toString('latin1'),
    `--${boundary}--`,
    '',
  ].join('\r\n');
  return {
    headers: [{ name: 'Content-Type', value: `multipart/form-data; boundary=${boundary}` }],
    body: { kind: 'text', text },
  };
}

/**
 * The targets of an iteration for each feature: with it, and without it but with the same bytes in both
 * directions.
 */
const FEATURES = {
  expressions: {
    used: (port) => [get(port, '/?id=%{1000000:9999999}', idHeader('%{1000000:9999999}'))],
    plain: (port) => [get(port, `/?id=${FIRST}`, idHeader(String(FIRST)))],
  },
  rows: {
    used: (port) => [get(port, '/', { ...idHeader(String(FIRST)), rows: rowsOf('id') })],
    plain: (port) => [get(port, `/?id=${FIRST}`, idHeader(String(FIRST)))],
  },
  'rows of an iteration': {
    used: (port) => [get(port, '/?id={{id}}', idHeader('{{id}}'))],
    plain: (port) => [get(port, `/?id=${FIRST}`, idHeader(String(FIRST)))],
    usedJob: () => ({ iterationRows: [rowsOf('id')] }),
  },
  values: {
    used: (port) => [get(port, '/?id={{id}}', idHeader('{{id}}'))],
    plain: (port) => [get(port, `/?id=${FIRST}`, idHeader(String(FIRST)))],
    usedJob: () => ({ values: [{ name: 'id', value: '%{1000000:9999999}' }] }),
    maxRatio: 1.15,
  },
  flows: {
    used: (port) => nth(2, () => get(port, '/')),
    plain: (port) => [get(port, '/')],
    usedJob: () => ({
      flows: [
        { name: 'browse', weight: 70, urls: 1 },
        { name: 'buy', weight: 30, urls: 1 },
      ],
    }),
    maxRatio: 1.03,
  },
  'a condition of a request': {
    used: (port) => nth(REQUESTS, () => get(port, '/')),
    plain: (port) => nth(REQUESTS, () => get(port, '/')),
    plainJob: () => KNOWN_ID,
    usedJob: () => ({
      ...KNOWN_ID,
      groups: nth(REQUESTS, (first) => ({
        first,
        count: 1,
        when: [{ name: 'id', value: String(FIRST) }],
      })),
    }),
    maxRatio: 1.05,
  },
  'requests at the same time': {
    used: (port) => nth(REQUESTS, () => get(port, '/')),
    plain: (port) => nth(REQUESTS, () => get(port, '/')),
    // The same number of connections.
    plainJob: () => ({ initial: CONNECTIONS * REQUESTS, total: CONNECTIONS * REQUESTS }),
    usedJob: () => ({ groups: [{ first: 0, count: REQUESTS, parallel: true }] }),
  },
  // The first request of an iteration has no value to send.
  variables: {
    used: (port) =>
      nth(REQUESTS, (index) =>
        get(port, `/feature/token?id=${index === 0 ? FIRST : '{{id}}'}`, {
          variables: [{ name: 'id', header: 'x-token' }],
        }),
      ),
    plain: (port) => nth(REQUESTS, () => get(port, `/feature/token?id=${FIRST}`)),
  },
  cookies: {
    used: (port) => nth(REQUESTS, () => get(port, '/feature/cookie')),
    plain: (port) =>
      nth(REQUESTS, (index) => {
        const headers = index === 0 ? [] : [{ name: 'Cookie', value: `id=${FIRST}` }];
        return get(port, '/feature/header', { headers });
      }),
  },
  redirects: {
    used: (port) => [get(port, '/feature/moved')],
    plain: (port) => [get(port, '/feature/still'), get(port, `/feature/found?token=${FIRST}`)],
  },
  'an expected status': {
    used: (port) => [get(port, '/', expects({ status: [200] }))],
    plain: (port) => [get(port, '/')],
    maxRatio: 1.05,
  },
  'expected JSON': {
    used: (port) => [
      get(port, '/feature/json', expects({ json: [{ pointer: '/id', value: String(FIRST) }] })),
    ],
    plain: (port) => [get(port, '/feature/json')],
    maxRatio: MAX_JSON_RATIO,
  },
  'conditions for JSON': {
    used: (port) => [
      get(port, '/feature/json', expects({ json: [{ pointer: '/id', value: { length: '>= 1' } }] })),
    ],
    plain: (port) => [
      get(port, '/feature/json', expects({ json: [{ pointer: '/id', value: String(FIRST) }] })),
    ],
    maxRatio: 1.1,
  },
  'a multipart body': {
    used: (port) => [get(port, '/exchange', { method: 'POST', body: { kind: 'multipart', parts: PARTS } })],
    plain: (port) => [get(port, '/exchange', { method: 'POST', ...plainMultipart() })],
    usedJob: () => ({ bodyFiles: [FILE] }),
    maxRatio: 1.1,
  },
  'variables from JSON': {
    used: (port) =>
      nth(REQUESTS, (index) =>
        get(port, `/feature/json?id=${index === 0 ? FIRST : '{{id}}'}`, {
          variables: [{ name: 'id', json: '/id' }],
        }),
      ),
    plain: (port) => nth(REQUESTS, () => get(port, `/feature/json?id=${FIRST}`)),
    maxRatio: MAX_JSON_RATIO,
  },
  'variables from a body': {
    used: (port) =>
      nth(REQUESTS, (index) =>
        get(port, `/feature/json?id=${index === 0 ? FIRST : '{{id}}'}`, {
          variables: [{ name: 'id', pattern: '"id": ?"([0-9]+)"' }],
        }),
      ),
    plain: (port) => nth(REQUESTS, () => get(port, `/feature/json?id=${FIRST}`)),
    maxRatio: MAX_JSON_RATIO,
  },
};

export const features = {
  name: 'features',
  title: `Variable requests compared with constant ones of the same bytes, ${CONNECTIONS} persistent connections, on the core of the target`,
  needs: ['nginx'],
  async run(bench) {
    const { target } = bench;
    // On its own core, the target would sleep whenever it is faster than the client. Waking another core
    // costs the sender some microseconds per request. Constant requests would rarely pay this cost, and
    // slightly slower ones often.
    const core = TARGET_CORE;
    const jobOf = (targets, changes, connections = CONNECTIONS) => ({
      ...closedJob(targets(target.port), { connections }),
      ...changes?.(),
    });
    const subject = (name, targets, changes) => ({
      ...engineSubject(bench, jobOf(targets, changes), name),
      core,
    });
    const constantOf = (name) => `${name}, constant`;
    const names = Object.keys(FEATURES);
    const samples = await compareLoad(
      bench,
      Object.entries(FEATURES).flatMap(([name, { used, plain, usedJob, plainJob }]) => [
        subject(constantOf(name), plain, plainJob),
        subject(name, used, usedJob),
      ]),
    );
    const bytes = new Map();
    for (const [name, { used, plain, usedJob, plainJob }] of Object.entries(FEATURES)) {
      bytes.set(constantOf(name), await countBytes(bench, jobOf(plain, plainJob, 1)));
      bytes.set(name, await countBytes(bench, jobOf(used, usedJob, 1)));
    }
    const rows = names.map((name) => ({
      name,
      'constant, µs/request': medianOf(samples.get(constantOf(name)), 'cpuPerRequest'),
      'variable, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
      '×': costRatio(samples, name, constantOf(name)),
      'bytes/request': bytes.get(name).perRequest.toFixed(1),
    }));
    return {
      rows,
      samples: Object.fromEntries(samples),
      goals: [
        ...Object.entries(FEATURES).map(([name, { maxRatio = MAX_RATIO }]) =>
          costGoal(samples, [name, constantOf(name)], maxRatio, `${name} / constant`),
        ),
        equal(
          'features with different bytes',
          names.filter((name) => bytes.get(name).total !== bytes.get(constantOf(name)).total).length,
          0,
        ),
        countsMatch(samples),
      ],
    };
  },
};

/** Number of iterations whose bytes are counted, and the maximum time for them. */
const COUNTED_ITERATIONS = 20;
const COUNTING_SECONDS = 60;

/**
 * Counts the bytes of complete iterations. In the measured runs, the last requests may lack a response, and requests
 * of a program that was paused for long may be sent again.
 */
async function countBytes(bench, job) {
  const duration = COUNTING_SECONDS * 1000;
  const command = bench.engineCommand({ ...job, iterations: COUNTED_ITERATIONS, duration });
  const { total } = reportOf(await measure(command, { core: TARGET_CORE, limit: 2 * COUNTING_SECONDS }));
  const bytes = total.bytesSent + total.bytesReceived;
  return { total: bytes, perRequest: bytes / countResponses(total) };
}

function rowsOf(name) {
  return { names: [name], values: nth(ROWS, (index) => [String(FIRST + index)]) };
}
