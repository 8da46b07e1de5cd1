/** Conversion of the command lines of load generators with one request, and of vegeta targets. */
import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../../src/formats/formats.ts';
import { convert, urlLines } from './convert.ts';

/** Returns the lines of the converted test, without their indentation. */
function testLines(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n');
  return lines.slice(lines.indexOf('  converted:') + 1).map((line) => line.slice(4));
}

async function linesOf(format: FormatName, text: string): Promise<readonly string[]> {
  return testLines(
    (
      await convert(format, text, {
        files: { 'body.json': '{"a":1}', 'targets.txt': 'GET http://a.example/1\n' },
      })
    ).text,
  );
}

const URL_LINES = ['urls:', '  - http://a.example/'];

describe('command lines of load generators', () => {
  test.each<readonly [name: string, format: FormatName, text: string, lines: readonly string[]]>([
    [
      'a duration and a concurrency',
      'ab',
      'ab -k -t 30 -c 20 http://a.example/',
      ['test_type: cycling', 'initial: 20', 'total: 20', 'duration: 30s', ...URL_LINES],
    ],
    [
      'a body file and a header',
      'ab',
      'ab -k -t5 -c2 -p body.json -T application/json -H "x-a: b" http://a.example/',
      [
        'test_type: cycling',
        'initial: 2',
        'total: 2',
        'duration: 5s',
        'urls:',
        '  - url: http://a.example/',
        '    request_type: POST',
        '    headers:',
        '      x-a: b',
        '    json:',
        '      a: 1',
      ],
    ],
    [
      'a rate per worker, by a program with a directory and a suffix',
      'hey',
      'tools/hey.exe -z 1m -c 5 -q 2 a.example/',
      ['test_type: per-second', 'total: 10', 'duration: 1m', 'connections: 5', ...URL_LINES],
    ],
    [
      'a method, a body and credentials',
      'hey',
      `hey -z 10s -m PUT -d 'x' -T text/plain -a ann:pw -t 3 http://a.example/`,
      [
        'test_type: cycling',
        'initial: 50',
        'total: 50',
        'duration: 10s',
        'timeout: 3s',
        'urls:',
        '  - url: http://a.example/',
        '    request_type: PUT',
        '    credentials:',
        '      login: ann',
        '      password: ${secret:LT_PASSWORD}',
        '    headers:',
        '      content-type: text/plain',
        '    raw_post_body: x',
      ],
    ],
    [
      '-disable-keepalive without a rate',
      'hey',
      'hey -z 10s -c 7 -disable-keepalive http://a.example/',
      ['test_type: cycling', 'initial: 7', 'total: 7', 'duration: 10s', 'keep_alive: false', ...URL_LINES],
    ],
    [
      '--disable-keepalive with a rate',
      'oha',
      'oha -z 10s -q 7 --disable-keepalive http://a.example/',
      ['test_type: per-second', 'total: 7', 'duration: 10s', ...URL_LINES],
    ],
    [
      '--insecure',
      'oha',
      'oha -z 10s -q 7 --insecure http://a.example/',
      [
        'test_type: per-second',
        'total: 7',
        'duration: 10s',
        'connections: 50',
        'tls_verify: false',
        ...URL_LINES,
      ],
    ],
    [
      'threads and connections',
      'wrk',
      'wrk -t4 -c100 -d2m --latency http://a.example/',
      ['test_type: cycling', 'initial: 100', 'total: 100', 'duration: 2m', ...URL_LINES],
    ],
    [
      'a rate of wrk2',
      'wrk',
      'wrk2 x; wrk -R500 -d10 -H "x-a: b" http://a.example/',
      [
        'test_type: per-second',
        'total: 500',
        'duration: 10s',
        'connections: 10',
        'urls:',
        '  - url: http://a.example/',
        '    headers:',
        '      x-a: b',
      ],
    ],
    [
      'a rate',
      'vegeta',
      'echo "GET http://a.example/" | vegeta attack -rate=50/s -duration=5s | vegeta report',
      ['test_type: per-second', 'total: 50', 'duration: 5s', 'connections: 10000', ...URL_LINES],
    ],
    [
      'no rate limit',
      'vegeta',
      'echo "GET http://a.example/" | vegeta attack -rate=0 -max-workers=8 -duration=5s',
      ['test_type: cycling', 'initial: 8', 'total: 8', 'duration: 5s', ...URL_LINES],
    ],
    [
      '-keepalive=false',
      'vegeta',
      'echo "GET http://a.example/" | vegeta attack -keepalive=false -rate=50/s -duration=5s',
      ['test_type: per-second', 'total: 50', 'duration: 5s', ...URL_LINES],
    ],
    [
      '-max-connections',
      'vegeta',
      'echo "GET http://a.example/" | vegeta attack -max-connections=20 -rate=50/s -duration=5s',
      ['test_type: per-second', 'total: 50', 'duration: 5s', 'connections: 20', ...URL_LINES],
    ],
    [
      'a file of targets',
      'vegeta',
      'vegeta attack -targets=targets.txt -rate 30/1m -duration 1m',
      [
        'test_type: per-second',
        'total: 0.5',
        'duration: 1m',
        'connections: 10000',
        'urls:',
        '  - http://a.example/1',
      ],
    ],
    [
      'two targets',
      'vegeta',
      'GET http://a.example/1\nx-a: b\n\nPOST http://a.example/2\n@body.json\ncontent-type: application/json\n',
      [
        'test_type: cycling',
        'initial: 1',
        'total: 10',
        'duration: 10s',
        'flows:',
        '  get-1:',
        '    urls:',
        '      - url: http://a.example/1',
        '        headers:',
        '          x-a: b',
        '  post-2:',
        '    urls:',
        '      - url: http://a.example/2',
        '        request_type: POST',
        '        json:',
        '          a: 1',
      ],
    ],
    [
      'a JSON target',
      'vegeta',
      '{"method":"PUT","url":"http://a.example/x","header":{"x-a":["b"]},"body":"aGk="}\n',
      [
        'test_type: cycling',
        'initial: 1',
        'total: 10',
        'duration: 10s',
        'urls:',
        '  - url: http://a.example/x',
        '    request_type: PUT',
        '    headers:',
        '      x-a: b',
        '    raw_post_body: hi',
      ],
    ],
    [
      'items, a delay and a ramp-up',
      'drill',
      `base: 'http://a.example'
concurrency: 4
iterations: 10
rampup: 2
plan:
  - name: Item
    request: { url: '/items/{{ item }}', headers: { x-a: b } }
    with_items: [1, 2]
  - delay: { seconds: 3 }
  - name: Create
    request: { url: /items, method: POST, body: 'x' }
`,
      [
        'test_type: cycling',
        'initial: 1',
        'stages:',
        '  - { for: 2s, to: 4 }',
        '  - { for: 10m, to: 4 }',
        'iterations: 10',
        'urls:',
        '  - url: http://a.example/items/1',
        '    name: Item',
        '    headers:',
        '      x-a: b',
        '  - url: http://a.example/items/2',
        '    name: Item 2',
        '    headers:',
        '      x-a: b',
        '    delay: 3s',
        '  - url: http://a.example/items',
        '    name: Create',
        '    request_type: POST',
        '    raw_post_body: x',
      ],
    ],
    [
      'assignments and assertions',
      'drill',
      `base: 'http://a.example'
plan:
  - request: { url: /login, method: POST }
    assign: login
  - assert: { key: login.status, value: 201 }
  - assert: { key: login.body.role, value: admin }
  - request: { url: '/items/{{ login.body.ids[0] }}', headers: { x-token: '{{ login.headers.x-token }}' } }
    assign: item
  - assert: { key: item.body.name, value: 'item {{ login.body.ids[0] }}' }
  - assert: { key: item.headers.x-kind, value: a }
`,
      [
        'test_type: cycling',
        'initial: 1',
        'total: 1',
        'iterations: 1',
        'duration: 10m',
        'urls:',
        '  - url: http://a.example/login',
        '    request_type: POST',
        '    expect:',
        '      status: [ 201 ]',
        '      json:',
        '        /role: admin',
        '    variables:',
        '      - { name: login_ids_0, property: /ids/0, source: json }',
        '      - { name: login_x_token, property: x-token, source: header }',
        '  - url: http://a.example/items/{{login_ids_0}}',
        '    headers:',
        '      x-token: "{{login_x_token}}"',
        '    expect:',
        '      headers:',
        '        x-kind: a',
        '      json:',
        '        /name: item {{login_ids_0}}',
      ],
    ],
  ])(
    'with %s, a source in the format %s is converted to the corresponding requests and load',
    async (_, format, text, lines) => {
      expect((await linesOf(format, text)).filter((line) => !line.startsWith('#'))).toEqual(lines);
    },
  );

  test.each([
    ['with_items_from_csv: rows.csv', 'rows.csv', 'id,name\n1,ada\n2,"b, c"\n', '/{{ item.id }}'],
    ['with_items_from_csv: { file_name: ./rows.csv }', 'rows.csv', '\uFEFFid\r\n1\r\n2', '/{{ item.id }}'],
    ['with_items_from_file: ids.txt', 'ids.txt', '1\n2\n', '/{{ item }}'],
  ])('a drill request with the field "%s" is repeated for each row', async (items, file, content, url) => {
    const { text } = await convert(
      'drill',
      `base: http://a.example\nplan: [{ request: { url: '${url}' }, ${items} }]`,
      { files: { [file]: content } },
    );
    expect(urlLines(text)).toEqual([
      '- for_each:',
      '    item: [ "1", "2" ]',
      '  urls:',
      '    - http://a.example/{{item}}',
    ]);
  });

  test.each<readonly [FormatName, string, string]>([
    ['wrk', 'wrk -s post.lua http://a.example/', 'loss 1:5 the option "-s" of wrk is not converted'],
    [
      'hey',
      'hey -z 5s -D gone http://a.example/',
      'loss 1:14 the body of the request is omitted: the file "gone" cannot be read: no such file',
    ],
    [
      'hey',
      'hey -z 5s http://a.example/\nhey -z 5s http://a.example/',
      'loss 2:1 only the first hey command is converted',
    ],
    [
      'vegeta',
      'echo "GET http://a.example/" | vegeta attack -rate=max',
      'loss 1:32 the rate "max" is not supported; the test uses 50 requests per second',
    ],
    [
      'drill',
      'plan: [{ request: { url: "http://a.example/{{ x }}" } }]',
      'loss 1:26 the expression "x" is not converted; nothing is inserted in its place',
    ],
    [
      'drill',
      'plan: [{ request: { url: "http://a.example/" }, shuffle: true }]',
      'loss 1:49 "shuffle" is not converted',
    ],
    [
      'drill',
      'plan: [{ request: { url: "http://a.example/" } }, { assert: { key: a.status, value: 200 } }]',
      'loss 1:61 the assertion is not converted',
    ],
    [
      'drill',
      'iterations: 7\nplan: [{ request: { url: "http://a.example/" } }]',
      'change 2:26 the source does not limit the duration, so the test ends after 10m at the latest; if the iterations take longer, increase "duration"',
    ],
    [
      'drill',
      'plan: [{ request: { url: "http://a.example/", body: { file: a.json } } }]',
      'loss 1:53 "body" is not text; the request is sent without a body',
    ],
    [
      'drill',
      'plan: [{ request: { url: "http://a.example/" }, with_items_from_csv: gone.csv }]',
      'loss 1:70 the file "gone.csv" cannot be read: no such file',
    ],
    [
      'drill',
      'plan: [{ request: { url: "http://a.example/" }, with_items_range: { start: 1, stop: "{{ n }}" } }]',
      'loss 1:67 the request is sent only once, because "with_items_range" must have constant bounds, a positive "step" and 1 to 1000 items',
    ],
    [
      'drill',
      'plan: [{ request: { url: "http://a.example/" } }, { exec: { command: ls } }]',
      'loss 1:51 the step is not converted',
    ],
  ])('the %s source %j is converted with a note about the difference', async (format, text, note) => {
    expect((await convert(format, text)).notes).toContain(note);
  });

  test.each<readonly [FormatName, string, string]>([
    ['hey', 'curl x', 'the source contains no hey command'],
    ['wrk', 'wrk -c 1', 'the wrk command has no URL'],
    ['hey', "hey -z 5s 'http://a.example/", 'the command contains a quote that is not closed'],
    ['vegeta', '', 'the source contains no targets'],
    ['vegeta', 'hello', 'a target must begin with a method and a URL'],
    ['vegeta', 'GET http://a.example/\nwhat is this', 'a line after a target must be a header'],
    ['vegeta', 'vegeta attack -targets=gone', 'the file "gone" cannot be read'],
    ['drill', 'plan: []', 'requires "plan" with a request'],
  ])('the %s source %j is refused', async (format, text, message) => {
    await expect(convert(format, text)).rejects.toThrow(message);
  });
});
