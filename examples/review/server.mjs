// The target of this example: it answers every request. Usage: node server.mjs PORT
import { createServer } from 'node:http';

const server = createServer((_, response) => {
  response.end('hello');
});
server.listen(Number(process.argv[2]), '127.0.0.1');
