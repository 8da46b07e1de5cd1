import { readPlainLine } from '../access-log.mjs';

const NEEDS = [{ program: 'h2o', debian: 'h2o', install: 'apt-get install h2o' }];
const LOG = { file: 'access.log', read: readPlainLine, bytes: 'body' };

const VARIANTS = [{ name: 'persistent connections' }, { name: 'TLS', secure: true }];

export const H2O = VARIANTS.map(({ name, secure = false }) => ({
  make: 'h2o',
  name,
  needs: NEEDS,
  log: LOG,
  secure,
  files: ({ directory, port }) => ({
    'h2o.conf': `
user: root
num-threads: 1
error-log: /dev/stderr
pid-file: ${directory}/h2o.pid
temp-buffer-path: ${directory}
access-log:
  path: ${directory}/access.log
  format: "%r %s %b"
hosts:
  default:
    listen:
      host: 127.0.0.1
      port: ${port}
${secure ? `      ssl:\n        certificate-file: ${directory}/certificate.pem\n        key-file: ${directory}/key.pem\n` : ''}
    paths:
      "/":
        file.dir: ${directory}/www
`,
  }),
  commands: ({ directory, port, program }) => [
    { command: [program('h2o'), '-c', `${directory}/h2o.conf`], port },
  ],
}));
