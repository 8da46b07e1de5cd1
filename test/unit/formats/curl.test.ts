/** Conversion of curl command lines. */
import { afterAll, describe, expect, test } from 'vitest';
import { encryptKey, openAuthority } from '../../support/certificate-authority.ts';
import { convert, urlLines } from './convert.ts';

/** Options of curl, and the lines of the request that they result in. */
const COMMANDS: readonly (readonly [name: string, command: string, ...lines: string[]])[] = [
  ['an http URL', 'curl http://a.example/', '- http://a.example/'],
  ['a URL without a scheme', 'curl a.example/x', '- http://a.example/x'],
  [
    'quotes of the Windows command line',
    'curl ^"http://a.example/x?a=1^&b=2^" ^\r\n  -H ^"x-a: `b` $c^" ^\r\n  --data-raw ^"^{^\\^"d^\\^":50^}^"',
    '- url: http://a.example/x?a=1&b=2',
    '  request_type: POST',
    '  headers:',
    '    x-a: "`b` $c"',
    '    content-type: application/x-www-form-urlencoded',
    `  raw_post_body: '{"d":50}'`,
  ],
  ['--url', 'curl --url https://a.example/x', '- https://a.example/x'],
  ['output options', 'curl -sS -o out.json -w "%{http_code}" https://a.example/', '- https://a.example/'],
  ['-I', 'curl -I https://a.example/', '- url: https://a.example/', '  request_type: HEAD'],
  ['-X DELETE', 'curl -XDELETE https://a.example/', '- url: https://a.example/', '  request_type: DELETE'],
  [
    'form fields',
    `curl -d a=1 -d 'b=x%20y' https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  request_params:',
    '    a: "1"',
    '    b: x y',
  ],
  [
    'a repeated form field',
    `curl -d a=1 -d a=2 https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  headers:',
    '    content-type: application/x-www-form-urlencoded',
    '  raw_post_body: a=1&a=2',
  ],
  [
    '--data-urlencode',
    `curl --data-urlencode 'q=a&b' --data-urlencode '=c d' https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  headers:',
    '    content-type: application/x-www-form-urlencoded',
    '  raw_post_body: q=a%26b&c%20d',
  ],
  [
    'a JSON body with -d',
    `curl -H 'content-type: application/json' -d '{ "a": [1, "x"] }' https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  json:',
    '    a:',
    '      - 1',
    '      - x',
  ],
  [
    '--json with a number that is not canonical',
    `curl --json '{"a":1.0}' https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  headers:',
    '    content-type: application/json',
    '    accept: application/json',
    `  raw_post_body: '{"a":1.0}'`,
  ],
  [
    'a removed Content-Type header',
    `curl -d 'plain text' -H 'Content-Type:' https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  raw_post_body: plain text',
  ],
  [
    '-G',
    `curl -G -d a=1 --data-urlencode 'b=c d' 'https://a.example/x?y=2'`,
    '- https://a.example/x?y=2&a=1&b=c%20d',
  ],
  [
    'a file with -d',
    'curl -d @body.txt https://a.example/',
    '- url: https://a.example/',
    '  request_type: POST',
    '  headers:',
    '    content-type: application/x-www-form-urlencoded',
    '  raw_post_body: two lines',
  ],
  [
    'a file with --data-binary',
    'curl --data-binary @body.txt -H "content-type: text/plain" https://a.example/',
    '- url: https://a.example/',
    '  request_type: POST',
    '  headers:',
    '    content-type: text/plain',
    String.raw`  raw_post_body: "two\n lines\n"`,
  ],
  [
    '-T',
    'curl -T body.txt https://a.example/',
    '- url: https://a.example/',
    '  request_type: PUT',
    String.raw`  raw_post_body: "two\n lines\n"`,
  ],
  [
    '-A, -e and -H',
    `curl -A agent -e https://b.example/ -H 'X-Empty;' -H 'X-A: b: c' https://a.example/`,
    '- url: https://a.example/',
    '  headers:',
    '    user-agent: agent',
    '    referer: https://b.example/',
    '    X-Empty: ""',
    '    X-A: "b: c"',
  ],
  [
    '--compressed',
    'curl --compressed https://a.example/',
    '- url: https://a.example/',
    '  headers:',
    '    accept-encoding: gzip, deflate, br',
  ],
  [
    '-u',
    'curl -u ann:pw https://a.example/',
    '- url: https://a.example/',
    '  credentials:',
    '    login: ann',
    '    password: ${secret:LT_PASSWORD}',
  ],
  [
    '--aws-sigv4 with a region, a service and variables',
    `curl --aws-sigv4 aws:amz:eu-central-1:execute-api -u "$AWS_ID:$AWS_KEY" -H "x-amz-security-token: $AWS_TOKEN" https://a.example/`,
    '- url: https://a.example/',
    '  aws_sigv4:',
    '    region: eu-central-1',
    '    service: execute-api',
    '    access_key_id: ${secret:AWS_ID}',
    '    secret_access_key: ${secret:AWS_KEY}',
    '    session_token: ${secret:AWS_TOKEN}',
  ],
  [
    '--aws-sigv4 with a region and a service from the host',
    'curl --aws-sigv4 aws:amz -u KEYID:top-secret-key https://logs.s3.eu-west-1.amazonaws.com/x',
    '- url: https://logs.s3.eu-west-1.amazonaws.com/x',
    '  aws_sigv4:',
    '    region: eu-west-1',
    '    service: s3',
    '    access_key_id: KEYID',
    '    secret_access_key: ${secret:LT_AWS_SECRET_ACCESS_KEY}',
  ],
  [
    '-b',
    `curl -b 'sid=abc' https://a.example/`,
    '- url: https://a.example/',
    '  headers:',
    '    cookie: ${secret:LT_COOKIE}',
  ],
  [
    'shell variables',
    `curl -H "Authorization: Bearer $API" https://a.example/$PART?token=$T`,
    '- url: https://a.example/${env:PART:-}',
    '  headers:',
    '    Authorization: Bearer ${secret:API}',
    '  request_params:',
    '    token: ${secret:T}',
  ],
  [
    '-F with a value, a file and a text file',
    `curl -F a=b -F 'doc=@body.txt;type=text/plain;filename=x.txt' -F 'c=<body.txt' https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  multipart:',
    '    a: b',
    '    doc:',
    '      file: body.txt',
    '      content_type: text/plain',
    '      filename: x.txt',
    String.raw`    c: "two\n lines\n"`,
  ],
  [
    'two URLs',
    'curl https://a.example/1 https://a.example/2',
    '- https://a.example/1',
    '- https://a.example/2',
  ],
  [
    '--next',
    'curl https://a.example/1 --next -d b=2 https://a.example/2',
    '- https://a.example/1',
    '- url: https://a.example/2',
    '  request_type: POST',
    '  request_params:',
    '    b: "2"',
  ],
  [
    'a sleep between two commands',
    'curl https://a.example/1\nsleep 0.25\ncurl https://a.example/2',
    '- url: https://a.example/1',
    '  delay: 250ms',
    '- https://a.example/2',
  ],
  [
    'text that looks like an expression',
    `curl -H 'x-a: {{a}} %{b}' -H 'content-type: text/plain' -d 'x {{y}}' https://a.example/`,
    '- url: https://a.example/',
    '  request_type: POST',
    '  headers:',
    String.raw`    x-a: \{{a}} \%{b}`,
    '    content-type: text/plain',
    String.raw`  raw_post_body: x \{{y}}`,
  ],
  ['text that looks like a reference', `curl 'https://a.example/\${x}'`, '- https://a.example/$${x}'],
];

describe('curl command lines', () => {
  test.each(COMMANDS)(
    'a curl command with %s is converted to the requests that curl sends',
    async (_, command, ...lines) => {
      const { text } = await convert('curl', command, { files: { 'body.txt': 'two\n lines\n' } });
      expect(urlLines(text)).toEqual(lines);
    },
  );

  test('the curl header "Connection: close" becomes "keep_alive: false" if all requests have it, and is reported as not converted otherwise', async () => {
    const close = "curl -L -H 'Connection: close' https://a.example/";
    expect((await convert('curl', `${close}\n${close}`)).text).toContain('keep_alive: false');
    const mixed = await convert('curl', `${close}\ncurl -L https://a.example/`);
    expect(mixed.text).not.toContain('keep_alive');
    expect(mixed.notes).toEqual([
      'loss 1:32 "Connection: close" is omitted; the test keeps the connection open after the request',
    ]);
  });

  test('a shell variable that stores a part of a curl response becomes a variable of the test, and a command substitution without curl is reported as not supported', async () => {
    const { text, notes } = await convert(
      'curl',
      `TOKEN=$(curl -L -s -X POST https://a.example/login -d '{"a": "(b)"}' | jq -r '.data.token')
curl -L https://a.example/ -H "authorization: Bearer $TOKEN"
ID=$(make-id)
curl -L https://a.example/$ID`,
    );
    expect(urlLines(text)).toEqual([
      '- url: https://a.example/login',
      '  request_type: POST',
      '  headers:',
      '    content-type: application/x-www-form-urlencoded',
      `  raw_post_body: '{"a": "(b)"}'`,
      '  variables:',
      '    - { name: TOKEN, property: /data/token, source: json }',
      '- url: https://a.example/',
      '  headers:',
      '    authorization: Bearer {{TOKEN}}',
      '# Not converted: a command substitution is not executed, and its output is omitted (source:4:1)',
      '- https://a.example/${env:ID:-}',
    ]);
    expect(notes).toEqual(['loss 4:1 a command substitution is not executed, and its output is omitted']);
  });

  test('the content type of a multipart value in a curl command is converted', async () => {
    const { text, notes } = await convert('curl', 'curl -L -F "a=b;type=text/plain" https://a.example/');
    expect(text).toMatch(/ a:\n +value: b\n +content_type: text\/plain\n/);
    expect(notes).toEqual([]);
  });

  test('a test that is converted from a curl command has the settings of -k and --max-time, and the default load', async () => {
    const { text } = await convert('curl', 'curl -kL --max-time 2.5 https://a.example/');
    expect(text).toContain(`  converted:
    test_type: cycling
    initial: 1
    total: 10
    duration: 10s
    timeout: 2.5s
    tls_verify: false
`);
  });

  test.each([
    [
      'curl -L --proxy http://p/ https://a.example/',
      'loss 1:9 the curl option --proxy is not supported and is ignored',
    ],
    [
      'curl -L -d @gone https://a.example/',
      'loss 1:12 the content of a file is omitted: the file "gone" cannot be read: no such file',
    ],
    [
      'curl -L "https://a.example/[1-3]"',
      'loss 1:9 the pattern in the URL is not expanded; add a request for each URL by hand',
    ],
    [
      'curl -L -X PURGE https://a.example/',
      'loss 1:18 the method PURGE is not supported; the request is sent as GET',
    ],
    ['curl -L -H "Host: b" https://a.example/', 'loss 1:22 the header "Host" is reserved and is omitted'],
    [
      String.raw`curl -L -H 'x-a: \{{a}}' https://a.example/`,
      'loss 1:26 a backslash before "{{" or "%{" is not sent',
    ],
    [
      'wget x\ncurl -L https://a.example/',
      'loss 1:1 the command "wget" is omitted, because only curl commands are converted',
    ],
    [
      'curl https://a.example/',
      'change 1:6 curl follows redirects only with -L, but the test follows them; to prevent this, add a status such as 302 to "expect.status"',
    ],
    [
      'curl -L $BASE/x',
      'change 1:9 the value of the variable BASE is unknown; replace the placeholder http://127.0.0.1:8080 with the address of the target',
    ],
  ])('the shell command %j is converted with a note about the difference', async (command, note) => {
    expect((await convert('curl', command)).notes).toContain(note);
  });

  test('an invalid request of a curl source is reported once as not converted, and the valid requests are converted', async () => {
    const { text, notes } = await convert(
      'curl',
      'curl -L http://a.example/ --next -L -H "Host: b" "http://b c/" http://a.example/{{id}}',
    );
    expect(urlLines(text)).toEqual(['- http://a.example/']);
    expect(notes).toEqual([
      'loss 1:50 the request is omitted: the URL "http://b%20c/" has no valid host',
      'loss 1:64 the request is omitted: "{{id}}" is not defined; no earlier request of the test defines it',
    ]);
    expect(text).toContain(
      '# Not converted: the request is omitted: the URL "http://b%20c/" has no valid host (source:1:50)',
    );
  });

  test('a curl source without a valid request is refused', async () => {
    await expect(convert('curl', 'ls')).rejects.toThrow('the source contains no curl command with a URL');
    await expect(convert('curl', 'curl http://')).rejects.toThrow('the source cannot be converted');
  });

  test('only the first 100 requests of a curl source are converted', async () => {
    const { text, notes } = await convert('curl', 'curl -L http://a.example/\n'.repeat(102));
    expect(urlLines(text)).toHaveLength(100);
    expect(notes).toEqual([
      'loss 101:9 a test has at most 100 requests; the remaining requests of the flow are omitted',
    ]);
  });

  test('converted parts of a multipart body have the values and content types that curl sends', async () => {
    const { text } = await convert(
      'curl',
      `curl -F 'room="red \\"one\\""' -F 'img=@"a.png"' -F 'data=@b.tsv' -F 'scan=@c;type=application/pdf' --form-string 'raw="x"' http://a.example/`,
      { files: { 'a.png': '1', 'b.tsv': '2', c: '3' } },
    );
    expect(urlLines(text).slice(2)).toEqual([
      '  multipart:',
      '    room: red "one"',
      '    img:',
      '      file: a.png',
      '      content_type: image/png',
      '    data:',
      '      file: b.tsv',
      '      content_type: application/octet-stream',
      '    scan:',
      '      file: c',
      '      content_type: application/pdf',
      '    raw: \'"x"\'',
    ]);
  });
});

describe('options of curl for connections', () => {
  const authority = openAuthority();
  const { cert, key } = authority.sign('client');
  const passphrase = 'correct-horse-9';
  const files = {
    'client.pem': cert,
    'client.key': key,
    'both.pem': cert + key,
    'locked.key': encryptKey(key, passphrase),
    'ca.pem': authority.pem,
    'other.key': authority.sign('other').key,
  };

  afterAll(() => {
    authority.close();
  });

  async function connectionOf(command: string) {
    const { text, notes } = await convert('curl', command, { files });
    const [, block = ''] = /\n {4}connection:\n((?: {6}.*\n)+)/.exec(text) ?? [];
    return { lines: block.split('\n').flatMap((line) => line.trim() || []), notes, text };
  }

  test.each<readonly [options: string, ...lines: string[]]>([
    ['--cert client.pem --key client.key', 'cert: ${file:client.pem}', 'key: ${file:client.key}'],
    ['-E both.pem', 'cert: ${file:both.pem}', 'key: ${file:both.pem}'],
    ['--cert-type PEM --cert both.pem --key-type pem', 'cert: ${file:both.pem}', 'key: ${file:both.pem}'],
    ['--cacert ca.pem', 'ca: ${file:ca.pem}'],
    ['--tlsv1.2', 'tls_min: "1.2"'],
    ['--tlsv1.3', 'tls_min: "1.3"'],
    ['-1'],
    ['--tlsv1.0'],
    ['-4', 'ip: 4'],
    ['--ipv6', 'ip: 6'],
    ['--resolve A.example:443:127.0.0.1', 'resolve:', 'a.example: 127.0.0.1'],
    ['--resolve +a.example:443:127.0.0.1,[::1]', 'resolve:', 'a.example: [ 127.0.0.1, "::1" ]'],
    ['--connect-to a.example:443:127.0.0.1:443', 'resolve:', 'a.example: 127.0.0.1'],
    ['--connect-to a.example:443:[::1]:', 'resolve:', 'a.example: "::1"'],
  ])('the curl options %s add only the corresponding "connection" settings', async (options, ...lines) => {
    const converted = await connectionOf(`curl -L ${options} https://a.example/`);
    expect(converted.notes).toEqual([]);
    expect(converted.lines).toEqual(lines);
  });

  test.each([
    ['the option --pass', `--cert client.pem --key locked.key --pass ${passphrase}`],
    ['the option --cert', `--cert client.pem:${passphrase} --key locked.key`],
  ])('the passphrase in %s of a curl command becomes a reference to a secret', async (_name, options) => {
    const { text, notes, secrets } = await convert('curl', `curl -L ${options} https://a.example/`, {
      files,
    });
    expect(notes).toEqual([]);
    expect(text).not.toContain(passphrase);
    expect(text).toContain('      passphrase: ${secret:LT_CLIENT_KEY_PASSPHRASE}\n');
    expect(secrets).toEqual([{ name: 'LT_CLIENT_KEY_PASSPHRASE', value: passphrase }]);
  });

  test.each([
    ['--cert client.p12 --cert-type P12', '--cert-type supports only PEM; convert the file to PEM'],
    ['--cert "$CERT"', '--cert is not supported'],
    ['--cert pkcs11:token', '--cert is not supported'],
    ["--resolve '*:443:127.0.0.1'", '--resolve is not supported'],
    ['--resolve a.example:443:b.example', '--resolve is not supported'],
    ['--connect-to a.example:443:b.example:443', '--connect-to is not supported'],
    ['--connect-to a.example:443:127.0.0.1:8443', '--connect-to is not supported'],
    ['--interface eth0', '--interface is not supported'],
  ])('the curl options %s are reported as not supported', async (options, loss) => {
    const { notes } = await connectionOf(`curl -L ${options} https://a.example/`);
    expect(notes).toContainEqual(expect.stringContaining(`the curl option ${loss}`));
  });

  test.each([
    ['--cert gone.pem --key client.key', '"connection.cert" is omitted: "${file:gone.pem}" cannot be read'],
    ['--cert client.pem --key other.key', '"connection.key" is omitted: "key" is not the private key of'],
    ['--cacert client.key', '"connection.ca" is omitted: "ca" contains no valid certificate'],
    ['--resolve b.example:443:127.0.0.1', '"connection.resolve.b.example" is omitted: the entry "b.example"'],
  ])(
    'invalid "connection" settings of the curl options %s are reported as not converted, with the reason',
    async (options, loss) => {
      const { notes } = await connectionOf(`curl -L ${options} https://a.example/`);
      expect(notes).toContainEqual(expect.stringContaining(loss));
    },
  );

  test('TLS settings of a curl command with an http URL are omitted', async () => {
    const { lines, notes } = await connectionOf('curl -L --cacert ca.pem --tlsv1.3 -4 http://a.example/');
    expect(notes).toEqual([]);
    expect(lines).toEqual(['ip: 4']);
  });

  test('connection settings of one curl command apply to all requests of the test, and a note reports this change', async () => {
    const same = 'curl -L --cacert ca.pem https://a.example/';
    expect((await connectionOf(`${same}\n${same}`)).notes).toEqual([]);
    const { lines, notes } = await connectionOf(
      `curl -L https://a.example/\n${same} --next -4 https://b.example/`,
    );
    expect(lines).toEqual(['ca: ${file:ca.pem}', 'ip: 4']);
    expect(notes).toEqual([
      'change 2:1 the connection options of all curl commands are combined and apply to all requests',
    ]);
  });
});
