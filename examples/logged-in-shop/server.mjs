// A shop with logins. A wrong pin, or a token that does not belong to the user of an order, returns 403. An order is
// packed when its state is requested for the third time. Without sessions, all requests with tokens return 401.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, ...accounts] = readFileSync(new URL('./rows/users.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const sessions = new Map();
const orders = new Map();

function readJson(request, use) {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
    if (text.length > 10_000) request.destroy();
  });
  request.on('end', () => {
    use(JSON.parse(text));
  });
}

const server = createServer((request, response) => {
  const [, list = '', id] = (request.url ?? '/').split('/');
  const respond = (status, content = {}) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content));
  };
  if (list === '') {
    respond(200);
    return;
  }
  if (request.method === 'POST' && list === 'login') {
    readJson(request, ({ user, pin }) => {
      const token = `token-${sessions.size}`;
      if (accounts.includes(`${user},${pin}`)) sessions.set(token, user);
      respond(sessions.has(token) ? 200 : 403, { token });
    });
    return;
  }
  if (request.method === 'DELETE' && list === 'sessions') {
    sessions.clear();
    respond(200);
    return;
  }
  const user = sessions.get((request.headers.authorization ?? '').slice('Bearer '.length));
  if (user === undefined) {
    respond(401);
    return;
  }
  if (request.method === 'POST' && list === 'orders') {
    readJson(request, (order) => {
      const number = `order-${orders.size}`;
      orders.set(number, { user, requests: 0 });
      respond(order.user === user ? 201 : 403, { id: number });
    });
    return;
  }
  const order = orders.get(id);
  if (list === 'orders' && order !== undefined) {
    order.requests++;
    respond(order.user === user ? 200 : 403, { state: order.requests < 3 ? 'open' : 'packed' });
    return;
  }
  respond(list === 'articles' ? 200 : 404);
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT ?? 4092), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
