import { readPlainLine } from '../access-log.mjs';

const NEEDS = [{ program: 'lighttpd', debian: 'lighttpd', install: 'apt-get install lighttpd' }];
const TLS = { file: '/usr/lib/lighttpd/mod_openssl.so', install: 'apt-get install lighttpd-mod-openssl' };
const LOG = { file: 'access.log', read: readPlainLine, bytes: 'all' };

const VARIANTS = [
  { name: 'persistent connections', lines: 'server.max-keep-alive-requests = 1000000' },
  { name: 'default configuration: closes after 100 requests', lines: '' },
  { name: 'closes after each request', lines: 'server.max-keep-alive-requests = 0' },
  { name: 'redirects', lines: 'url.redirect = ( "^/moved" => "/ok" )', more: ['/moved'] },
  { name: 'refuses bodies of 2 MB: 413', lines: 'server.max-request-size = 1', bodyBytes: 2_000_000 },
  { name: 'TLS', secure: true, lines: '' },
];

export const LIGHTTPD = VARIANTS.map(({ name, more, secure = false, lines, bodyBytes }) => ({
  make: 'lighttpd',
  name,
  needs: secure ? [...NEEDS, TLS] : NEEDS,
  log: LOG,
  more,
  secure,
  bodyBytes,
  files: ({ directory, port }) => ({
    'lighttpd.conf': `
server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = "${directory}/www"
server.errorlog = "/dev/stderr"
server.modules = ( "mod_accesslog", "mod_redirect"${secure ? ', "mod_openssl"' : ''} )
accesslog.filename = "${directory}/access.log"
accesslog.format = "%r %s %O"
${secure ? `ssl.engine = "enable"\nssl.pemfile = "${directory}/certificate.pem"\nssl.privkey = "${directory}/key.pem"` : ''}
${lines}
`,
  }),
  commands: ({ directory, port, program }) => [
    { command: [program('lighttpd'), '-D', '-f', `${directory}/lighttpd.conf`], port },
  ],
}));
