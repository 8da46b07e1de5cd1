// A small shop to load: a start page, a login that returns a token in a header, a cart that requires the token, and a
// slow search.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const port = Number(process.env.SHOP_PORT ?? 4080);
// The directory of the verification token.
const publicDirectory = resolve(
  process.env.SHOP_PUBLIC ?? fileURLToPath(new URL('./public/', import.meta.url)),
);
const tokens = new Set();

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
  const respond = (status, text, headers = {}) => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
    response.end(text);
  };
  switch (`${request.method} ${pathname}`) {
    case 'GET /':
      respond(200, 'Welcome to the shop.\n');
      return;
    case 'POST /login':
      readForm(request, (form) => {
        if (form.get('user') !== 'ci') {
          respond(403, 'Unknown user.\n');
          return;
        }
        const token = randomUUID();
        tokens.add(token);
        // A load test logs in often and does not reuse old tokens.
        if (tokens.size > 10_000) tokens.delete(tokens.values().next().value);
        respond(200, 'Hello.\n', { 'X-Shop-Token': token });
      });
      return;
    case 'POST /cart':
      readForm(request, (form) => {
        if (!tokens.has(request.headers['x-shop-token'])) respond(401, 'Log in first.\n');
        else if (!form.has('sku')) respond(422, 'The article is missing.\n');
        else respond(201, `Article ${form.get('sku')} is in your cart.\n`);
      });
      return;
    case 'GET /search':
      setTimeout(() => respond(200, `Nothing found for ${searchParams.get('q') ?? ''}.\n`), 40);
      return;
    default:
      sendFile(pathname, request, response, respond);
  }
});

/** Sends the verification token after it was published. Accepts a file name, never a path. */
function sendFile(pathname, request, response, respond) {
  const name = pathname.slice(1);
  if (request.method !== 'GET' || !/^[A-Za-z0-9-]+\.txt$/.test(name)) {
    respond(404, 'Page not found.\n');
    return;
  }
  const file = createReadStream(join(publicDirectory, name));
  file.on('error', () => respond(404, 'Page not found.\n'));
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
