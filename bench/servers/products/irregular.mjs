/** Responses that no other compared server sends, but some servers in use do: see `irregular-server.mjs`. */
import { fileURLToPath } from 'node:url';
import { readPlainLine } from '../access-log.mjs';

const PROGRAM = fileURLToPath(new URL('irregular-server.mjs', import.meta.url));

const VARIANTS = [
  { name: 'interim responses: 100, 102, 103', more: ['/hints', '/continue', '/processing'] },
  { name: 'length without a body, upgrade offer, HTTP/1.0', more: ['/unchanged', '/offer', '/old'] },
  { name: 'slow, in several pieces', more: ['/slow-head', '/slow-body', '/chunks', '/to-the-end'] },
  { name: 'announces the close; closes or stays open', more: ['/says-close', '/says-close-stays'] },
  { name: 'closes unannounced, immediately or later', more: ['/leaves', '/leaves-at-once'] },
  { name: '413 before the body is read', post: '/too-large' },
];

export const IRREGULAR_SERVERS = VARIANTS.map(({ name, more, post }) => ({
  make: 'raw TCP',
  name,
  more,
  post,
  log: { file: 'access.log', read: readPlainLine, bytes: 'all' },
  needs: [{ file: PROGRAM, version: null, install: 'Node.js' }],
  files: () => ({}),
  commands: ({ port }) => [{ command: [process.execPath, PROGRAM, String(port)], port }],
}));
