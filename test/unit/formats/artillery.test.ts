/** Conversion of Artillery scripts. */
import { describe, expect, test } from 'vitest';
import { convert, urlLines } from './convert.ts';

/** Returns a script with one scenario. */
function scriptOf(flow: string, config = ''): string {
  const indented = flow.replaceAll('\n', '\n      ');
  return `config:\n  target: https://a.example/base/\n${config}scenarios:\n  - flow:\n      ${indented}\n`;
}

async function linesOf(flow: string): Promise<readonly string[]> {
  return urlLines((await convert('artillery', scriptOf(flow))).text);
}

/** Returns the lines of the converted test before `urls`. */
function loadLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.slice(lines.indexOf('converted:') + 1, lines.indexOf('urls:'));
}

describe('Artillery scripts', () => {
  test.each<readonly [name: string, flow: string, lines: readonly string[]]>([
    ['a path', '- get: { url: /x }', ['- https://a.example/base/x']],
    ['an absolute URL', '- get: { url: "https://b.example/" }', ['- https://b.example/']],
    [
      'a URL from a captured header',
      '- get: { url: /x, capture: { header: location, as: next } }\n- get: { url: "{{ next }}" }',
      [
        '- url: https://a.example/base/x',
        '  variables:',
        '    - { name: next, property: location, source: header }',
        '- "{{next}}"',
      ],
    ],
    [
      'query parameters',
      '- get: { url: /x, qs: { a: 1, b: "c d" } }',
      ['- https://a.example/base/x?a=1&b=c+d'],
    ],
    [
      'query parameters that replace the query of the URL',
      '- get: { url: "/x?kept=no", qs: { a: "{{ $uuid }}" } }',
      ['- https://a.example/base/x?a={{uuid}}'],
    ],
    [
      'a name, a header and a JSON body',
      '- post: { url: /x, name: create, headers: { x-a: b }, json: { a: 1, b: [true, null, "{{ $randomNumber(1, 9) }}", "{{ $uuid }}"] } }',
      [
        '# Not converted: the random number is sent as a JSON number, not as a string (source:5:91)',
        '- url: https://a.example/base/x',
        '  name: create',
        '  request_type: POST',
        '  headers:',
        '    x-a: b',
        '  json:',
        '    a: 1',
        '    b:',
        '      - true',
        '      - null',
        '      - "%{*:1-9}"',
        '      - "{{uuid}}"',
      ],
    ],
    [
      'a form',
      '- put: { url: /x, form: { a: 1 } }',
      ['- url: https://a.example/base/x', '  request_type: PUT', '  request_params:', '    a: "1"'],
    ],
    [
      'a text body',
      '- post: { url: /x, body: "plain", headers: { content-type: text/plain } }',
      [
        '- url: https://a.example/base/x',
        '  request_type: POST',
        '  headers:',
        '    content-type: text/plain',
        '  raw_post_body: plain',
      ],
    ],
    [
      'redirects that are not followed',
      '- get: { url: /x, followRedirect: false }',
      ['- url: https://a.example/base/x', '  expect:', '    status: [ 2xx, 3xx ]'],
    ],
    [
      'a capture by an unsupported JSONPath',
      '- get: { url: /x, capture: { json: "$..id", as: id } }',
      [expect.stringContaining('Not converted'), '- https://a.example/base/x'],
    ],
    [
      'think times',
      '- get: { url: /x }\n- think: 1.5\n- think: 2-5\n- get: { url: /y }\n- think: 500 ms',
      [
        '- url: https://a.example/base/x',
        '  delay: [ 3.5s, 6.5s ]',
        '- url: https://a.example/base/y',
        '  delay: 500ms',
      ],
    ],
    [
      'captures from JSON, a header and a pattern',
      '- get: { url: /x, capture: [{ json: "$.items[0].id", as: id }, { header: x-t, as: t }, { regexp: "a(b)", as: r }] }\n- delete: { url: "/x/{{ id }}/{{t}}/{{ r }}" }',
      [
        '- url: https://a.example/base/x',
        '  variables:',
        '    - { name: id, property: /items/0/id, source: json }',
        '    - { name: t, property: x-t, source: header }',
        '    - { name: r, property: a(b), source: body }',
        '- url: https://a.example/base/x/{{id}}/{{t}}/{{r}}',
        '  request_type: DELETE',
      ],
    ],
    [
      'expectations',
      '- get: { url: /x, expect: [{ statusCode: [200, 201] }, { contentType: json }, { hasProperty: a.b }, { matchesRegexp: "x+" }] }',
      [
        '- url: https://a.example/base/x',
        '  expect:',
        '    status: [ 200, 201 ]',
        '    headers:',
        '      content-type: application/json*',
        '    body:',
        '      matches: x+',
        '    json:',
        '      /a/b:',
        '        exists: true',
      ],
    ],
    [
      'a loop with $loopCount',
      '- loop: [{ get: { url: "/x/{{ $loopCount }}" } }]\n  count: 2',
      ['- for_each:', '    count: [ "0", "1" ]', '  urls:', '    - https://a.example/base/x/{{count}}'],
    ],
    [
      'parallel requests',
      '- parallel: [{ get: { url: /x } }, { get: { url: /y } }]\n- think: 2\n- loop: [{ parallel: [{ get: { url: /z } }, { get: { url: /z } }] }]\n  count: 2',
      [
        '- parallel:',
        '    - url: https://a.example/base/x',
        '      delay: 2s',
        '    - url: https://a.example/base/y',
        '      delay: 2s',
        '- repeat: 2',
        '  urls:',
        '    - parallel:',
        '        - https://a.example/base/z',
        '        - https://a.example/base/z',
      ],
    ],
    [
      'a loop of 200 repetitions before a think time',
      '- loop: [{ get: { url: /x } }, { think: 1 }]\n  count: 200\n- think: 3',
      [
        '- repeat: 199',
        '  urls:',
        '    - url: https://a.example/base/x',
        '      delay: 1s',
        '- url: https://a.example/base/x',
        '  delay: 4s',
      ],
    ],
    [
      'a loop with loopValue',
      '- loop: [{ get: { url: "/x/{{ n }}" } }]\n  count: 2\n  loopValue: n',
      ['- for_each:', '    count: [ "0", "1" ]', '  urls:', '    - https://a.example/base/x/{{count}}'],
    ],
    [
      'a loop over a list with $loopElement and $loopCount',
      '- loop: [{ get: { url: "/x/{{ $loopElement }}/{{ $loopCount }}" } }]\n  over: [a, b]',
      ['- https://a.example/base/x/a/0', '- https://a.example/base/x/b/1'],
    ],
    [
      'a loop over a captured list',
      '- get: { url: /items, capture: { json: $.ids, as: ids } }\n- loop: [{ get: { url: "/x/{{ id }}" } }]\n  over: ids\n  loopElement: id',
      [
        '- url: https://a.example/base/items',
        '  variables:',
        '    - { name: ids, property: /ids/*, source: json, pick: all }',
        '- for_each:',
        '    id: "{{ids}}"',
        '    at_most: 100',
        '  urls:',
        '    # Changed: the loop uses at most 100 items of the list "ids"; to use more, increase "at_most" (source:6:9)',
        '    - https://a.example/base/x/{{id}}',
      ],
    ],
    [
      'a condition on a captured value',
      '- get: { url: /me, capture: { json: $.role, as: role } }\n- get: { url: /admin, ifTrue: \'role == "admin"\' }',
      [
        '- url: https://a.example/base/me',
        '  variables:',
        '    - { name: role, property: /role, source: json }',
        '- when:',
        '    role: admin',
        '  urls:',
        '    - https://a.example/base/admin',
      ],
    ],
    [
      'a loop over a list with $loopElement',
      '- loop: [{ get: { url: "/x/{{ $loopElement }}" } }]\n  over: [a, b]',
      ['- for_each:', '    item: [ a, b ]', '  urls:', '    - https://a.example/base/x/{{item}}'],
    ],
    ['a log message', '- log: hello\n- get: { url: /x }', ['- https://a.example/base/x']],
    [
      'an environment variable in a header',
      '- get: { url: /x, headers: { authorization: "Bearer {{ $processEnvironment.API_TOKEN }}" } }',
      ['- url: https://a.example/base/x', '  headers:', '    authorization: Bearer ${secret:API_TOKEN}'],
    ],
  ])('an Artillery flow with %s is converted to the corresponding requests', async (_, flow, lines) => {
    expect(await linesOf(flow)).toEqual(lines);
  });

  test('the sections "before" and "after" of an Artillery script become "setup" and "teardown", and "pool" becomes "connections"', async () => {
    const script = scriptOf(
      '- get: { url: "/x?t={{ token }}" }',
      '  phases: [{ duration: 5, arrivalRate: 2 }]\n  http: { pool: 3 }\n',
    );
    const { text, notes } = await convert(
      'artillery',
      `${script}before:
  flow:
    - post: { url: /login, capture: { json: $.token, as: token } }
after:
  flow:
    - log: done
    - delete: { url: "/{{ token }}" }
`,
    );
    expect(notes).toEqual([]);
    expect(
      text
        .slice(text.indexOf('    duration:'))
        .split('\n')
        .map((line) => line.slice(4)),
    ).toEqual([
      'duration: 5s',
      'connections: 3',
      'setup:',
      '  urls:',
      '    - url: https://a.example/base/login',
      '      request_type: POST',
      '      variables:',
      '        - { name: token, property: /token, source: json }',
      'urls:',
      '  - https://a.example/base/x?t={{token}}',
      'teardown:',
      '  urls:',
      '    - url: https://a.example/base/{{token}}',
      '      request_type: DELETE',
      '',
    ]);
  });

  test.each<readonly [name: string, phases: string, lines: readonly string[]]>([
    [
      'an arrival rate',
      '[{ duration: 60, arrivalRate: 5 }]',
      ['test_type: per-second', 'total: 5', 'duration: 1m'],
    ],
    [
      'an arrival count',
      '[{ duration: 1m, arrivalCount: 100 }]',
      ['test_type: non-cycling', 'total: 100', 'duration: 1m'],
    ],
    [
      'a ramp, constant rates and a pause',
      '[{ duration: 30, arrivalRate: 1, rampTo: 10 }, { duration: 60, arrivalRate: 10 }, { pause: 5 }, { duration: 10, arrivalRate: 2 }]',
      [
        'test_type: per-second',
        'initial: 1',
        'stages:',
        '- { for: 30s, to: 10 }',
        '- { for: 1m, to: 10 }',
        '- { for: 0s, to: 0 }',
        '- { for: 5s, to: 0 }',
        '- { for: 0s, to: 2 }',
        '- { for: 10s, to: 2 }',
      ],
    ],
    [
      'a ramp from 0',
      '[{ duration: 10, arrivalRate: 0, rampTo: 20 }]',
      ['test_type: per-second', 'stages:', '- { for: 10s, to: 20 }'],
    ],
  ])('Artillery phases with %s are converted to the load of the test', async (_, phases, lines) => {
    const { text, notes } = await convert(
      'artillery',
      scriptOf('- get: { url: / }', `  phases: ${phases}\n`),
    );
    expect(loadLines(text)).toEqual(lines);
    expect(notes).toEqual([]);
  });

  test('thresholds, the timeout and TLS settings of an Artillery script are converted to fields of the test', async () => {
    const config = `  phases: [{ duration: 1, arrivalRate: 1 }]
  tls: { rejectUnauthorized: false }
  http: { timeout: 5 }
  ensure: { thresholds: [{ http.response_time.p95: 200 }], maxErrorRate: 1, conditions: [{ expression: 'http.response_time.median <= 50' }] }
`;
    const { text, notes } = await convert('artillery', scriptOf('- get: { url: / }', config));
    expect(loadLines(text).slice(3)).toEqual([
      'timeout: 5s',
      'tls_verify: false',
      'thresholds:',
      'p95: < 200ms',
      'iteration_error_rate: <= 1%',
      'p50: <= 50ms',
    ]);
    expect(notes).toEqual([]);
  });

  test('variables and payload files of an Artillery script are resolved, and the environment is merged with the settings', async () => {
    const script = `config:
  target: https://a.example
  variables: { version: v1, path: login }
  phases: [{ duration: 5, arrivalRate: 9 }]
  payload: { path: users.csv, fields: [user, pin] }
  environments:
    staging: { target: 'https://staging.example', phases: [{ arrivalRate: 2 }], variables: { version: v2 } }
scenarios:
  - flow:
      - post: { url: '/{{ version }}/{{ path }}', json: { user: '{{ user }}', pin: '{{ pin }}' } }
`;
    const files = { 'users.csv': 'user,pin\nann,p1\n' };
    const staging = await convert('artillery', script, { files, environment: 'staging' });
    expect(urlLines(staging.text)).toEqual([
      '- url: https://staging.example/v2/login',
      '  request_type: POST',
      '  json:',
      '    user: "{{user}}"',
      '    pin: "{{pin}}"',
      '  payload_file: users.csv',
    ]);
    expect(staging.text).toContain('total: 2\n    duration: 5s');
    expect(staging.notes).toEqual([]);
    const plain = await convert('artillery', script, { files });
    expect(plain.text).toContain('https://a.example/v1/login');
    expect(plain.notes).toEqual([
      'change 7:5 the conversion uses no environment of the script (staging); to use one, pass "--env NAME"',
    ]);
    await expect(convert('artillery', script, { environment: 'production' })).rejects.toThrow(
      'the script does not define the environment "production"; correct or omit --env',
    );
  });

  test('an Artillery variable with several values is converted to a random choice for each iteration', async () => {
    const { text, notes } = await convert(
      'artillery',
      scriptOf(
        '- get: { url: "/{{ color }}/{{ color }}/{{ $uuid }}/{{ $randomString(4) }}" }',
        '  variables: { color: [red, green] }\n',
      ),
    );
    expect(text).toContain('    values:\n      color: "%{pick:red,green}"\n      uuid: "%{uuid}"\n');
    expect(urlLines(text)).toEqual(['- https://a.example/base/{{color}}/{{color}}/{{uuid}}/%{text:4}']);
    expect(notes).toEqual([]);
  });

  test('one secret replaces all values of an Artillery variable named "password", and a note reports the replacement', async () => {
    const { text, notes } = await convert(
      'artillery',
      scriptOf(
        `- post: { url: /login, json: { password: '{{ password }}' } }`,
        '  variables: { password: [hunter2, swordfish] }\n',
      ),
    );
    expect(text).not.toMatch(/hunter2|swordfish/);
    expect(text).toContain('password: ${secret:LT_PASSWORD}');
    expect(notes).toEqual([
      expect.stringContaining('the secret LT_PASSWORD replaces all values of the variable "password"'),
    ]);
  });

  test('values in JSON bodies of an Artillery script keep their types, or a note reports the change of type', async () => {
    const config = `  variables: { count: 5, isNew: true, code: '5', sizes: [1, 2] }
  payload: { path: rows.csv, fields: [name, price, zip] }
`;
    const files = { 'rows.csv': 'name,price,zip\nann,10.5,007\n' };
    const bodyOf = async (json: string) => {
      const { text, notes } = await convert(
        'artillery',
        scriptOf(`- post: { url: /, json: { ${json} } }`, config),
        { files },
      );
      const [, , ...lines] = urlLines(text).filter((line) => !line.includes('#'));
      return {
        lines: lines.map((line) => line.trim()),
        notes: notes.map((note) => note.replace(/^.*?:\d+ /, '')),
      };
    };
    expect(await bodyOf('a: "{{ count }}", b: "{{ isNew }}", c: "{{ code }}", d: "{{ count }}x"')).toEqual({
      lines: ['json:', 'a: 5', 'b: true', 'c: "5"', 'd: 5x'],
      notes: [],
    });
    const raw = (body: string) => ['headers:', 'content-type: application/json', `raw_post_body: '${body}'`];
    const rows = ['payload_file: rows.csv'];
    expect(await bodyOf('a: "{{ price }}"')).toEqual({
      lines: [...raw('{"a":{{price}}}'), ...rows],
      notes: [],
    });
    expect(await bodyOf('a: "{{ sizes }}"')).toEqual({ lines: raw('{"a":{{sizes}}}'), notes: [] });
    expect(await bodyOf('a: "{{ $randomNumber(1, 9) }}"')).toEqual({
      lines: raw('{"a":"%{*:1-9}"}'),
      notes: [],
    });
    const numbers = (name: string) =>
      `numbers and booleans in the variable "${name}" are sent as JSON strings`;
    expect(await bodyOf('a: "{{ name }}", b: "{{ price }}", c: "{{ $randomNumber(1, 9) }}"')).toEqual({
      lines: ['json:', 'a: "{{name}}"', 'b: "{{price}}"', 'c: "%{*:1-9}"', ...rows],
      notes: [numbers('price'), 'the random number is sent as a JSON number, not as a string'],
    });
    expect(await bodyOf('a: "{{ zip }}"')).toEqual({
      lines: ['json:', 'a: "{{zip}}"', ...rows],
      notes: [numbers('zip')],
    });
  });

  test('one note reports that unquoted dates and times in an Artillery script are sent unchanged', async () => {
    const flow = '- post: { url: /, json: { a: 2026-01-02, b: 12:00, c: "12:00", d: 1.2.3 } }';
    const { notes } = await convert('artillery', scriptOf(flow));
    const message =
      'the unquoted date or time is sent as written; Artillery converts it as defined in YAML 1.1';
    expect(notes).toEqual([`loss 5:36 ${message}`]);
  });

  test('loop values in JSON bodies of an Artillery script keep their types', async () => {
    expect(
      await linesOf(
        '- loop: [{ post: { url: /, json: { a: "{{ $loopElement }}" } } }]\n  over: [1, two]\n- loop: [{ post: { url: /c, json: { a: "{{ $loopCount }}" } } }]\n  count: 2',
      ),
    ).toEqual([
      '- url: https://a.example/base/',
      '  request_type: POST',
      '  json:',
      '    a: 1',
      '- url: https://a.example/base/',
      '  request_type: POST',
      '  json:',
      '    a: two',
      '- for_each:',
      '    count: [ "0", "1" ]',
      '  urls:',
      '    - url: https://a.example/base/c',
      '      request_type: POST',
      '      headers:',
      '        content-type: application/json',
      '      raw_post_body: \'{"a":{{count}}}\'',
    ]);
  });

  test('an environment variable in the value of an Artillery variable becomes a secret', async () => {
    const { text, notes } = await convert(
      'artillery',
      scriptOf(
        '- get: { url: /, headers: { authorization: "Bearer {{ token }}" } }',
        '  variables: { token: "{{ $processEnvironment.AUTH_TOKEN }}" }\n',
      ),
    );
    expect(urlLines(text)).toContain('    authorization: Bearer ${secret:AUTH_TOKEN}');
    expect(notes).toEqual([]);
  });

  test('keys of an Artillery script that are unknown or misplaced are reported as not converted', async () => {
    const script = `config:
  target: https://<YOUR_HOST>
  http: { keepAlive: false, defaults: { cookies: 1 } }
  defaults: { think: { jitter: 20% } }
  tls: { servername: a }
scenarios: [{ flow: [{ get: { url: / } }], defaults: {} }]
thresholds: {}
before: { beforeRequest: f }
`;
    expect((await convert('artillery', script)).notes).toEqual([
      'change 2:11 the script contains no constant target URL; replace the placeholder http://127.0.0.1:8080 with the URL of the target',
      'loss 3:11 "config.http.keepAlive" is not converted',
      'loss 3:41 "config.http.defaults.cookies" is not converted',
      'loss 4:15 "config.defaults.think" is not converted',
      'loss 5:10 "config.tls.servername" is not converted',
      'loss 6:44 "scenarios.defaults" is not converted',
      'loss 7:1 "thresholds" is not converted',
      'loss 8:11 "before.beforeRequest" is not converted',
    ]);
  });

  test('an Artillery script whose only URL is a captured value or absolute requires no target', async () => {
    const script = `config: {}
scenarios:
  - flow:
      - get: { url: https://a.example/, capture: { header: location, as: next } }
      - get: { url: "{{ next }}" }
`;
    const { notes, text } = await convert('artillery', script);
    expect(notes).not.toContainEqual(expect.stringContaining('target URL'));
    expect(urlLines(text).at(-1)).toBe('- "{{next}}"');
  });

  test('Artillery scenarios are converted to flows with the same weights', async () => {
    const { text } = await convert(
      'artillery',
      `config:
  target: https://a.example
  phases: [{ duration: 10, arrivalRate: 10 }]
scenarios:
  - { name: browse items, weight: 7, flow: [{ get: { url: /items } }] }
  - { name: Buy, weight: 3, flow: [{ get: { url: /buy } }] }
`,
    );
    expect(text).toContain(`    flows:
      browse-items:
        weight: 7
        urls:
          - https://a.example/items
      buy:
        weight: 3
        urls:
          - https://a.example/buy
`);
  });

  test.each([
    ['a function', '- get: { url: /x }\n- function: sign', 'loss 5:9 the step "function" is not converted'],
    [
      'a function before the request',
      '- get: { url: /x, beforeRequest: sign }',
      'loss 5:25 the functions in "beforeRequest" are not executed; make their changes to requests by hand',
    ],
    [
      'an unsupported condition',
      '- get: { url: /x, ifTrue: "a > 1" }',
      'loss 5:25 the condition "ifTrue" is not converted; the request is always sent',
    ],
    [
      'the expectation "equals"',
      '- get: { url: /x, expect: { equals: [1, 2] } }',
      'loss 5:35 the expectation "equals" is not converted',
    ],
    [
      'an XPath capture',
      '- get: { url: /x, capture: { xpath: //a, as: a } }',
      'loss 5:34 the capture of "a" is not converted; add it to "variables" of the request by hand',
    ],
    [
      'an unsupported expression',
      '- get: { url: "/{{ a.b | c }}" }',
      'loss 5:21 the expression "a.b | c" is not converted; nothing is inserted in its place',
    ],
    [
      'a loop with whileTrue',
      '- loop: [{ get: { url: /x } }]\n  whileTrue: more',
      'loss 5:9 the loop is executed only once, because its number of iterations or its items cannot be converted; to repeat the requests, add "repeat"',
    ],
    [
      'the expected status of a redirect',
      '- get: { url: /x, expect: [{ statusCode: 302 }, { contentType: json }] }',
      'loss 5:14 the test follows redirects, so the 3xx codes of the source are not in "expect.status"',
    ],
    [
      'two expected statuses that exclude each other',
      '- get: { url: /x, expect: [{ statusCode: 200 }, { statusCode: 404 }] }',
      'loss 5:14 the expectation "statusCode" is not converted',
    ],
    [
      'an expectation without the plugin "expect"',
      '- get: { url: /x, expect: [{ statusCode: 200 }] }',
      'change 5:14 expectations are checked, even though the plugin "expect" is not enabled',
    ],
    [
      'a variable think time',
      '- think: "{{ x }}"\n- get: { url: /x }',
      'loss 5:16 the think time is omitted, because it is not constant; add a "delay" by hand',
    ],
  ])('the conversion of an Artillery flow with %s adds a note', async (_, flow, note) => {
    const { notes } = await convert('artillery', scriptOf(flow));
    expect(notes.map((one) => one.replace(/^(\w+) \d+:\d+/, '$1'))).toContain(
      note.replace(/^(\w+) \d+:\d+/, '$1'),
    );
  });

  test.each([
    ['  processor: ./functions.js\n', '"config.processor" is not converted'],
    ['  plugins: { publish-metrics: [] }\n', 'the plugin "publish-metrics" is not converted'],
    [
      '  phases: [{ duration: 5, arrivalRate: 2, maxVusers: 3 }]\n',
      '"maxVusers" is not converted; the test does not limit the number of concurrent iterations',
    ],
    [
      '  ensure: { max: 5, vusers: 3 }\n',
      'the "ensure" condition on "vusers" is not converted to a threshold',
    ],
    [
      '  payload: { path: gone.csv, fields: [a] }\n',
      'the payload file "gone.csv" cannot be read: no such file',
    ],
  ])('the Artillery configuration %j is reported as not converted: %j', async (config, message) => {
    const { notes } = await convert('artillery', scriptOf('- get: { url: /x }', config));
    expect(notes.join('\n')).toContain(message);
  });

  test.each([
    [
      'no scenarios',
      'config: {}',
      'an Artillery script requires a list "scenarios" with at least one scenario',
    ],
    ['invalid YAML', 'scenarios: [', 'the source is not valid YAML'],
    [
      'only WebSocket scenarios',
      'scenarios: [{ engine: ws, flow: [{ send: hi }] }]',
      'the script has no scenario with the HTTP engine, a request and a weight above 0',
    ],
    [
      'an infinite number',
      scriptOf('- post: { url: /x, json: { a: -.inf } }'),
      'the number "-.inf" is not finite; replace it with a finite number or put it in quotes',
    ],
    [
      'a value that is not a number',
      scriptOf('- post: { url: /x, json: { a: .nan } }'),
      'the number ".nan" is not finite; replace it with a finite number or put it in quotes',
    ],
    ['200 nested lists', `scenarios: ${'['.repeat(200)}${']'.repeat(200)}`, 'nested deeper than 100 levels'],
    ['2,000 opening brackets', `scenarios: ${'['.repeat(2000)}`, 'nested deeper than 100 levels'],
  ])('an Artillery source with %s is refused', async (_, text, message) => {
    await expect(convert('artillery', text)).rejects.toThrow(message);
  });

  test('an integer above 2^53 in an Artillery script keeps its digits', async () => {
    const { text } = await convert(
      'artillery',
      scriptOf('- post: { url: /x, json: { a: 9007199254740993 } }'),
    );
    expect(urlLines(text).at(-1)).toBe(`  raw_post_body: '{"a":9007199254740993}'`);
  });

  test('a date in an Artillery script with the directive %YAML 1.1 is sent unchanged', async () => {
    const text = scriptOf('- get: { url: /x, headers: { a: 2001-02-03 } }');
    const { config } = await convert('artillery', `%YAML 1.1\n---\n${text}`);
    expect(config.desired.tests[0]?.spec.targets[0]?.headers).toEqual([{ name: 'a', value: '2001-02-03' }]);
  });
});
