// A public page, and a page that requires the password in SHOP_PASSWORD.
import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const expected = Buffer.from(
  `Basic ${Buffer.from(`ci:${process.env.SHOP_PASSWORD ?? ''}`).toString('base64')}`,
);

const server = createServer((request, response) => {
  const actual = Buffer.from(request.headers.authorization ?? '');
  const authorized = actual.length === expected.length && timingSafeEqual(actual, expected);
  response.statusCode = request.url === '/' || (request.url === '/account' && authorized) ? 200 : 401;
  response.end(`${response.statusCode}\n`);
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT ?? 4083), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
