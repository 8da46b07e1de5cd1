// A server on raw TCP with responses that often surprise clients. It logs each response after it was sent
// completely. Usage: node irregular-server.mjs PORT
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';

const log = openSync('access.log', 'a');
const BIG = 'x'.repeat(100_000);

/** Returns a response with its length. */
function whole(status, body, ...headers) {
  return [`HTTP/1.1 ${status} X`, `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n');
}

const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload; as=style\r\n\r\n';

/**
 * Responses by path: strings that are sent one after another, and the fate of the connection. `every`: ms
 * between the strings. `close`: closes the connection at the end. `closeAfter`: closes it this number of ms
 * later, without notice. `early`: responds before the body is read.
 */
const ANSWERS = {
  '/ok': { parts: [whole(200, 'ok')] },
  '/big': { parts: [whole(200, BIG)] },
  '/hints': { parts: [HINTS, HINTS, whole(200, 'ok')] },
  '/continue': { parts: ['HTTP/1.1 100 Continue\r\n\r\n', whole(200, 'ok')] },
  '/processing': { parts: ['HTTP/1.1 102 Processing\r\n\r\n'.repeat(5), whole(200, 'ok')], every: 2 },
  '/unchanged': { parts: ['HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\nETag: "a"\r\n\r\n'] },
  '/offer': { parts: [whole(200, 'ok', 'Upgrade: h2c, websocket', 'Connection: Upgrade')] },
  '/slow-head': { parts: [...whole(200, 'ok')], every: 1 },
  '/slow-body': { parts: [whole(200, 'x'.repeat(20)).slice(0, -19), ...'x'.repeat(19)], every: 2 },
  '/chunks': {
    parts: [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3',
      '\r\nabc',
      '\r',
      '\n0\r\nA: b\r\n',
      '\r\n',
    ],
    every: 1,
  },
  '/to-the-end': { parts: ['HTTP/1.1 200 OK\r\n\r\n', 'some ', 'text'], every: 1, close: true },
  '/old': { parts: ['HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok'] },
  '/says-close': { parts: [whole(200, 'ok', 'Connection: close')], close: true },
  '/says-close-stays': { parts: [whole(200, 'ok', 'Connection: close')] },
  '/leaves': { parts: [whole(200, 'ok')], closeAfter: 2 },
  '/leaves-at-once': { parts: [whole(200, 'ok')], close: true },
  // Before the body is read, which is then read or ignored.
  '/post': { parts: [whole(200, 'read')] },
  '/too-large': { parts: [whole(413, 'too large', 'Connection: close')], close: true, early: true },
};
const MISSING = { parts: [whole(404, 'there is no such page')] };

createServer({ noDelay: true, allowHalfOpen: false }, (socket) => {
  let text = '';
  let busy = false;
  let left = false;
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (more) => {
    text += more;
    next();
  });
  function next() {
    const end = text.indexOf('\r\n\r\n');
    if (busy || left || end < 0) return;
    const [line, ...headers] = text.slice(0, end).split('\r\n');
    const [method, path] = line.split(' ');
    const answer = ANSWERS[path.split('?')[0]] ?? MISSING;
    const length = Number(headers.find((one) => /^content-length:/i.test(one))?.split(':')[1] ?? 0);
    if (answer.early !== true && text.length < end + 4 + length) return;
    text = text.slice(end + 4 + length);
    busy = true;
    send(answer, 0, () => {
      busy = false;
      const status = /^HTTP\/1\.. ([2-5]\d\d)/m.exec(answer.parts.join(''))[1];
      const bytes = answer.parts.reduce((sum, part) => sum + part.length, 0);
      writeSync(log, `${method} ${path} ${status} ${bytes}\n`);
      if (answer.close === true) leave();
      if (answer.closeAfter !== undefined) setTimeout(leave, answer.closeAfter);
      next();
    });
  }
  function leave() {
    if (busy) return;
    left = true;
    socket.end();
  }
  function send(answer, at, done) {
    const { parts, every } = answer;
    if (socket.destroyed) return;
    const now = every === undefined ? parts.length : at + 1;
    for (const part of parts.slice(at, now)) socket.write(part, 'latin1');
    if (now < parts.length) setTimeout(send, every, answer, now, done);
    else done();
  }
}).listen(Number(process.argv[2]), '127.0.0.1');
