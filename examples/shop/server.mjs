// A small shop to put load on: a start page, a login that hands out a token in a header,
// a cart that wants the token, and a search that takes its time.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const port = Number(process.env.SHOP_PORT ?? 4080);
// Where the verification token is published.
const folder = resolve(process.env.SHOP_PUBLIC ?? fileURLToPath(new URL('./public/', import.meta.url)));
const tokens = new Set();

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
  const answer = (status, text, headers = {}) => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
    response.end(text);
  };
  switch (`${request.method} ${pathname}`) {
    case 'GET /':
      answer(200, 'Welcome to the shop.\n');
      return;
    case 'POST /login':
      readForm(request, (form) => {
        if (form.get('user') !== 'ci') {
          answer(403, 'Who are you?\n');
          return;
        }
        const token = randomUUID();
        tokens.add(token);
        // A load test logs in often; nobody comes back for the old ones.
        if (tokens.size > 10_000) tokens.delete(tokens.values().next().value);
        answer(200, 'Hello.\n', { 'X-Shop-Token': token });
      });
      return;
    case 'POST /cart':
      readForm(request, (form) => {
        if (!tokens.has(request.headers['x-shop-token'])) answer(401, 'Log in first.\n');
        else if (!form.has('sku')) answer(422, 'Which article?\n');
        else answer(201, `Article ${form.get('sku')} is in your cart.\n`);
      });
      return;
    case 'GET /search':
      setTimeout(() => answer(200, `Nothing found for ${searchParams.get('q') ?? ''}.\n`), 40);
      return;
    default:
      sendFile(pathname, request, response, answer);
  }
});

/** The verification token, once it was published: a name of the folder, never a path. */
function sendFile(pathname, request, response, answer) {
  const name = pathname.slice(1);
  if (request.method !== 'GET' || !/^[A-Za-z0-9-]+\.txt$/.test(name)) {
    answer(404, 'There is no such page.\n');
    return;
  }
  const file = createReadStream(join(folder, name));
  file.on('error', () => answer(404, 'There is no such page.\n'));
  file.on('open', () => file.pipe(response));
}

function readForm(request, done) {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
    if (text.length > 10_000) request.destroy();
  });
  request.on('end', () => done(new URLSearchParams(text)));
}

server.keepAliveTimeout = 60_000;
server.listen(port, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
