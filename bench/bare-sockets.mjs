// The least that Node can do: node bare-sockets.mjs PORT PATH CONNECTIONS SECONDS
// Sends the same request again whenever bytes come. It reads nothing, measures nothing and knows no errors.
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';

const [port, path, ...numbers] = process.argv.slice(2);
const [connections, seconds] = numbers.map(Number);
const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: target.test:${port}\r\n\r\n`);
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

for (let index = 0; index < connections; index++) {
  const callback = () => {
    socket.write(request);
    return true;
  };
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback } });
  socket.once('connect', () => socket.write(request));
}
setTimeout(() => process.exit(), seconds * 1000);
