/**
 * Compares the requests of Artillery with those of the converted tests: one iteration of each script, request by
 * request.
 *
 *     node scripts/compare-artillery.mjs [DIRECTORY]
 *
 * DIRECTORY contains an installation of Artillery. By default, the script installs it into a temporary directory.
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { artilleryCommand } from './artillery-command.mjs';

/** Steps of one scenario. The target is a server that returns the same JSON for all paths. */
const SCRIPTS = {
  paths: `
      - get: { url: /a }
      - get: { url: "/b?x=1", qs: { y: "two words", z: "a&b" } }
      - head: { url: /c }
      - delete: { url: /d }`,
  bodies: `
      - post: { url: /json, json: { a: 1, b: [true, null, "x"], c: { d: "é" } } }
      - put: { url: /form, form: { a: "1", b: "two words", c: "é&=" } }
      - patch: { url: /text, body: "plain text", headers: { content-type: text/plain } }
      - post: { url: /multipart, formData: { title: "two words", count: "3" } }`,
  headers: `
      - get: { url: /h, headers: { x-one: "1", authorization: "Bearer abc" } }
      - get: { url: /auth, auth: { user: ann, pass: "p:w" } }
      - get: { url: /cookie, cookie: { a: "1", b: "2" } }`,
  captures: `
      - post: { url: /login, json: { user: ann }, capture: [{ json: $.token, as: token }, { header: x-id, as: id }, { json: $.number, as: number }] }
      - get: { url: "/items/{{ id }}", headers: { authorization: "Bearer {{ token }}" } }
      - post: { url: /cart, json: { number: "{{ number }}", token: "{{ token }}" } }`,
  loops: `
      - loop: [{ get: { url: "/count/{{ $loopCount }}" } }]
        count: 3
      - loop: [{ get: { url: /same } }, { post: { url: /same, json: { a: 1 } } }]
        count: 2
      - loop: [{ get: { url: "/element/{{ $loopElement }}" } }]
        over: [a, b]
      - get: { url: /list, capture: { json: $.ids, as: ids } }
      - loop: [{ get: { url: "/item/{{ id }}" } }]
        over: ids
        loopElement: id`,
  conditions: `
      - get: { url: /me, capture: [{ json: $.role, as: role }, { json: $.number, as: number }] }
      - get: { url: /admin, ifTrue: 'role == "admin"' }
      - get: { url: /guest, ifTrue: 'role == "guest"' }
      - get: { url: /number, ifTrue: "number > 3" }
      - get: { url: /less, ifTrue: "number < 3" }`,
  types: `
      - post: { url: /number, json: { a: "{{ $randomNumber(3, 3) }}" } }
      - loop: [{ post: { url: /count, json: { a: "{{ $loopCount }}" } } }]
        count: 2
      - loop: [{ post: { url: /element, json: { a: "{{ $loopElement }}" } } }]
        over: [1, two, true]`,
  redirects: `
      - get: { url: /moved }
      - get: { url: /moved, followRedirect: false }
      - get: { url: /last }`,
};

/** Headers that differ between clients, or that depend on the connection. */
const IGNORED = [
  'x-loadtests-run',
  'user-agent',
  'connection',
  'host',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
  'accept',
];

const LOADTESTS = resolve(import.meta.dirname, '../dist/cli/main.js');

async function openServer() {
  let requests = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const headers = Object.entries(incoming.headers).filter(([name]) => !IGNORED.includes(name));
      requests.push(
        normalized({
          line: `${incoming.method} ${incoming.url}`,
          headers: Object.fromEntries(headers.sort()),
          body,
        }),
      );
      response.setHeader('x-id', 'seven');
      response.setHeader('content-type', 'application/json');
      if (incoming.url === '/moved') response.writeHead(302, { location: '/target' });
      response.end(JSON.stringify({ token: 'abc', number: 7, role: 'admin', ids: ['i1', 'i2'] }));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    take: () => requests.splice(0),
    close: () => server.close(),
  };
}

/** Replaces the boundary of multipart bodies, and white space and the charset of JSON, which have no meaning. */
function normalized({ line, headers, body }) {
  const type = headers['content-type'] ?? '';
  const [, boundary] = /boundary=([^;]+)/.exec(type) ?? [];
  if (boundary === undefined) return { line, headers, body };
  return {
    line,
    headers: { ...headers, 'content-type': type.replace(boundary, 'BOUNDARY') },
    body: body.replaceAll(boundary, 'BOUNDARY').replaceAll(/\r?\n/g, '\n').trimEnd(),
  };
}

function execute(command, args, cwd) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: {
        ...process.env,
        ARTILLERY_DISABLE_TELEMETRY: 'true',
        LT_TOKEN: 'abc',
        LT_PASSWORD: 'p:w',
        LT_COOKIE: 'a=1; b=2',
      },
    });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('close', () => done(Buffer.concat(output).toString('utf8')));
  });
}

const directory = mkdtempSync(join(tmpdir(), 'compare-artillery-'));
const artillery = artilleryCommand(directory);
const server = await openServer();
let differences = 0;
const selected = process.env.SCRIPTS?.split(',') ?? Object.keys(SCRIPTS);
for (const [name, flow] of Object.entries(SCRIPTS)) {
  if (!selected.includes(name)) continue;
  const script = join(directory, `${name}.yml`);
  writeFileSync(
    script,
    `config:\n  target: ${server.url}\n  phases: [{ duration: 1, arrivalCount: 1 }]\nscenarios:\n  - flow:${flow}\n`,
  );
  const log = await execute(process.execPath, [...artillery, script], directory);
  const theirs = server.take();
  const file = join(directory, `${name}.yaml`);
  const report = await execute(
    process.execPath,
    [LOADTESTS, 'import', '--from', 'artillery', script, '-o', file],
    directory,
  );
  const ran = await execute(
    process.execPath,
    [LOADTESTS, 'run', name, '--once', '--yes', '-f', file],
    directory,
  );
  const ours = server.take();
  const found = [];
  for (let index = 0; index < Math.max(theirs.length, ours.length); index++) {
    const [one, other] = [theirs[index], ours[index]].map((request) => JSON.stringify(request));
    if (one !== other) found.push(`  request ${index + 1}\n    Artillery: ${one}\n    loadtests: ${other}`);
  }
  differences += found.length;
  console.log(`${name}: ${theirs.length} requests, ${found.length} differences`);
  if (found.length > 0) console.log(found.join('\n'));
  if (theirs.length === 0) console.log(log);
  if (ours.length === 0) console.log(report, ran, readFileSync(file, 'utf8'));
}
server.close();
rmSync(directory, { recursive: true });
process.exitCode = differences === 0 ? 0 : 1;
