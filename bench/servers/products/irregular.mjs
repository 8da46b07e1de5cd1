/** What no make does, and some of the world's servers do: see `odd-server.mjs`. */
import { fileURLToPath } from 'node:url';
import { readPlainLine } from '../access-log.mjs';

const PROGRAM = fileURLToPath(new URL('odd-server.mjs', import.meta.url));

const VARIANTS = [
  { name: 'interim answers: 100, 102, 103', more: ['/hints', '/continue', '/processing'] },
  { name: 'a length without a body, an offer to upgrade, HTTP/1.0', more: ['/unchanged', '/offer', '/old'] },
  { name: 'slowly, in pieces', more: ['/slow-head', '/slow-body', '/chunks', '/to-the-end'] },
  { name: 'says that it closes, and does or does not', more: ['/says-close', '/says-close-stays'] },
  { name: 'closes without saying so, at once or later', more: ['/leaves', '/leaves-at-once'] },
  { name: '413 before the body is read', post: '/too-large' },
];

export const ODD = VARIANTS.map(({ name, more, post }) => ({
  ...{ make: 'raw TCP', name, more, post, log: { file: 'access.log', read: readPlainLine, bytes: 'all' } },
  needs: [{ file: PROGRAM, version: null, install: 'Node.js' }],
  files: () => ({}),
  commands: ({ port }) => [{ command: [process.execPath, PROGRAM, String(port)], port }],
}));
