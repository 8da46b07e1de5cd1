/** `record`: a proxy in front of a target, whose requests become a test. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { runCli, startCli } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createSelfSigned } from '../support/raw-target.ts';
import { onScopeEnd, useShared } from '../support/shared.ts';
import { waitUntil } from '../support/test-service.ts';
import { openTestTarget, type TargetHandler } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

/** The function `send` of the clients. A process that calls `fetch` takes five times as long to load its modules. */
const SEND = `
import { Agent, request } from 'node:http';
const send = (url, { body, ...options } = {}) => new Promise((done, failed) => {
  const sent = request(url, options, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part) => { text += part; }).on('error', failed);
    response.on('end', () => done({ status: response.statusCode, location: response.headers.location, text }));
  });
  sent.on('error', failed).end(body);
});
`;

/** A client that logs in, sends the token of the response, and uploads a form. */
const CLIENT = `${SEND}
const base = process.argv[2] ?? process.env.LOADTESTS_RECORD_URL;
const json = { 'content-type': 'application/json' };
const login = await send(base + '/login', { method: 'POST', headers: json, body: JSON.stringify({ user: 'ann', password: 'c4nAryX' }) });
const { token } = JSON.parse(login.text);
await send(base + '/items?page=2', { headers: { authorization: 'Bearer ' + token } });
const form = { 'content-type': 'multipart/form-data; boundary=the-boundary' };
const part = '--the-boundary\\r\\nContent-Disposition: form-data; name="note"\\r\\n\\r\\nhello\\r\\n--the-boundary--\\r\\n';
await send(base + '/upload', { method: 'POST', headers: form, body: part });
console.log('the client has ended');
`;

async function openShop() {
  let count = 0;
  const target = await openTestTarget((incoming, response) => {
    count += 1;
    const token = `token-${count}-${Math.random().toString(36).slice(2)}`;
    response.setHeader('content-type', 'application/json');
    if (incoming.url?.endsWith('?cookie') === true) response.setHeader('set-cookie', `sid=${count}`);
    if (incoming.url === '/moved')
      response.writeHead(302, { location: `http://${incoming.headers.host ?? ''}/items` });
    void text(incoming).then(() => response.end(JSON.stringify({ token })));
  });
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'client.mjs'), CLIENT);
  const record = async (...args: readonly string[]) =>
    await runInProcess(['record', '--target', target.url, ...args], { directory });
  return { target, directory, record };
}

/** A client that sends requests to URLs through the proxy of its environment: tunneled for HTTPS. */
const PROXY_CLIENT = `
import { readFileSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { dirname } from 'node:path';
import { connect } from 'node:tls';
const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS: ca } = process.env;
// Later versions of Node.js send the requests of the default agent through the proxy.
const agent = new Agent();
const read = (response, done) => {
  let body = '';
  response.on('data', (chunk) => { body += chunk; }).on('end', () => done({ status: response.statusCode, cookie: response.headers['set-cookie']?.[0], body }));
};
const send = (url) => new Promise((done, failed) => {
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol === 'http:') {
    const { hostname: host, port } = new URL(HTTP_PROXY);
    request({ agent, host, port, path: url, headers: { host: new URL(url).host } }, (response) => read(response, done)).on('error', failed).end();
    return;
  }
  const proxy = new URL(HTTPS_PROXY);
  const tunnel = request({ agent, host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: hostname + ':' + (port || 443) });
  tunnel.on('connect', (response, socket) => {
    if (response.statusCode !== 200) { socket.destroy(); done({ status: response.statusCode }); return; }
    const secure = connect({ socket, servername: hostname, ca: readFileSync(ca) }, () => {
      request({ createConnection: () => secure, host: hostname, path: pathname, headers: { connection: 'close' } }, (answer) => read(answer, done)).on('error', failed).end();
    }).on('error', failed);
  }).on('error', failed).end();
});
for (const url of process.argv.slice(2)) console.log(url, JSON.stringify(await send(url)));
if (ca) console.log('modes', (statSync(ca).mode & 0o777).toString(8), (statSync(dirname(ca)).mode & 0o777).toString(8), 'file', ca);
console.log('no proxy:', NO_PROXY);
`;

/** Opens a target with TLS for \`localhost\`, and returns the file of the authority that it needs. */
async function openSecureTarget(directory: string, respond: TargetHandler) {
  const { key, cert } = createSelfSigned();
  const requests: string[] = [];
  const server = createSecureServer({ key, cert }, (request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onScopeEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const authority = join(directory, 'authority.pem');
  writeFileSync(authority, cert);
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return { url: `https://localhost:${port}`, requests, authority };
}

/** Records a client that sends requests to targets with and without TLS, and to other hosts. */
async function recordProxyClient() {
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'client.mjs'),
    `${PROXY_CLIENT}\nconsole.log('keys', readFileSync(ca, 'utf8').includes('PRIVATE'));`,
  );
  const respond: TargetHandler = (request, response) => {
    response.setHeader('set-cookie', 'sid=c0okieAbc123; Domain=localhost; Secure');
    response.end(request.url);
  };
  const secure = await openSecureTarget(directory, respond);
  const plain = await openTestTarget(respond);
  const other = await openTestTarget(respond);
  const ran = await runCli(
    [
      ...['record', '--target', secure.url, '--target', plain.url, '--', process.execPath, 'client.mjs'],
      ...[`${secure.url}/secure`, `${plain.url}/plain`, '{url}/reverse'],
      ...[`${other.url}/plain`, `https://127.0.0.1:${other.port}/secure`, 'https://shop.example/'],
    ],
    { directory, env: { NODE_EXTRA_CA_CERTS: secure.authority, NO_PROXY: 'localhost,127.0.0.1' } },
  );
  return { secure, plain, other, ran };
}

describe('the record command as a proxy', () => {
  /** Uses the built program, because Node.js reads additional authorities only at its start. */
  const proxyRecording = useShared(recordProxyClient);

  test('the record command acts as a forward proxy, and records requests to the URLs of targets with and without TLS', () => {
    const { secure, plain, ran } = proxyRecording();
    expect(ran.exit, ran.stderr).toBe(0);
    expect(secure.requests).toEqual(['GET /secure', 'GET /reverse']);
    expect(plain.requests).toEqual(['GET /plain']);
    expect(ran.stdout.match(/https?:.*/g)).toEqual([
      `${secure.url}/secure`,
      `${plain.url}/plain`,
      `${secure.url}/reverse`,
    ]);
    // Only clients of the reverse proxy need changed cookies.
    expect(ran.stderr.match(/"cookie":"[^"]*"/g)).toEqual([
      '"cookie":"sid=c0okieAbc123; Domain=localhost; Secure"',
      '"cookie":"sid=c0okieAbc123; Domain=localhost; Secure"',
      '"cookie":"sid=c0okieAbc123"',
    ]);
    expect(ran.stderr).toContain('no proxy: undefined');
  });

  test('the certificate file of a recording is private, contains no key, and is removed when the recording ends', () => {
    const { ran } = proxyRecording();
    const [, file = ''] = /modes 600 700 file (.*)/.exec(ran.stderr) ?? [];
    expect(ran.stderr).toContain('keys false');
    expect([file === '', existsSync(dirname(file))]).toEqual([false, false]);
  });

  test('the record command refuses requests to hosts other than its targets, does not record them, and lists these hosts', () => {
    const { other, ran } = proxyRecording();
    expect(other.requests).toEqual([]);
    expect(ran.stderr.match(/"status":403/g)).toHaveLength(3);
    for (const origin of [other.url, `https://127.0.0.1:${other.port}`, 'https://shop.example'])
      expect(ran.stderr).toContain(
        `the proxy refused requests to ${origin}; to record them, add "--target ${origin}"`,
      );
    expect(ran.stdout).not.toContain(String(other.port));
    expect(ran.stdout).not.toContain('shop.example');
  });

  test('the record command reports that a client opened an HTTPS connection, but sent no request', async () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'client.mjs'), PROXY_CLIENT.replace('ca: readFileSync(ca)', 'ca: []'));
    const { url } = await openSecureTarget(directory, (_, response) => response.end());
    const ran = await runInProcess(
      ['record', '--target', url, '--', process.execPath, 'client.mjs', `${url}/`],
      { directory },
    );
    expect(ran.stderr).toContain('a client opened a connection through the proxy, but sent no request');
    expect(ran.exit).toBe(3);
  });

  test.each([
    ['http://169.254.169.254', '"169.254.169.254" is never allowed (metadata address)'],
    [
      'http://127.0.0.1:6379',
      '"127.0.0.1" is not allowed with port 6379, because this port is reserved for another protocol',
    ],
  ])('the record command refuses the target %s', async (url, reason) => {
    const ran = await runInProcess(['record', '--target', url, '--', 'true'], {
      directory: createTestDirectory(),
    });
    expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining(reason)]);
  });

  test('the record command refuses its own proxy as the target', async () => {
    const port = String(await findFreePort());
    const ran = await runInProcess(
      ['record', '--target', `http://localhost:${port}`, '--port', port, '--', 'true'],
      {
        directory: createTestDirectory(),
      },
    );
    expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining('uses this port')]);
  });
});

describe('record', () => {
  test('the requests of a recorded command become a valid test with variables and without secrets', async () => {
    const { target, directory, record } = await openShop();
    const ran = await record('-o', 'loadtests.yaml', '--', process.execPath, 'client.mjs', '{url}');
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('the client has ended')]);
    expect(target.requests).toEqual(['POST /login', 'GET /items?page=2', 'POST /upload']);
    const file = readFileSync(join(directory, 'loadtests.yaml'), 'utf8');
    const lines = file.split('\n').map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        'recording:',
        `- url: ${target.url}/login`,
        'password: ${secret:LT_PASSWORD}',
        '- { name: token, property: /token, source: json }',
        `- url: ${target.url}/items?page=2`,
        'authorization: Bearer {{token}}',
        'note: hello',
      ]),
    );
    expect(file).not.toMatch(/c4nAryX|boundary/);
    expect((await runInProcess(['validate'], { directory })).exit).toBe(0);
  });

  test('record --twice runs the recorded command twice, and values that differ between the runs become variables', async () => {
    const { target, record } = await openShop();
    const ran = await record('--twice', '-q', '--', process.execPath, 'client.mjs');
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    expect(target.requests).toHaveLength(6);
    expect(ran.stdout).toContain('authorization: Bearer {{token}}');
  });

  test('record --twice converts a token to a variable even if each of its two recordings contains a body of 33 MiB', async () => {
    let logins = 0;
    const target = await openTestTarget(({ url }, response) => {
      if (url !== '/login') return response.end(Buffer.alloc(33 * 1024 * 1024, 'a'));
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ token: `token-${++logins}` }));
    });
    const directory = createTestDirectory();
    writeFileSync(
      join(directory, 'large.mjs'),
      `${SEND}
const [, , base] = process.argv;
await send(base + '/large');
const { token } = JSON.parse((await send(base + '/login')).text);
await send(base + '/items', { method: 'HEAD', headers: { authorization: 'Bearer ' + token } });`,
    );
    const ran = await runInProcess(
      ['record', '--target', target.url, '--twice', '-q', '--', process.execPath, 'large.mjs', '{url}'],
      { directory },
    );
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('authorization: Bearer {{token}}');
  });

  test('in a recording, redirects of the target lead to the proxy, and requests to other hosts are refused', async () => {
    const { directory, record } = await openShop();
    writeFileSync(
      join(directory, 'redirect.mjs'),
      `${SEND}
const base = process.argv[2];
const { location } = await send(base + '/moved');
await send(location);
console.log(location === base + '/items' ? 'followed to the proxy' : location);
const { hostname, port } = new URL(base);
// Without the agent of Node.js, which sends requests through the proxy.
request({ agent: new Agent(), hostname, port, path: 'http://other.example/' }, (response) => { console.log('status', response.statusCode); response.resume(); }).end();`,
    );
    const ran = await record('--', process.execPath, 'redirect.mjs', '{url}');
    expect(ran.stderr).toContain('followed to the proxy');
    expect(ran.stderr).toContain('status 403');
    expect(ran.stdout).not.toContain('other.example');
  });

  test('the record command records requests to several targets, and --env sets variables of the recorded command', async () => {
    const { target, directory } = await openShop();
    const { target: other } = await openShop();
    const port = await findFreePort();
    writeFileSync(
      join(directory, 'two.mjs'),
      `${SEND}for (const base of process.env.BASES.split(' ')) await send(base + '/items');`,
    );
    const ran = await runInProcess(
      [
        ...['record', '-q', '--target', target.url, '--map', `${port}=${other.url}`],
        ...['--env', `BASES={url} http://127.0.0.1:${port}`, '--', process.execPath, 'two.mjs'],
      ],
      { directory },
    );
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain(`${target.url}/items`);
    expect(ran.stdout).toContain(`${other.url}/items`);
  });

  test('record --har writes a private file without secrets, and "loadtests import" creates the same requests from this file as record does', async () => {
    const { directory, record } = await openShop();
    const command = ['--', process.execPath, 'client.mjs', '{url}'];
    const ran = await record('-q', '--har', 'shop.har', ...command);
    const har = readFileSync(join(directory, 'shop.har'), 'utf8');
    expect(har).not.toMatch(/c4nAryX|token-1-/);
    expect(har).toContain('LT_PASSWORD');
    expect(statSync(join(directory, 'shop.har')).mode & 0o777).toBe(0o600);
    const imported = await runInProcess(['import', '--from', 'har', 'shop.har'], { directory });
    const requestsIn = (text: string) => text.split('\n').filter((line) => line.includes('url:'));
    expect(requestsIn(imported.stdout)).toEqual(requestsIn(ran.stdout));
    expect((await record('-q', '--har', 'shop.har', ...command)).exit).toBe(3);
  });

  test('record --iterations-marker compares the first two iterations of one recording, and rejects a marker that matches no request', async () => {
    const { directory, record } = await openShop();
    writeFileSync(
      join(directory, 'loop.mjs'),
      `${SEND}
const base = process.argv[2];
for (let iteration = 0; iteration < 3; iteration++) {
  const { token } = JSON.parse((await send(base + '/start', { method: 'POST' })).text);
  await send(base + '/items/' + token);
}`,
    );
    const command = ['--', process.execPath, 'loop.mjs', '{url}'];
    const ran = await record('-q', '--iterations-marker', 'POST /start', ...command);
    expect(ran.stdout.match(/url: |- http/g)).toHaveLength(2);
    expect(ran.stdout).toContain('/items/{{token}}');
    const missing = await record('-q', '--iterations-marker', 'GET /gone', ...command);
    expect([missing.exit, missing.stderr]).toEqual([
      3,
      expect.stringContaining('no recorded request matches'),
    ]);
  });

  test('in a test recorded with --iterations-marker, each client sends the requests before the first iteration once', async () => {
    const { directory, record } = await openShop();
    writeFileSync(
      join(directory, 'session.mjs'),
      `${SEND}
const base = process.argv[2];
const { token } = JSON.parse((await send(base + '/start', { method: 'POST' })).text);
for (let iteration = 0; iteration < 3; iteration++) {
  await send(base + '/items');
  await send(base + '/carts/' + token);
  await new Promise((done) => setTimeout(done, 400));
}`,
    );
    const command = ['--', process.execPath, 'session.mjs', '{url}'];
    const ran = await record('--iterations-marker', 'GET /items', ...command);
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain('each client sends 1 request only once, before its first iteration');
    const paths = ran.stdout.match(/on_start|urls:|https?:.*/g)?.map((url) => url.replace(/^.*:\d+/, ''));
    expect(paths).toEqual(['on_start', 'urls:', '/start', 'urls:', '/items', '/carts/{{token}}']);
    // The think time before the second iteration follows the last request of the first one.
    expect(ran.stdout).toMatch(/\/carts\/\{\{token\}\}[^-]+delay: \d/);
  });

  test.each([
    ['cookies', 'false', 'false', '?cookie'],
    ['connections', 'new Agent(alone)', 'new Agent(alone)', ''],
  ])(
    'record --iterations-marker distinguishes overlapping clients by their %s',
    async (_, one, other, query) => {
      const { directory, record } = await openShop();
      writeFileSync(
        join(directory, 'overlap.mjs'),
        `import { Agent, request } from 'node:http';
const alone = { keepAlive: true, maxSockets: 1 };
const open = (agent, headers = {}) => (method, path) => new Promise((done, failed) => {
  const sent = request(process.argv[2] + path, { method, agent, headers }, (response) => {
    let body = '';
    const [cookie] = response.headers['set-cookie'] ?? [];
    if (cookie) headers.cookie = cookie;
    response.on('data', (chunk) => { body += chunk; }).on('end', () => done(JSON.parse(body)));
  });
  sent.on('error', failed).end();
});
const [first, second] = [open(${one}), open(${other})];
const one = await first('POST', '/start${query}');
const two = await second('POST', '/start${query}');
await first('GET', '/items/' + one.token);
await second('GET', '/items/' + two.token);
await first('DELETE', '/carts/' + one.token);
await second('DELETE', '/carts/' + two.token);
process.exit();`,
      );
      const command = ['--', process.execPath, 'overlap.mjs', '{url}'];
      const ran = await record('-q', '--iterations-marker', 'POST /start', ...command);
      expect([ran.exit, ran.stderr]).toEqual([0, '']);
      expect(ran.stdout.match(/https?:.*/g)?.map((url) => url.replace(/^.*:\d+/, ''))).toEqual([
        `/start${query}`,
        '/items/{{token}}',
        '/carts/{{token}}',
      ]);
    },
  );

  test('the record command records a request that a client tunnels through the proxy to the address of the proxy', async () => {
    const { target, directory, record } = await openShop();
    writeFileSync(
      join(directory, 'tunnel.mjs'),
      `import { request } from 'node:http';
const { hostname, port, host } = new URL(process.argv[2]);
request({ hostname, port, method: 'CONNECT', path: host }).on('connect', (_, socket) => {
  request({ createConnection: () => socket, host, path: '/items' }, (response) => response.resume()).end();
}).end();`,
    );
    const ran = await record('-q', '--', process.execPath, 'tunnel.mjs', '{url}');
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    expect(target.requests).toEqual(['GET /items']);
    expect(ran.stdout).toContain(`${target.url}/items`);
  });

  test.each([
    [['--map', 'x=http://127.0.0.1:1'], '--map requires a port from 1 to 65535'],
    [['--map', '8081=ftp://a.example'], '--map requires an http or https URL after the port'],
    [['--env', '=1'], '--env requires a valid variable name and a value'],
    [['--twice', '--iterations-marker', 'GET /', '--', 'true'], 'cannot be combined'],
  ])('the record command refuses the flags %j', async (flags, message) => {
    const { record } = await openShop();
    const ran = await record(...flags);
    expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining(message)]);
  });

  test('record without a command ends the recording at the first signal, and prints the recorded request', async () => {
    const { target, directory } = await openShop();
    const recording = startCli(['record', '--target', target.url], { directory });
    await recording.saw('Press Ctrl-C');
    const proxy = /http:\/\/127\.0\.0\.1:\d+/.exec(recording.output())?.[0] ?? '';
    await (await fetch(`${proxy}/items`)).text();
    recording.kill('SIGINT');
    const { exit, stdout } = await recording.ended;
    expect([exit, stdout]).toEqual([0, expect.stringContaining(`- url: ${target.url}/items`)]);
  });

  test('the record command rejects an existing output file before it runs the recorded command', async () => {
    const { target, directory, record } = await openShop();
    writeFileSync(join(directory, 'existing.yaml'), '');
    const ran = await record('-o', 'existing.yaml', '--', process.execPath, 'client.mjs', '{url}');
    expect(ran.exit).toBe(3);
    expect(target.requests).toEqual([]);
  });

  test('with record --twice, a signal during the first run prevents the second run', async () => {
    const { target, directory } = await openShop();
    writeFileSync(
      join(directory, 'waits.mjs'),
      `${SEND}await send(process.argv[2] + '/items'); setInterval(() => 0, 1000);`,
    );
    const interrupt = new AbortController();
    const recording = runInProcess(
      ['record', '--target', target.url, '--twice', '--', process.execPath, 'waits.mjs', '{url}'],
      { directory, interrupt: interrupt.signal },
    );
    await waitUntil(() => (target.requests.length > 0 ? true : null));
    interrupt.abort();
    await recording;
    expect(target.requests).toEqual(['GET /items']);
  });

  test('if the target aborts a response during a recording, the response to the client ends with an error', async () => {
    const target = await openTestTarget((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('abc', () => response.destroy());
    });
    const directory = createTestDirectory();
    writeFileSync(
      join(directory, 'one.mjs'),
      `${SEND}console.log('ended', await send(process.argv[2]).catch(() => 'with an error'));`,
    );
    const ran = await runInProcess(
      ['record', '--target', target.url, '--', process.execPath, 'one.mjs', '{url}'],
      { directory },
    );
    expect(ran.stderr).toContain('ended with an error');
  });

  test('the proxy of the record command responds with status 502 if the target cannot be reached', async () => {
    const directory = createTestDirectory();
    writeFileSync(
      join(directory, 'one.mjs'),
      `${SEND}console.log('status', (await send(process.argv[2])).status);`,
    );
    const target = `http://127.0.0.1:${await findFreePort()}`;
    const ran = await runInProcess(
      ['record', '--target', target, '--', process.execPath, 'one.mjs', '{url}'],
      { directory },
    );
    expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining('status 502')]);
    expect(ran.stderr).toContain('no request was recorded');
  });

  test.each([
    [['record'], 'record requires --target'],
    [['record', '--target', 'shop.example'], 'record requires --target'],
    [
      ['record', '--target', 'http://127.0.0.1:8080/api'],
      'the target URL of --target must not contain a path, a query or credentials',
    ],
    [['record', '--target', 'http://127.0.0.1:8080', '--twice'], '--twice requires a command'],
    [
      ['record', '--target', 'http://127.0.0.1:8080', '--', process.execPath, '-e', '0'],
      'no request was recorded',
    ],
    [
      ['record', '--target', 'http://127.0.0.1:8080', '--', 'no-such-program'],
      'The recorded command failed: "no-such-program" cannot be started: no such file or directory',
    ],
  ])(
    'loadtests with the arguments %j exits with 3, and the error states the reason',
    async (args, message) => {
      const ran = await runInProcess(args, { directory: createTestDirectory() });
      expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining(message)]);
    },
  );
});
