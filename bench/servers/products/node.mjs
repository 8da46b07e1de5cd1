import { readPlainLine } from '../access-log.mjs';

const MORE = ['/empty', '/broken', '/moved', '/parts'];

const LOG = { file: 'access.log', read: readPlainLine, bytes: 'all' };

/** Logs each response after it was sent, with the bytes that the connection sent since the previous one. */
const NODE_SCRIPT = `
import { appendFileSync, readFileSync, openSync, writeSync } from 'node:fs';
const [, , port, what] = process.argv;
const log = openSync('access.log', 'a');
const sent = new WeakMap();
const ANSWERS = {
  '/ok': [200, 'ok'],
  '/big': [200, 'x'.repeat(100000)],
  '/broken': [500, 'it does not work'],
  '/moved': [302, ''],
  '/post': [200, 'read'],
};
async function answer(request, response) {
  const { socket } = request;
  response.once('finish', () => {
    const before = sent.get(socket) ?? 0;
    // What is encrypted has another length.
    const bytes = socket.encrypted ? '' : ' ' + (socket.bytesWritten - before);
    sent.set(socket, socket.bytesWritten);
    writeSync(log, request.method + ' ' + request.url + ' ' + response.statusCode + bytes + '\\n');
  });
  for await (const part of request) void part;
  const path = request.url.split('?')[0];
  response.setHeader('Content-Type', 'text/plain');
  if (path === '/empty') {
    response.writeHead(204).end();
  } else if (path === '/parts') {
    for (let part = 0; part < 10; part++) response.write('part '.repeat(100));
    response.end();
  } else {
    const [status, text] = ANSWERS[path] ?? [404, 'there is no such page'];
    if (path === '/moved') response.setHeader('Location', '/ok');
    response.writeHead(status, { 'Content-Length': text.length }).end(text);
  }
}
let server;
if (what === 'secure') {
  const { createServer } = await import('node:https');
  server = createServer({ key: readFileSync('key.pem'), cert: readFileSync('certificate.pem') }, answer);
} else {
  const { createServer } = await import('node:http');
  server = createServer(answer);
}
if (what === 'seven') server.maxRequestsPerSocket = 7;
if (what === 'short') server.keepAliveTimeout = 1;
if (what === 'close') server.on('request', (_, response) => response.shouldKeepAlive = false);
server.listen(Number(port), '127.0.0.1');
`;

const FASTIFY_SCRIPT = `
const { openSync, writeSync } = await import('node:fs');
const [, , port, directory] = process.argv;
const { createRequire } = await import('node:module');
const fastify = createRequire(directory + '/')(directory);
const log = openSync('access.log', 'a');
const app = fastify();
app.addHook('onResponse', async (request, reply) => {
  writeSync(log, request.method + ' ' + request.url + ' ' + reply.statusCode + '\\n');
});
app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => done(null));
app.get('/ok', async () => 'ok');
app.get('/big', async () => 'x'.repeat(100000));
app.get('/empty', async (_, reply) => { reply.code(204); });
app.get('/broken', async () => { throw new Error('it does not work'); });
app.get('/moved', async (_, reply) => reply.redirect('/ok'));
app.get('/parts', async (_, reply) => {
  const { Readable } = await import('node:stream');
  return reply.send(Readable.from(Array.from({ length: 10 }, () => 'part '.repeat(100))));
});
app.post('/post', async () => 'read');
await app.listen({ port: Number(port), host: '127.0.0.1' });
`;

const NODE = { file: process.execPath, version: process.versions.node, install: 'Node.js' };

const VARIANTS = [
  ['persistent connections', 'plain'],
  ['closes after 7 requests', 'seven'],
  ['closes after each request', 'close'],
  ['closes after 1 ms idle', 'short'],
  ['TLS', 'secure'],
];

function fastify(name, bodyBytes) {
  return {
    make: 'fastify',
    name,
    more: MORE,
    bodyBytes,
    log: { file: LOG.file, read: LOG.read },
    needs: [{ module: 'fastify', install: 'npm ci' }],
    files: () => ({ 'server.mjs': FASTIFY_SCRIPT }),
    commands: ({ port, module }) => [
      { command: [process.execPath, 'server.mjs', String(port), module('fastify')], port },
    ],
  };
}

export const NODE_SERVERS = [
  ...VARIANTS.map(([name, what]) => ({
    make: 'node:http',
    name,
    needs: [NODE],
    log: LOG,
    more: MORE,
    secure: what === 'secure',
    files: () => ({ 'server.mjs': NODE_SCRIPT }),
    commands: ({ port }) => [{ command: [process.execPath, 'server.mjs', String(port), what], port }],
  })),
  fastify('persistent connections'),
  fastify('refuses bodies of 2 MB: 413', 2_000_000),
];
