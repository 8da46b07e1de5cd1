// A shop with a JSON API. A payment needs the token of the session, and covers the items of its cart.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const PRICE = 42;
/** Carts by token. A load test logs in often and never logs out, so only the newest carts are stored. */
const sessions = new Map();

const server = createServer((request, response) => {
  const respond = (status, body, headers = {}) => {
    const json = { 'content-type': 'application/json; charset=utf-8' };
    response.writeHead(status, body === undefined ? headers : { ...json, ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const cart = sessions.get(token);
  const { pathname } = new URL(request.url ?? '/', 'http://shop');

  readJson(request, (body) => {
    if (request.method === 'GET' && pathname === '/') {
      respond(204);
    } else if (request.method === 'POST' && pathname === '/login') {
      if (body.user !== 'ci' || !Number.isInteger(body.device)) return respond(403);
      const [newToken, id] = [randomUUID(), randomUUID()];
      sessions.set(newToken, { id, items: [] });
      if (sessions.size > 10_000) sessions.delete(sessions.keys().next().value);
      respond(200, { session: { token: newToken } }, { 'set-cookie': `cart=${id}; Path=/; HttpOnly` });
    } else if (cart === undefined) {
      respond(401);
    } else if (request.method === 'PUT' && pathname === `/carts/${cart.id}`) {
      cart.items = body.items ?? [];
      respond(204);
    } else if (request.method === 'POST' && pathname === '/payments' && body.cart === cart.id) {
      const total = cart.items.reduce((sum, { count }) => sum + count * PRICE, 0);
      // Both outcomes have the same status code; only the body differs.
      respond(201, { status: total > 0 ? 'paid' : 'refused', total });
    } else {
      respond(404);
    }
  });
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
server.listen(Number(process.env.PORT ?? 4090), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
