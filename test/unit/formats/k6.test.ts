/** Conversion of k6 scripts. */
import { describe, expect, test } from 'vitest';
import { convert, urlLines } from './convert.ts';

const IMPORTS = `import http from 'k6/http';
import { check, fail, group, sleep } from 'k6';
import { SharedArray } from 'k6/data';
import papaparse from 'https://jslib.k6.io/papaparse/5.1.1/index.js';
import exec from 'k6/execution';
import { randomIntBetween, randomItem, randomString, uuidv4 } from 'https://jslib.k6.io/k6-utils/1.4.0/index.js';
const BASE = 'https://a.example';
`;

/** Returns a script with the statements of an iteration. */
function scriptOf(statements: string, { options = "{ vus: 1, duration: '10s' }", before = '' } = {}): string {
  return `${IMPORTS}${before}\nexport const options = ${options};\nexport default function () {\n${statements}\n}\n`;
}

async function converted(statements: string, options: Parameters<typeof scriptOf>[1] = {}) {
  const { text, notes } = await convert('k6', scriptOf(statements, options), {
    files: { 'users.csv': 'name,pin\nann,1\n', 'users.json': '["ann","bob"]', 'helper.js': HELPER },
  });
  return {
    lines: urlLines(text).filter((line) => !line.trim().startsWith('# ')),
    losses: notes.filter((note) => note.startsWith('loss')),
    text,
  };
}

const HELPER = `import http from 'k6/http';
export const PATH = '/helped';
export function visit(base) { return http.get(base + PATH); }
`;

/** Returns the lines of the converted test before `urls`, and the losses. */
async function loadOf(options: string) {
  const { text, losses } = await converted("http.get('https://a.example/x');", { options });
  const lines = text.split('\n').map((line) => line.trim());
  return { lines: lines.slice(lines.indexOf('converted:') + 1, lines.indexOf('urls:')), losses };
}

describe('k6 scripts', () => {
  test.each<readonly [name: string, statements: string, lines: readonly string[]]>([
    ['a URL', "http.get('https://a.example');", ['- https://a.example/']],
    ['a template with a sum', 'http.get(`${BASE}/x/${1 + 1}`);', ['- https://a.example/x/2']],
    [
      'a DELETE request to a constant path',
      "const path = '/x'; http.del(BASE + path);",
      ['- url: https://a.example/x', '  request_type: DELETE'],
    ],
    [
      'a JSON body and a name',
      "http.post(`${BASE}/x`, JSON.stringify({ a: 1, b: [true, null, 'c'] }), { headers: { 'Content-Type': 'application/json' }, tags: { name: 'add' } });",
      [
        '- url: https://a.example/x',
        '  name: add',
        '  request_type: POST',
        '  json:',
        '    a: 1',
        '    b:',
        '      - true',
        '      - null',
        '      - c',
      ],
    ],
    [
      'a form from an object',
      "const body = { a: '1' }; body.b = '2'; http.post(BASE, { ...body });",
      ['- url: https://a.example/', '  request_type: POST', '  request_params:', '    a: "1"', '    b: "2"'],
    ],
    [
      'http.request with a text body',
      "http.request('PUT', BASE, 'text');",
      ['- url: https://a.example/', '  request_type: PUT', '  raw_post_body: text'],
    ],
    [
      'values of a response',
      "const res = http.get(BASE); http.get(`${BASE}/${res.json('a.0.id')}/${res.json().b.token}/${JSON.parse(res.body).c}/${res.headers['X-Id']}`);",
      [
        '- url: https://a.example/',
        '  variables:',
        '    - { name: id, property: /a/0/id, source: json }',
        '    - { name: token, property: /b/token, source: json }',
        '    - { name: c, property: /c, source: json }',
        '    - { name: X-Id, property: X-Id, source: header }',
        '- https://a.example/{{id}}/{{token}}/{{c}}/{{X-Id}}',
      ],
    ],
    [
      'a function that returns a value of a response',
      'function login(user) { return http.post(BASE, { user }).json("token"); } const token = login("ann"); http.get(BASE, { headers: { a: `Bearer ${token}` } });',
      [
        '- url: https://a.example/',
        '  request_type: POST',
        '  request_params:',
        '    user: ann',
        '  variables:',
        '    - { name: token, property: /token, source: json }',
        '- url: https://a.example/',
        '  headers:',
        '    a: Bearer {{token}}',
      ],
    ],
    [
      'constant and random sleeps',
      'http.get(BASE); sleep(1.5); sleep(Math.random() * 2 + 1); http.get(BASE); sleep(randomIntBetween(1, 3));',
      [
        '- url: https://a.example/',
        '  delay: [ 2.5s, 4.5s ]',
        '- url: https://a.example/',
        '  delay: [ 1s, 3s ]',
      ],
    ],
    ['a group', 'group("a", () => { http.get(BASE); });', ['- https://a.example/']],
    [
      'batches',
      'for (let i = 0; i < 3; i++) { const [a] = http.batch([`${BASE}/a`, ["POST", `${BASE}/b`]]); http.get(`${BASE}/${a.json("id")}`); } http.batch({ c: `${BASE}/c`, d: `${BASE}/d` }); sleep(1); http.batch([BASE]);',
      [
        '- repeat: 3',
        '  urls:',
        '    - parallel:',
        '        - url: https://a.example/a',
        '          variables:',
        '            - { name: id, property: /id, source: json }',
        '        - url: https://a.example/b',
        '          request_type: POST',
        '    - https://a.example/{{id}}',
        '- parallel:',
        '    - url: https://a.example/c',
        '      delay: 1s',
        '    - url: https://a.example/d',
        '      delay: 1s',
        '- https://a.example/',
      ],
    ],
    [
      'loops over numbers and lists',
      'for (let i = 1; i <= 2; i++) http.get(`${BASE}/${i}`); for (const x of ["a"]) http.get(`${BASE}/${x}`); ["b"].forEach((y) => http.get(`${BASE}/${y}`));',
      [
        '- for_each:',
        '    i: [ "1", "2" ]',
        '  urls:',
        '    - https://a.example/{{i}}',
        '- https://a.example/a',
        '- https://a.example/b',
      ],
    ],
    [
      'a loop of 500 repetitions before a sleep',
      'for (let i = 0; i < 500; i++) { const r = http.get(BASE); http.get(`${BASE}/${r.json("id")}`); } sleep(2);',
      [
        '- repeat: 499',
        '  urls:',
        '    - url: https://a.example/',
        '      variables:',
        '        - { name: id, property: /id, source: json }',
        '    - https://a.example/{{id}}',
        '- url: https://a.example/',
        '  variables:',
        '    - { name: id, property: /id, source: json }',
        '- url: https://a.example/{{id}}',
        '  delay: 2s',
      ],
    ],
    [
      'a loop that passes on a value of the response',
      "let next = ''; for (let i = 0; i < 3; i++) { const r = http.get(`${BASE}/?after=${next}`); next = r.json('next'); }",
      [
        '- url: https://a.example/?after=',
        '  variables:',
        '    - { name: next, property: /next, source: json }',
        '- url: https://a.example/?after={{next}}',
        '  variables:',
        '    - { name: next_2, property: /next, source: json }',
        '- https://a.example/?after={{next_2}}',
      ],
    ],
    [
      'a loop over objects',
      "for (const user of [{ a: '1', b: 'x' }, { a: '2', b: 'y' }]) http.get(`${BASE}/${user.a}/${user.b}`);",
      ['- https://a.example/1/x', '- https://a.example/2/y'],
    ],
    [
      'conditions on a response',
      "const r = http.get(BASE); if (r.status === 404) { http.post(BASE); } else http.get(`${BASE}/found`); if (r.json('items.0')) http.get(`${BASE}/item`);",
      [
        '- url: https://a.example/',
        '  variables:',
        '    - { name: status, source: status }',
        '    - { name: items, property: /items/0, source: json }',
        '- when:',
        '    status: "404"',
        '  urls:',
        '    - url: https://a.example/',
        '      request_type: POST',
        '- when:',
        '    status:',
        '      not: "404"',
        '  urls:',
        '    - https://a.example/found',
        '- when:',
        '    items:',
        '      exists: true',
        '      not:',
        '        one_of: [ "", false, 0, null ]',
        '  urls:',
        '    - https://a.example/item',
      ],
    ],
    [
      'branches by a random number',
      'const r = Math.random(); if (r < 0.3) http.get(`${BASE}/a`); else if (r < 0.6) http.get(`${BASE}/b`); else http.get(`${BASE}/c`); sleep(2);',
      [
        '- when:',
        '    r: < 0.3',
        '  urls:',
        '    - url: https://a.example/a',
        '      delay: 2s',
        '- when:',
        '    r:',
        '      not:',
        '        number: < 0.3',
        '  urls:',
        '    - when:',
        '        r: < 0.6',
        '      urls:',
        '        - url: https://a.example/b',
        '          delay: 2s',
        '    - when:',
        '        r:',
        '          not:',
        '            number: < 0.6',
        '      urls:',
        '        - url: https://a.example/c',
        '          delay: 2s',
      ],
    ],
    [
      'a random item in a variable',
      "const path = randomItem(['/a', '/b']); http.get(`https://a.example${path}`);",
      ['- https://a.example/{{path}}'],
    ],
    [
      'a list that a loop fills',
      'const list = []; for (let i = 0; i < 2; i++) list.push(i); let n = 1; n++; http.get(`${BASE}/${list.join("-")}/${n}`);',
      ['- https://a.example/0-1/2'],
    ],
    [
      'times and the client number',
      'http.post(BASE, JSON.stringify({ at: Date.now() - 60000, until: new Date(Date.now() + 1000).toISOString(), vu: __VU }), { headers: { "content-type": "application/json" } });',
      [
        '- url: https://a.example/',
        '  request_type: POST',
        '  json:',
        '    at: "%{now-60000ms:unix_ms}"',
        '    until: "%{now+1000ms}"',
        '    vu: "%{client}"',
      ],
    ],
    [
      'a random item of a computed list',
      'const all = Array.from({ length: 3 }, (_, i) => i + 1); http.get(`${BASE}/${all[Math.floor(Math.random() * all.length)]}`);',
      ['- https://a.example/%{pick:1,2,3}'],
    ],
    [
      'a checked redirect',
      'const r = http.get(BASE, { redirects: 0 }); check(r, { moved: (x) => x.status === 301 });',
      ['- url: https://a.example/', '  expect:', '    status: [ 301 ]'],
    ],
    [
      'a URL from a response',
      "const r = http.get(BASE); http.get(r.json('links.next'));",
      [
        '- url: https://a.example/',
        '  variables:',
        '    - { name: next, property: /links/next, source: json }',
        '- "{{next}}"',
      ],
    ],
    [
      'a request with a probability of 30%',
      'if (Math.random() < 0.3) http.get(`${BASE}/rare`);',
      ['- when:', '    chance: < 0.3', '  urls:', '    - https://a.example/rare'],
    ],
    [
      'returns after failed checks',
      'const r = http.get(BASE); if (r.status !== 200) return; const q = http.get(BASE); if (!check(q, { ok: (x) => x.status === 201 })) { return; } http.get(BASE);',
      [
        '- url: https://a.example/',
        '  expect:',
        '    status: [ 200 ]',
        '  on_failure: stop',
        '- url: https://a.example/',
        '  expect:',
        '    status: [ 201 ]',
        '  on_failure: stop',
        '- https://a.example/',
      ],
    ],
    [
      'errors that end an iteration, and loops that end early',
      'const r = http.get(BASE); if (r.status !== 200) throw new Error("x"); const q = http.get(BASE); if (!check(q, {})) { fail("x"); } for (const n of [1, 2, 3, 4]) { if (n === 2) continue; if (n === 4) break; http.get(`${BASE}/${n}`); }',
      [
        '- url: https://a.example/',
        '  expect:',
        '    status: [ 200 ]',
        '  on_failure: stop',
        '- url: https://a.example/',
        '  on_failure: stop',
        '- https://a.example/1',
        '- https://a.example/3',
      ],
    ],
    [
      'string and number functions',
      "http.get('https://b.example/'.replace(/\\/$/, '') + `/${Math.ceil(2.1)}/${Math.max(1, Number('4'))}`);",
      ['- https://b.example/3/4'],
    ],
    [
      'patterns that remove one slash or all slashes from the end',
      "http.get('https://b.example/a//'.replace(/\\/$/, '')); http.get('https://b.example/b//'.replace(/\\/+$/, ''));",
      ['- https://b.example/a/', '- https://b.example/b'],
    ],
    [
      'a random integer from 0',
      'http.get(`${BASE}/${Math.floor(Math.random() * 10)}`);',
      ['- https://a.example/%{*:0-9}'],
    ],
    [
      'a random integer from 1',
      'http.get(`${BASE}/${Math.floor(Math.random() * 10) + 1}`);',
      ['- https://a.example/%{*:1-10}'],
    ],
    ['randomItem', 'http.get(`${BASE}/${randomItem(["a", "b"])}`);', ['- https://a.example/%{pick:a,b}']],
    [
      'a random index of a list',
      'const all = ["a", "b"]; http.get(`${BASE}/${all[Math.floor(Math.random() * all.length)]}`);',
      ['- https://a.example/%{pick:a,b}'],
    ],
    [
      'a UUID, a random string and the time',
      'http.get(`${BASE}/${uuidv4()}/${randomString(5)}/${Date.now()}`);',
      ['- https://a.example/%{uuid}/%{text:5}/%{now:unix_ms}'],
    ],
    [
      'random strings with an alphabet or a random length',
      'http.get(`${BASE}/${randomString(5, "ab ")}/${randomString(randomIntBetween(2, 9))}`);',
      ['- "https://a.example/%{text:5: ab}/%{text:2-9}"'],
    ],
    [
      'http.file with a generated value',
      'http.post(BASE, { a: http.file(JSON.stringify({ n: randomString(3) }), "a.json", "application/json") });',
      [
        '- url: https://a.example/',
        '  request_type: POST',
        '  multipart:',
        '    a:',
        `      value: '{"n":"%{text:3}"}'`,
        '      content_type: application/json',
        '      filename: a.json',
      ],
    ],
    [
      'a constant condition',
      'if (1 < 2) http.get(BASE); else http.get(`${BASE}/never`);',
      ['- https://a.example/'],
    ],
    [
      'redirects that are not followed',
      'http.get(BASE, { redirects: 0 });',
      ['- url: https://a.example/', '  expect:', '    status: [ 2xx, 3xx ]'],
    ],
  ])('a k6 script with %s is completely converted to requests', async (_, statements, lines) => {
    const found = await converted(statements);
    expect(found.lines).toEqual(lines);
    expect(found.losses).toEqual([]);
  });

  test('a generated value in a variable of a k6 script is converted to a value that is generated once for each iteration', async () => {
    const { text } = await converted(
      'const id = uuidv4(); const n = randomIntBetween(1, 9); http.get(`${BASE}/${id}`); http.post(`${BASE}/${id}`, JSON.stringify({ n }), { headers: { "content-type": "application/json" } });',
    );
    expect(text).toContain('    values:\n      id: "%{uuid}"\n      n: "%{*:1-9}"\n');
    expect(text).toContain('raw_post_body: \'{"n":{{n}}}\'');
  });

  test.each<readonly [string, readonly string[]]>([
    ['r.status === 201', ['status: [ 201 ]']],
    ['r.status == 200 || r.status === 204', ['status: [ 200, 204 ]']],
    ['[200, 404].includes(r.status)', ['status: [ 200, 404 ]']],
    ['r.status >= 200 && r.status < 300', ['status: [ 2xx ]']],
    ["r.body.includes('ok')", ['body: ok']],
    ["!r.body.includes('bad')", ['body:', '  not_contains: bad']],
    ["r.body.indexOf('ok') !== -1", ['body: ok']],
    ["r.json('a.b') === 'c'", ['json:', '  /a/b: c']],
    ['r.json().a !== undefined', ['json:', '  /a:', '    exists: true']],
    ["r.json('items').length >= 2", ['json:', '  /items:', '    length: ">= 2"']],
    ['r.status === 200 && r.json().n > 3', ['status: [ 200 ]', 'json:', '  /n:', '    number: "> 3"']],
  ])('the k6 check %s becomes an expectation', async (condition, lines) => {
    const { lines: found, losses } = await converted(`check(http.get(BASE), { 'c': (r) => ${condition} });`);
    expect(found).toEqual(['- url: https://a.example/', '  expect:', ...lines.map((line) => `    ${line}`)]);
    expect(losses).toEqual([]);
  });

  test.each<readonly [name: string, options: string, lines: readonly string[]]>([
    [
      'a constant number of VUs',
      "{ vus: 5, duration: '1m' }",
      ['test_type: cycling', 'initial: 5', 'total: 5', 'duration: 1m'],
    ],
    [
      'stages',
      "{ stages: [{ duration: '30s', target: 10 }, { duration: '1m', target: 0 }] }",
      ['test_type: cycling', 'initial: 1', 'stages:', '- { for: 30s, to: 10 }', '- { for: 1m, to: 0 }'],
    ],
    [
      'shared iterations',
      '{ vus: 3, iterations: 12 }',
      ['test_type: cycling', 'initial: 3', 'total: 3', 'iterations: 12', 'duration: 10m'],
    ],
    [
      'iterations per VU',
      "{ scenarios: { a: { executor: 'per-vu-iterations', vus: 3, iterations: 4, maxDuration: '30s' } } }",
      ['test_type: cycling', 'initial: 3', 'total: 3', 'iterations_per_client: 4', 'duration: 30s'],
    ],
    [
      'a constant arrival rate',
      "{ scenarios: { a: { executor: 'constant-arrival-rate', rate: 120, timeUnit: '1m', duration: '5m' } } }",
      ['test_type: per-second', 'total: 2', 'duration: 5m'],
    ],
    [
      'a ramping arrival rate',
      "{ scenarios: { a: { executor: 'ramping-arrival-rate', startRate: 5, stages: [{ target: 50, duration: '1m' }] } } }",
      ['test_type: per-second', 'initial: 5', 'stages:', '- { for: 1m, to: 50 }'],
    ],
    [
      'two scenarios that overlap',
      "{ scenarios: { a: { executor: 'constant-vus', vus: 2, duration: '20s' }, b: { executor: 'constant-vus', vus: 3, duration: '10s', startTime: '15s' } } }",
      [
        'test_type: cycling',
        'initial: 2',
        'stages:',
        '- { for: 15s, to: 2 }',
        '- { for: 0s, to: 5 }',
        '- { for: 5s, to: 5 }',
        '- { for: 0s, to: 3 }',
        '- { for: 5s, to: 3 }',
        'flows:',
        'a:',
        'weight: 4',
      ],
    ],
  ])('k6 options with %s are converted to the load of the test', async (_, options, lines) => {
    const found = await loadOf(options);
    expect(found.lines.slice(0, lines.length)).toEqual(lines);
    expect(found.losses).toEqual([]);
  });

  test('a k6 scenario whose stages are computed at run time is converted with an example load, and the stages are reported as not constant', async () => {
    const { lines, losses } = await loadOf('{ stages: [{ duration: compute(), target: 5 }] }');
    expect(lines).toEqual(['test_type: cycling', 'initial: 1', 'total: 10', 'duration: 10s']);
    expect(losses).toEqual([
      expect.stringContaining(
        'the load of the scenario "default" is not converted, because its stages are missing or not constant',
      ),
    ]);
  });

  test('a k6 threshold with abortOnFail becomes a threshold with abort_after, unless it requires a minimum number of requests', async () => {
    const { lines, losses } = await loadOf(
      `{ vus: 1, duration: '1m', thresholds: {
        http_req_duration: [{ threshold: 'p(95)<500', abortOnFail: true, delayAbortEval: '2500ms' }],
        http_req_failed: [{ threshold: 'rate<0.01', abortOnFail: true }],
        http_reqs: [{ threshold: 'count>10', abortOnFail: true }] } }`,
    );
    expect(lines.join('\n')).toContain(
      [
        'thresholds:',
        'p95:',
        'limit: < 500ms',
        'abort_after: 3s',
        'http_error_rate:',
        'limit: < 1%',
        'abort_after: 0s',
        'requests: "> 10"',
      ].join('\n'),
    );
    expect(losses).toEqual([]);
  });

  test('the first k6 threshold on each metric of requests is converted, and other thresholds are reported as not converted', async () => {
    const { lines, losses } = await loadOf(
      "{ vus: 1, duration: '1s', thresholds: { http_req_duration: ['p(95)<500', 'med<=100', 'p(95)<400'], http_req_failed: ['rate<0.01'], http_reqs: ['rate>10'], checks: ['rate>0.9'] } }",
    );
    expect(lines.join('\n').replaceAll('"', '')).toContain(
      'thresholds:\np95: < 500ms\np50: <= 100ms\nhttp_error_rate: < 1%\nrequests_per_second: > 10',
    );
    expect(losses).toEqual([
      expect.stringContaining('the threshold "checks: rate>0.9" is not converted'),
      expect.stringContaining(
        'the threshold "p95: < 400ms" is omitted, because a metric has only one threshold, and "< 500ms" precedes it',
      ),
    ]);
  });

  test('k6 scenarios with separate functions are converted to flows with exact weights', async () => {
    const options =
      "{ scenarios: { a: { executor: 'constant-vus', vus: 3, duration: '10s', exec: 'one' }, b: { executor: 'constant-vus', vus: 2, duration: '10s', exec: 'two' } } }";
    const { config } = await convert(
      'k6',
      `${IMPORTS}export const options = ${options};
export function one() { http.get(BASE + '/1'); }
export function two() { http.get(BASE + '/2'); }`,
    );
    const [only] = config.desired.tests;
    expect(only?.spec.flows?.map(({ name, weight }) => [name, weight])).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect(only?.spec.targets.map(({ url }) => url)).toEqual(['https://a.example/1', 'https://a.example/2']);
  });

  test('CSV files, JSON files and local modules that a k6 script uses are read', async () => {
    const { lines, losses } = await converted(
      'const user = users[Math.floor(Math.random() * users.length)]; http.post(BASE, { name: user.name }); http.get(`${BASE}/${randomItem(names)}`); visit(BASE);',
      {
        before: `import { visit } from './helper.js';
const users = new SharedArray('users', () => papaparse.parse(open('./users.csv'), { header: true }).data);
const names = JSON.parse(open('users.json'));`,
      },
    );
    expect(lines).toEqual([
      '- url: https://a.example/',
      '  request_type: POST',
      '  request_params:',
      '    name: "{{name}}"',
      '  payload_file:',
      '    file: users.csv',
      '    order: random',
      '- https://a.example/%{pick:ann,bob}',
      '- https://a.example/helped',
    ]);
    expect(losses).toEqual([]);
  });

  test('an environment variable of a k6 script is converted to its default value or to a secret', async () => {
    const { lines } = await converted(
      "http.get(`${__ENV.HOST || 'https://b.example'}/x`, { headers: { 'x-key': __ENV.KEY } });",
    );
    expect(lines).toEqual(['- url: https://b.example/x', '  headers:', '    x-key: ${secret:KEY}']);
  });

  test.each([
    [
      'check(http.get(BASE), { moved: (x) => x.status === 301 });',
      'the test follows redirects, so the 3xx codes of the source are not in "expect.status"',
    ],
    [
      "let path = 'a'; if (compute()) path = 'b'; http.get(`${BASE}/${path}`);",
      'the value of "path" depends on a condition or a loop; check the converted value',
    ],
    [
      'const list = []; while (more()) list.push(1); http.get(`${BASE}/${list.join()}`);',
      'the items of the list depend on a condition or a loop; check the converted values',
    ],
    [
      'http.get(BASE); describe("a", () => { http.get(BASE); });',
      'the function that is passed to "describe" is not executed',
    ],
    [
      'while (x) { http.get(BASE); }',
      'the loop is executed only once, because its number of iterations is unknown; to repeat the requests, add "repeat"',
    ],
    [
      'if (compute()) http.get(BASE);',
      'the condition is not converted; the requests that depend on it are always sent',
    ],
    [
      'check(http.get(BASE), { fast: (r) => r.timings.duration < 200 });',
      'the check "fast" is not converted',
    ],
    ['http.get(BASE).submitForm({}); http.get(BASE);', 'the request that "submitForm" sends is omitted'],
    [
      'http.cookieJar().clear(BASE); http.get(BASE);',
      'the change of the cookie jar is not converted; to send a cookie, add the header "cookie" by hand',
    ],
    ['http.get(BASE, { headers: compute().all });', 'the headers of the request are unknown and are omitted'],
    ['http.get(BASE, compute());', 'the parameters of the request are unknown and are omitted'],
    ['http.batch(compute()); http.get(BASE);', 'the batch is omitted, because its requests are unknown'],
    ['http.get(BASE, { headers: { a: compute() } });', 'the value of "compute" is unknown'],
    ['http.get(BASE, { auth: "digest" });', 'the parameter "auth" of the request is not converted'],
    [
      'http.get(BASE); if (compute()) return; http.get(BASE);',
      'the conditional "return" is not converted; the requests after it are always sent',
    ],
    [
      'group("g", () => { const r = http.get(BASE); if (r.status !== 200) return; http.get(BASE); });',
      'the conditional "return" is not converted; the requests after it are always sent',
    ],
    [
      'try { const r = http.get(BASE); if (r.status !== 200) throw r; http.get(BASE); } catch {}',
      'the conditional "throw" is not converted; the requests after it are always sent',
    ],
    [
      'for (let i = 0; i < 9; i++) { if (http.get(BASE).json("done")) break; }',
      'the conditional "break" is not converted; the requests after it are always sent',
    ],
    [
      'const r = http.get(BASE); if (r.status !== 200) exec.test.abort();',
      'the call of "exec.test.abort" is not converted, and does not end the run',
    ],
  ])(
    'the unsupported part of the k6 statements %s is reported as not converted, with its location',
    async (statements, message) => {
      const { losses } = await converted(statements);
      expect(losses).toEqual([expect.stringMatching(/^loss 11:\d+ /)]);
      expect(losses[0]).toContain(message);
    },
  );

  test('if the condition of a k6 branch cannot be negated, the branch after "else" is reported as not converted', async () => {
    const sources = {
      known:
        "const r = http.get(BASE); if (r.status === 200 && r.json('a') === 'x') http.get(BASE); else http.post(BASE);",
      unknown: 'if (compute()) http.get(BASE); else http.post(BASE);',
    };
    const omitted = 'the branch after "else" is not converted';
    expect((await converted(sources.known)).losses).toEqual([expect.stringContaining(omitted)]);
    expect((await converted(sources.unknown)).losses).toEqual([
      expect.stringContaining('the condition is not converted'),
      expect.stringContaining(omitted),
    ]);
  });

  test('a "return" after the "else" of a k6 condition is reported as not converted', async () => {
    const { losses } = await converted('let n; if (compute()) n = 1; else return; http.get(BASE);');
    expect(losses).toContainEqual(expect.stringContaining('the conditional "return" is not converted'));
  });

  test.each<readonly [index: string, items: string, losses: readonly string[]]>([
    ['randomIntBetween(1, 2)', 'b,c', []],
    ['randomIntBetween(0, 1) * 2', 'a,c', []],
    [
      'randomIntBetween(2, 9)',
      'c,d',
      ['the random index can be outside the list; the test selects only existing items'],
    ],
  ])(
    'the random index %s of a k6 list selects only the items in its range',
    async (index, items, messages) => {
      const { lines, losses } = await converted(
        `const all = ['a', 'b', 'c', 'd']; http.get(\`\${BASE}/\${all[${index}]}\`);`,
      );
      expect(lines).toEqual([`- https://a.example/%{pick:${items}}`]);
      expect(losses.map((loss) => loss.replace(/^loss \S+ /, ''))).toEqual(messages);
    },
  );

  test('a random index with constant bounds in the rows of a k6 script is reported, because all rows are used', async () => {
    const { losses } = await converted(
      'const user = users[randomIntBetween(0, 9)]; http.get(`${BASE}/${user.name}`);',
      {
        before: "const users = papaparse.parse(open('./users.csv'), { header: true }).data;",
      },
    );
    expect(losses).toEqual([expect.stringContaining('the random row is selected from the whole file')]);
  });

  test.each([
    ['randomIntBetween(1, 5) + 0.5', 'decimal:1.5-5.5', 'from 1.5 to 5.5, not only values at intervals of 1'],
    ['randomIntBetween(1, 5) * 2', 'decimal:2-10', 'from 2 to 10, not only values at intervals of 2'],
    ['randomIntBetween(1, 5) * -2', 'decimal:-10--2', 'from -10 to -2'],
    ['Math.floor(randomIntBetween(1, 5) * 2)', 'decimal:2-10', 'not only values at intervals of 2'],
  ])(
    'the random number %s of a k6 script keeps its bounds, and the numbers between its steps are reported',
    async (value, expression, message) => {
      const { lines, losses } = await converted(`http.get(\`\${BASE}/\${${value}}\`);`);
      expect(lines).toEqual([`- https://a.example/%{${expression}}`]);
      expect(losses).toEqual([expect.stringContaining(message)]);
    },
  );

  test.each([
    ['Math.floor(randomIntBetween(1, 5) + 0.5)', '*:1-5'],
    ['Math.ceil(randomIntBetween(1, 5) + 0.5)', '*:2-6'],
    ['Math.round(randomIntBetween(1, 5) * 0.5)', '*:1-3'],
    ['Math.floor(randomIntBetween(1, 5) * 0.5)', '*:0-2'],
  ])('the rounded random number %s of a k6 script includes both bounds', async (value, expression) => {
    const { lines, losses } = await converted(`http.get(\`\${BASE}/\${${value}}\`);`);
    expect(lines).toEqual([`- https://a.example/%{${expression}}`]);
    expect(losses).toEqual([]);
  });

  test('variables of a k6 module have their initial values in each scenario, and a scenario without requests is reported', async () => {
    const { text, notes } = await convert(
      'k6',
      `${IMPORTS}export const options = { scenarios: { a: { executor: 'constant-vus', vus: 1, duration: '1s', exec: 'a' }, b: { executor: 'constant-vus', vus: 1, duration: '1s', exec: 'b' }, c: { executor: 'constant-vus', vus: 1, duration: '1s', exec: 'c' } } };
let token = null;
function login() { if (token === null) token = http.post(BASE).json('token'); return token; }
export function a() { login(); }
export function b() { http.get(\`\${BASE}/\${login()}\`); }
export function c() { compute(() => 1); }`,
    );
    expect(text.match(/request_type: POST/g)).toHaveLength(2);
    expect(notes.join('\n')).toContain('the module variable "token" is reset at the start of each iteration');
    expect(notes.join('\n')).toContain(
      'the scenario "c" is omitted, because it has no request that can be converted',
    );
    expect(notes.join('\n')).toContain('the function that is passed to "compute" is not executed');
  });

  test('requests of setup and teardown of a k6 script are converted, including values that iterations also use', async () => {
    const { notes, text } = await convert(
      'k6',
      `${IMPORTS}export function setup() { return { token: http.post(BASE).json('token') }; }
export default function (data) { http.get(BASE, { headers: { authorization: \`Bearer \${data.token}\` } }); }
export function teardown(data) { http.del(\`\${BASE}/\${data.token}\`); }`,
    );
    expect(
      text
        .slice(text.indexOf('    setup:'))
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'setup:',
      'urls:',
      '- url: https://a.example/',
      'request_type: POST',
      'variables:',
      '- { name: token, property: /token, source: json }',
      'urls:',
      '- url: https://a.example/',
      'headers:',
      'authorization: Bearer {{token}}',
      'teardown:',
      'urls:',
      '- url: https://a.example/{{token}}',
      'request_type: DELETE',
      '',
    ]);
    expect(notes.filter((note) => note.startsWith('loss'))).toEqual([]);
  });

  test.each([
    ['a syntax error', 'export default function ( {', 'the source is not valid JavaScript: Unexpected token'],
    ['100,000 opening brackets', '[['.repeat(50_000), 'the source is'],
    ['no default function', 'export const options = {};', 'the iterations of the script contain no request'],
    [
      'an endless loop',
      'export default function () { while (true) {} }',
      'the iterations of the script contain no request',
    ],
    [
      'an endless recursion',
      'function f() { f(); f(); } export default f;',
      'the iterations of the script contain no request',
    ],
  ])('a k6 source with %s is refused', async (_, text, message) => {
    await expect(convert('k6', text)).rejects.toThrow(message);
  });

  test('a module outside the directory of a k6 script is not read', async () => {
    const { notes } = await convert('k6', `import { a } from '../../a.js';\n${scriptOf('http.get(BASE);')}`);
    expect(notes).toEqual([expect.stringContaining('the module "../../a.js" cannot be read')]);
  });

  test('if k6 scenarios generate different values with the same name, each flow keeps its own values', async () => {
    const scenario = (max: number) =>
      `{ executor: 'constant-vus', vus: 1, duration: '10s', exec: 'buy', env: { MAX: '${max}' } }`;
    const script = `${IMPORTS}
export const options = { scenarios: { few: ${scenario(10)}, many: ${scenario(1000)} } };
export function buy() {
  const id = randomIntBetween(1, Number(__ENV.MAX));
  http.get(\`https://a.example/view/\${id}\`);
  http.get(\`https://a.example/buy/\${id}\`);
}
`;
    const { text, config } = await convert('k6', script);
    expect(text.match(/id: .*/g)).toEqual(['id: "%{*:1-10}"', 'id: "%{*:1-1000}"']);
    const [test] = config.desired.tests;
    expect(test?.spec.values).toBeNull();
    expect(test?.spec.flows?.map(({ values }) => values)).toEqual([
      [{ name: 'id', value: '%{*:1-10}' }],
      [{ name: 'id', value: '%{*:1-1000}' }],
    ]);
  });

  test('a secret in a generated value of a k6 script becomes an environment variable', async () => {
    const key = 'sk_live_0123456789';
    const { text, secrets } = await convert(
      'k6',
      scriptOf(`const visit = \`${key}-\${randomString(5)}\`;
http.get('https://a.example/x', { headers: { 'X-Visit': visit } });
http.get('https://a.example/y', { headers: { 'X-Visit': visit } });`),
    );
    expect(secrets).toEqual([{ name: 'LT_VISIT', value: key }]);
    expect(text).toMatch(/visit: \$\{env:LT_VISIT:-\}-%\{text:5\}\n/);
  });
});
