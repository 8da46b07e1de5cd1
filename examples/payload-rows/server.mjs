// Serves the file with the articles, and accepts only complete rows. The pin of a different account or the size of a
// different article returns 404. A run without errors therefore proves that no values of different rows were combined.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const read = (name) => readFileSync(new URL(`./rows/${name}`, import.meta.url), 'utf8');
const files = { '/rows/articles.json': read('articles.json') };
const articles = JSON.parse(files['/rows/articles.json']).values;
const [, ...accounts] = read('accounts.csv')
  .trim()
  .split('\n')
  .map((line) => line.split(','));

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
  const respond = (status, text = '') => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text);
  };
  const has = (rows, ...row) => rows.some(([first, second]) => first === row[0] && second === row[1]);
  switch (`${request.method} ${pathname}`) {
    case 'GET /rows/articles.json':
      respond(200, files[pathname]);
      return;
    case 'GET /articles':
      respond(has(articles, searchParams.get('sku'), searchParams.get('size')) ? 200 : 404);
      return;
    case 'POST /login': {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', (chunk) => {
        text += chunk;
        if (text.length > 10_000) request.destroy();
      });
      request.on('end', () => {
        const form = new URLSearchParams(text);
        respond(has(accounts, form.get('user'), form.get('pin')) ? 200 : 404);
      });
      return;
    }
    default:
      respond(404);
  }
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT ?? 4087), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
