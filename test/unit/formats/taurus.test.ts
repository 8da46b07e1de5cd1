/** Conversion of Taurus configurations. */
import { describe, expect, test } from 'vitest';
import { convert, urlLines } from './convert.ts';

/** Returns a configuration with one scenario. */
function configOf(requests: string, { execution = 'hold-for: 1m', scenario = '' } = {}): string {
  return `execution: { ${execution}, scenario: s }
scenarios:
  s: { default-address: "https://a.example/", retrieve-resources: false, ${scenario} requests: [${requests}] }
`;
}

async function linesOf(...given: Parameters<typeof configOf>): Promise<readonly string[]> {
  return urlLines((await convert('taurus', configOf(...given), { files: { 'a.csv': 'a' } })).text);
}

/** Returns the lines of the converted test before `urls`. */
function loadLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.slice(lines.indexOf('converted:') + 1, lines.indexOf('urls:'));
}

describe('Taurus configurations', () => {
  test.each<readonly [name: string, requests: string, lines: readonly string[]]>([
    ['a path', '/x', ['- https://a.example/x']],
    ['a path without a slash', 'x', ['- https://a.example/x']],
    ['an absolute URL', '"https://b.example/y?a=1"', ['- https://b.example/y?a=1']],
    [
      'a GET request with a body',
      '{ url: /x, body: { a: 1, b: "c d" } }',
      ['- https://a.example/x?a=1&b=c%20d'],
    ],
    [
      'a label, a method, headers and a form',
      '{ url: /x, label: one, method: put, headers: { x-a: b }, body: { a: "1" } }',
      [
        '- url: https://a.example/x',
        '  name: one',
        '  request_type: PUT',
        '  headers:',
        '    x-a: b',
        '  request_params:',
        '    a: "1"',
      ],
    ],
    [
      'a JSON body',
      '{ url: /x, method: POST, headers: { Content-Type: application/json }, body: { a: 1, b: ["${__UUID()}"] } }',
      [
        '- url: https://a.example/x',
        '  request_type: POST',
        '  json:',
        '    a: 1',
        '    b:',
        '      - "%{uuid}"',
      ],
    ],
    [
      'an uploaded file',
      '{ url: /x, method: POST, upload-files: [{ param: f, path: a.csv, mime-type: text/csv }], body: { note: n } }',
      [
        '- url: https://a.example/x',
        '  request_type: POST',
        '  multipart:',
        '    note: n',
        '    f:',
        '      file: a.csv',
        '      content_type: text/csv',
      ],
    ],
    [
      'extractors',
      '{ url: /x, extract-jsonpath: { id: "$.items[0].id" }, extract-regexp: { t: { regexp: "t=(.+?);", template: 1 } } }, "/y/${id}/${t}"',
      [
        '- url: https://a.example/x',
        '  variables:',
        '    - { name: id, property: /items/0/id, source: json }',
        '    - { name: t, property: t=(.+?);, source: body }',
        '- https://a.example/y/{{id}}/{{t}}',
      ],
    ],
    [
      'assertions',
      '{ url: /x, assert: [ok, { contains: ["2.."], regexp: true }, { contains: [bad], not: true }, { contains: ["201"], subject: http-code }], assert-jsonpath: [$.a, { jsonpath: $.b, expected-value: 3 }] }',
      [
        '- url: https://a.example/x',
        '  expect:',
        '    status: [ 201 ]',
        '    body:',
        '      contains: ok',
        '      not_contains: bad',
        '      matches: 2..',
        '    json:',
        '      /a:',
        '        exists: true',
        '      /b: 3',
      ],
    ],
    [
      'assertions with variables and headers',
      '{ url: /x, extract-jsonpath: { id: $.id } }, { url: /y, assert: [{ contains: ["order ${id}"] }, { contains: ["id=${id}"], regexp: true }, { contains: [Set-Cookie, "X-Shop: a"], subject: headers }] }',
      [
        '- url: https://a.example/x',
        '  variables:',
        '    - { name: id, property: /id, source: json }',
        '- url: https://a.example/y',
        '  expect:',
        '    headers:',
        '      Set-Cookie: "*"',
        '      X-Shop: a*',
        '    body:',
        '      contains: order {{id}}',
        '      matches: id={{id}}',
      ],
    ],
    [
      'redirects that are not followed',
      '{ url: /x, follow-redirects: false }',
      ['- url: https://a.example/x', '  expect:', '    status: [ 2xx, 3xx ]'],
    ],
    [
      'think times and pauses',
      '/x, { url: /y, think-time: 1s500ms }, { action: pause, pause-duration: 2s }',
      ['- url: https://a.example/x', '  delay: 1.5s', '- url: https://a.example/y', '  delay: 2s'],
    ],
    [
      'a loop and a transaction',
      '{ loop: 2, do: [/x] }, { transaction: t, do: [/y] }',
      ['- repeat: 2', '  urls:', '    - https://a.example/x', '- https://a.example/y'],
    ],
    [
      'a condition with both branches',
      '{ url: /x, extract-jsonpath: { state: $.state } }, { if: \'"${state}" == "open"\', then: [/y], else: [/z] }',
      [
        '- url: https://a.example/x',
        '  variables:',
        '    - { name: state, property: /state, source: json }',
        '- when:',
        '    state: open',
        '  urls:',
        '    - https://a.example/y',
        '- when:',
        '    state:',
        '      not: open',
        '  urls:',
        '    - https://a.example/z',
      ],
    ],
    [
      'a while loop',
      '{ while: \'"${state}" != "done"\', do: [{ url: /x, extract-jsonpath: { state: $.state } }] }',
      [
        '- repeat:',
        '    at_most: 100',
        '    until:',
        '      state: done',
        '  urls:',
        '    # Changed: the loop ends after at most 100 repetitions; to allow more, increase "at_most" (source:3:86)',
        '    - url: https://a.example/x',
        '      variables:',
        '        - { name: state, property: /state, source: json }',
      ],
    ],
  ])('a Taurus scenario with %s is converted to the corresponding requests', async (_, requests, lines) => {
    expect(await linesOf(requests)).toEqual(lines);
  });

  test('the think time of a Taurus scenario becomes a delay of each request, including the last request', async () => {
    expect(await linesOf('/x, /y', { scenario: 'think-time: 1s,' })).toEqual([
      '- url: https://a.example/x',
      '  delay: 1s',
      '- url: https://a.example/y',
      '  delay: 1s',
    ]);
  });

  test.each<readonly [string, readonly string[]]>([
    ['concurrency: 10, hold-for: 1m30s', ['initial: 10', 'total: 10', 'duration: 1m30s']],
    [
      'concurrency: 10, ramp-up: 1m, hold-for: 2m',
      ['stages:', '- { for: 1m, to: 10 }', '- { for: 2m, to: 10 }'],
    ],
    ['concurrency: "${__P(users,20)}", hold-for: 60', ['initial: 20', 'total: 20', 'duration: 1m']],
    [
      'concurrency: 4, ramp-up: 20s, steps: 2, hold-for: 30s',
      [
        'stages:',
        '- { for: 0s, to: 2 }',
        '- { for: 10s, to: 2 }',
        '- { for: 0s, to: 4 }',
        '- { for: 10s, to: 4 }',
        '- { for: 30s, to: 4 }',
      ],
    ],
    [
      'concurrency: 4, iterations: 5',
      ['initial: 4', 'total: 4', 'iterations_per_client: 5', 'duration: 10m'],
    ],
    [
      'concurrency: 4, iterations: 5, hold-for: 1m',
      ['initial: 4', 'total: 4', 'iterations_per_client: 5', 'duration: 1m'],
    ],
  ])('the Taurus execution "%s" is converted to the load of a cycling test', async (execution, lines) => {
    const { text } = await convert('taurus', configOf('/x', { execution }));
    expect(loadLines(text)).toEqual(['test_type: cycling', ...lines]);
  });

  test('an unknown key of a Taurus execution is reported as not converted', async () => {
    const { notes } = await convert('taurus', configOf('/x', { execution: 'hold-for: 1m, rampup: 10s' }));
    expect(notes).toEqual([expect.stringMatching(/^loss 1:\d+ "rampup" is not converted$/)]);
  });

  test('a Taurus throughput in requests per second is converted to a rate of iterations', async () => {
    const { text, notes } = await convert(
      'taurus',
      configOf('/x, /y', { execution: 'throughput: 9, concurrency: 5, hold-for: 1m' }),
    );
    expect(loadLines(text)).toEqual(['test_type: per-second', 'total: 4.5', 'duration: 1m']);
    expect(notes).toEqual([
      'change 1:12 the throughput becomes an iteration rate of 4.5 per second',
      'loss 1:12 the concurrency limit (5) is not converted; the test does not limit the number of concurrent iterations',
    ]);
  });

  test('a Taurus execution without a duration is converted to a test that sends the requests once per client', async () => {
    const { text } = await convert('taurus', configOf('/x', { execution: 'concurrency: 3' }));
    expect(loadLines(text)).toEqual(['test_type: non-cycling', 'total: 3', 'duration: 1s']);
  });

  test('several Taurus executions are converted to flows', async () => {
    const { config } = await convert(
      'taurus',
      `execution: [{ concurrency: 3, hold-for: 1m, scenario: a }, { concurrency: 1, hold-for: 1m, scenario: b }]
scenarios: { a: { requests: ["https://a.example/a"] }, b: { requests: ["https://a.example/b"] } }`,
    );
    const [converted] = config.desired.tests;
    expect(converted?.spec.flows?.map(({ name, weight }) => [name, weight])).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
  });

  test.each([
    ['avg-rt>150ms for 10s, stop as failed', 'avg_response_time', '<= 150ms'],
    ['p90 >= 1s', 'p90', '< 1s'],
    ['fail>5%, continue as failed', 'error_rate', '<= 5%'],
    ['rps<10', 'requests_per_second', '>= 10'],
  ])('the Taurus criterion "%s" becomes the threshold "%s: %s"', async (criterion, metric, limit) => {
    const { text } = await convert(
      'taurus',
      `${configOf('/x')}reporting: [{ module: passfail, criteria: ["${criterion}"] }]\n`,
    );
    expect(text.replaceAll('"', '')).toContain(`      ${metric}: ${limit}\n`);
  });

  test('variables of a Taurus scenario have values from the scenario or a data source, and an unknown variable is sent as text', async () => {
    const { text, notes } = await convert(
      'taurus',
      configOf('"/x?a=${a}&u=${user}&m=${missing}"', {
        scenario: 'variables: { a: "1" }, data-sources: [users.csv],',
      }),
      { files: { 'users.csv': 'user,pin\nann,1\n' } },
    );
    expect(urlLines(text).filter((line) => !line.startsWith('#'))).toEqual([
      '- url: https://a.example/x?a=1&u={{user}}&m=$${missing}',
      '  payload_file:',
      '    file: users.csv',
      '    order: sequential',
    ]);
    expect(notes).toEqual([
      'loss 3:135 the variable "missing" has no value, so "${missing}" is not replaced',
    ]);
  });

  test.each([
    [
      '{ while: "a", do: [/x] }',
      'the step "while" is not converted; its steps are executed once in each iteration',
    ],
    ['{ url: /x }, { action: stop }', 'the step "action" is not converted'],
    [
      '{ if: "a", then: [/x] }',
      'the condition is not converted; the steps of "then" are always executed, and any steps of "else" are omitted',
    ],
    ['{ url: /x, jsr223: a }', '"jsr223" is not converted'],
    ['{ url: /x, assert: [{ contains: ["a b"], subject: headers }] }', 'the assertion is not converted'],
    ['{ url: /x, assert: [{ contains: ["${__P(word)}"] }] }', 'the assertion is not converted'],
    ['{ url: "/x?a=${__groovy(1)}" }', 'the function "__groovy" is not converted'],
    ['{ url: /x, extract-jsonpath: { a: "$..b" } }', 'the extractor for "a" is not converted'],
  ])('the unsupported part of the Taurus step %s is reported as not converted', async (request, message) => {
    const { notes } = await convert('taurus', configOf(request));
    expect(notes).toEqual([expect.stringMatching(/^loss \d+:\d+ /)]);
    expect(notes[0]).toContain(message);
  });

  test.each([
    ['a: 1', 'a Taurus configuration requires "execution" with at least one execution'],
    ['execution: [{ scenario: { script: a.jmx } }]', 'no executed scenario contains a request'],
  ])('the Taurus source %j is refused', async (text, message) => {
    await expect(convert('taurus', text)).rejects.toThrow(message);
  });
});
