// A baseline for clients written with Node.js: sends the same request again whenever bytes arrive, without
// reading, measuring or handling errors. Usage: node baseline-sockets.mjs PORT PATH CONNECTIONS SECONDS
// plain|tls
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

const [port, path, connections, seconds, kind] = process.argv.slice(2);
const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: target.test:${port}\r\n\r\n`);
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

for (let index = 0; index < connections; index++) {
  const callback = () => {
    socket.write(request);
    return true;
  };
  const options = { host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback } };
  const socket =
    kind === 'tls' ? connectSecurely({ ...options, rejectUnauthorized: false }) : connect(options);
  socket.once(kind === 'tls' ? 'secureConnect' : 'connect', () => socket.write(request));
}
setTimeout(() => process.exit(), seconds * 1000);
