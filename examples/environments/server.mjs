// One page for everybody, and one that wants the password of SHOP_PASSWORD.
import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const wanted = Buffer.from(
  `Basic ${Buffer.from(`ci:${process.env.SHOP_PASSWORD ?? ''}`).toString('base64')}`,
);

const server = createServer((request, response) => {
  const given = Buffer.from(request.headers.authorization ?? '');
  const known = given.length === wanted.length && timingSafeEqual(given, wanted);
  response.statusCode = request.url === '/' || (request.url === '/account' && known) ? 200 : 401;
  response.end(`${response.statusCode}\n`);
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT ?? 4083), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
