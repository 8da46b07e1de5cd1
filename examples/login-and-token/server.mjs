// A shop with a login. The session is required in a header and in the body, and an order is visible only to the
// session that placed it. A run without errors therefore proves that every value was sent correctly.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** Orders by session. A load test logs in often and never logs out, so only the newest sessions are stored. */
const sessions = new Map();

const server = createServer((request, response) => {
  const respond = (status, headers = {}) => {
    response.writeHead(status, headers);
    response.end();
  };
  const session = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const { pathname } = new URL(request.url ?? '/', 'http://shop');

  if (request.method === 'GET' && pathname === '/') {
    respond(204);
  } else if (request.method === 'POST' && pathname === '/login') {
    readJson(request, (body) => {
      if (body.user !== 'ci') return respond(403);
      const newSession = randomUUID();
      sessions.set(newSession, new Set());
      if (sessions.size > 10_000) sessions.delete(sessions.keys().next().value);
      respond(200, { 'X-Session': newSession });
    });
  } else if (request.method === 'POST' && pathname === '/orders') {
    readJson(request, (body) => {
      const orders = sessions.get(session);
      if (orders === undefined || body.session !== session) return respond(401);
      const order = randomUUID();
      orders.add(order);
      respond(201, { 'X-Order-Id': order });
    });
  } else if (request.method === 'GET' && pathname.startsWith('/orders/')) {
    respond(sessions.get(session)?.has(pathname.slice('/orders/'.length)) === true ? 200 : 404);
  } else {
    respond(404);
  }
});

function readJson(request, done) {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
    if (text.length > 10_000) request.destroy();
  });
  request.on('end', () => {
    try {
      done(Object(JSON.parse(text)));
    } catch {
      done({});
    }
  });
}

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT ?? 4082), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
