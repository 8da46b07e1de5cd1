import { readPlainLine } from '../access-log.mjs';

const LOG = { file: 'access.log', read: readPlainLine, bytes: 'all' };
const MODULES = '/usr/lib/apache2/modules';

/**
 * With TLS, Apache counts encrypted bytes, including the handshake. It counts some bytes of requests twice.
 */
const LINE = { plain: '%r %>s %O', secure: '%r %>s' };

const NEEDS = [{ program: 'apache2', debian: 'apache2-bin', install: 'apt-get install apache2' }];

const EVENT = 'event';
const PREFORK = 'prefork';

const VARIANTS = [
  { name: 'event', mpm: EVENT },
  { name: 'prefork', mpm: PREFORK },
  { name: 'worker', mpm: 'worker' },
  { name: 'closes after 7 requests', mpm: EVENT, directives: 'MaxKeepAliveRequests 7' },
  { name: 'closes after each request', mpm: EVENT, directives: 'KeepAlive Off' },
  { name: 'processes that exit after 50 connections', mpm: EVENT, directives: 'MaxConnectionsPerChild 50' },
  { name: 'gzip, chunked', mpm: EVENT, directives: 'SetOutputFilter DEFLATE', packed: true },
  { name: 'redirects', mpm: EVENT, directives: 'Redirect 302 /moved /ok', more: ['/moved'] },
  { name: 'HTTP/1.0 responses', mpm: EVENT, directives: 'SetEnv downgrade-1.0\nSetEnv force-response-1.0' },
  {
    name: 'refuses bodies of 2 MB: 413',
    mpm: EVENT,
    directives: 'LimitRequestBody 1000',
    bodyBytes: 2_000_000,
  },
  { name: 'TLS', mpm: EVENT, secure: true },
];

export const APACHE = VARIANTS.map(({ name, packed = false, ...variant }) => ({
  make: 'Apache',
  name,
  needs: NEEDS,
  log: LOG,
  more: variant.more,
  bodyBytes: variant.bodyBytes,
  secure: variant.secure,
  headers: packed ? [{ name: 'Accept-Encoding', value: 'gzip' }] : [],
  files: (place) => ({ 'httpd.conf': configuration(variant, place) }),
  commands: ({ directory, port, program }) => [
    { command: [program('apache2'), '-d', directory, '-f', 'httpd.conf', '-DFOREGROUND'], port },
  ],
}));

function configuration({ mpm, directives = '', secure = false }, { directory, port }) {
  const modules = [
    `mpm_${mpm}`,
    'authz_core',
    'dir',
    'alias',
    'mime',
    'filter',
    'deflate',
    'env',
    ...(secure ? ['ssl'] : []),
  ];
  return `
ServerName target.test
Listen 127.0.0.1:${port}
PidFile ${directory}/httpd.pid
ErrorLog /dev/stderr
DefaultRuntimeDir ${directory}
User www-data
Group www-data
StartServers 2
${modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
DocumentRoot ${directory}/www
TypesConfig /dev/null
<Directory ${directory}/www>
Require all granted
</Directory>
LogFormat "${LINE[secure ? 'secure' : 'plain']}" plain
CustomLog ${directory}/access.log plain
${secure ? `SSLEngine on\nSSLCertificateFile ${directory}/certificate.pem\nSSLCertificateKeyFile ${directory}/key.pem` : ''}
${directives}
`;
}
