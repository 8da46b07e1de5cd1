import { atMost, equal } from '../goals.mjs';
import { closedJob, targetOf } from '../jobs.mjs';
import { booksClose, compareLoad, costRatio, ourSubject, booksIn } from '../load-comparison.mjs';
import { medianOf } from '../paired-runs.mjs';
import { TARGET_CORE } from '../target.mjs';

const CONNECTIONS = 64;
const PASS = 10;
const ROWS = 100_000;
/** Seven digits, in all that varies. */
const FIRST = 1_000_000;
const MOST = 1.25;
/** Bodies of 1 KiB are kept and parsed. */
const MOST_OF_JSON = 1.4;
/** What an answer must be like; null: nothing is asked of that. */
const expects = (wanted) => ({ expect: { status: null, headers: null, body: null, json: null, ...wanted } });

const get = (port, path, changes = {}) => targetOf(port, path, changes);
const idHeader = (value) => ({ headers: [{ name: 'X-Id', value }] });
const nth = (count, create) => Array.from({ length: count }, (_, index) => create(index));

/** Each as the targets of a pass: with the feature, and with the same bytes in both directions without it. */
const FEATURES = {
  expressions: {
    used: (port) => [get(port, '/?id=%{1000000:9999999}', idHeader('%{1000000:9999999}'))],
    plain: (port) => [get(port, `/?id=${FIRST}`, idHeader(String(FIRST)))],
  },
  rows: {
    used: (port) => [get(port, '/', { ...idHeader(String(FIRST)), rows: rowsOf('id') })],
    plain: (port) => [get(port, `/?id=${FIRST}`, idHeader(String(FIRST)))],
  },
  'rows of a pass': {
    used: (port) => [get(port, '/?id={{id}}', idHeader('{{id}}'))],
    plain: (port) => [get(port, `/?id=${FIRST}`, idHeader(String(FIRST)))],
    passRows: () => [rowsOf('id')],
  },
  // The first request of a pass has nothing yet to send along.
  variables: {
    used: (port) =>
      nth(PASS, (index) =>
        get(port, `/feature/token?id=${index === 0 ? FIRST : '{{id}}'}`, {
          variables: [{ name: 'id', header: 'x-token' }],
        }),
      ),
    plain: (port) => nth(PASS, () => get(port, `/feature/token?id=${FIRST}`)),
  },
  cookies: {
    used: (port) => nth(PASS, () => get(port, '/feature/cookie')),
    plain: (port) =>
      nth(PASS, (index) => {
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
    most: 1.05,
  },
  'expected JSON': {
    used: (port) => [
      get(port, '/feature/json', expects({ json: [{ pointer: '/id', value: String(FIRST) }] })),
    ],
    plain: (port) => [get(port, '/feature/json')],
    most: MOST_OF_JSON,
  },
  'variables from JSON': {
    used: (port) =>
      nth(PASS, (index) =>
        get(port, `/feature/json?id=${index === 0 ? FIRST : '{{id}}'}`, {
          variables: [{ name: 'id', json: '/id' }],
        }),
      ),
    plain: (port) => nth(PASS, () => get(port, `/feature/json?id=${FIRST}`)),
    most: MOST_OF_JSON,
  },
  'variables from a body': {
    used: (port) =>
      nth(PASS, (index) =>
        get(port, `/feature/json?id=${index === 0 ? FIRST : '{{id}}'}`, {
          variables: [{ name: 'id', pattern: '"id": ?"([0-9]+)"' }],
        }),
      ),
    plain: (port) => nth(PASS, () => get(port, `/feature/json?id=${FIRST}`)),
    most: MOST_OF_JSON,
  },
};

export const features = {
  name: 'features',
  title: `What varies, beside the same bytes that do not, ${CONNECTIONS} kept connections, on the target's core`,
  needs: ['nginx'],
  async run(bench) {
    const { target } = bench;
    // With a core of its own the target sleeps whenever it is the quicker of the two, and waking another core costs who
    // sends some microseconds: for few constant requests, and for many of those that are a little dearer.
    const core = TARGET_CORE;
    const subject = (name, targets, passRows) => {
      const job = closedJob(targets(target.port), { connections: CONNECTIONS });
      return { ...ourSubject(bench, { ...job, passRows: passRows?.() ?? [] }, name), core };
    };
    const twin = (name) => `${name}, constant`;
    const names = Object.keys(FEATURES);
    const samples = await compareLoad(
      bench,
      Object.entries(FEATURES).flatMap(([name, { used, plain, passRows }]) => [
        subject(twin(name), plain),
        subject(name, used, passRows),
      ]),
    );
    const bytesOf = (name) => medianOf(booksIn(samples.get(name)), 'bytesPerRequest').toFixed(1);
    const rows = names.map((name) => ({
      name,
      'constant, µs/request': medianOf(samples.get(twin(name)), 'cpuPerRequest'),
      'varying, µs/request': medianOf(samples.get(name), 'cpuPerRequest'),
      '×': costRatio(samples, name, twin(name)),
      'bytes/request': bytesOf(name),
    }));
    return {
      rows,
      samples: Object.fromEntries(samples),
      goals: [
        ...Object.entries(FEATURES).map(([name, { most = MOST }]) =>
          atMost(`${name} / constant`, costRatio(samples, name, twin(name)), most, ' ×'),
        ),
        equal(
          'features whose bytes differ',
          names.filter((name) => bytesOf(name) !== bytesOf(twin(name))).length,
          0,
        ),
        booksClose(samples),
      ],
    };
  },
};

function rowsOf(name) {
  return { names: [name], values: nth(ROWS, (index) => [String(FIRST + index)]) };
}
