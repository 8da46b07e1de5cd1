// A service with only its two lists, created in advance. It sends its port in a message. Usage: node
// list-server.mjs ACCOUNT
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { ACCOUNTS, listedApps, listedTests } from './large-account.mjs';

const account = ACCOUNTS[process.argv[2]];
const bodies = new Map([
  ['/v2/apps', Buffer.from(JSON.stringify(listedApps()))],
  ['/v2/tests', Buffer.from(JSON.stringify(listedTests(account)))],
]);

const server = createServer((request, response) => {
  const body = request.method === 'GET' ? bodies.get(request.url) : undefined;
  if (body === undefined) response.writeHead(404).end();
  else {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    response.writeHead(200, headers).end(body);
  }
});

// The channel closes when the parent exits for any reason.
process.on('disconnect', () => process.exit());
const bytes = [...bodies.values()].reduce((sum, body) => sum + body.length, 0);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port, bytes }));
