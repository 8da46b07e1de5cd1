/** Proxies for an nginx, whose own log is not compared. */
import { nginxConfiguration, nginxProcess } from '../../nginx-directives.mjs';
import { readMatchingLine, readAfterPrefix, readPlainLine } from '../access-log.mjs';
import { OUTPUT } from '../start-server.mjs';

const NGINX = { program: 'nginx', install: 'apt-get install nginx-light' };

/** The backend: serves files with the given directives, and responds to POST with 405. */
const BACKEND_CONFIG = ({ inner }, directives = '') =>
  nginxConfiguration(`
    access_log off;
    default_type text/plain;
    keepalive_requests 100000;
    ${directives}
    server {
      listen 127.0.0.1:${inner};
      location / { root www; }
    }`);

const startBackend = (place) => nginxProcess(place, place.inner);

const HAPROXY = [{ program: 'haproxy', debian: 'haproxy', install: 'apt-get install haproxy' }, NGINX];

/** `%B` counts headers in an internal form, which adds the same number of bytes to every equal response. */
function haproxy(name, { lines = '', directives = '', secure = false, more } = {}) {
  return {
    make: 'HAProxy',
    name,
    needs: HAPROXY,
    secure,
    more,
    log: { file: OUTPUT, read: readAfterPrefix, bytes: 'body' },
    files: (place) => ({
      'nginx.conf': BACKEND_CONFIG(place, directives),
      'haproxy.cfg': `
global
  log stdout format raw local0
  maxconn 2000
defaults
  mode http
  log global
  option dontlognull
  log-format "%{+Q}r %ST %B"
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:${place.port}${secure ? ` ssl crt both.pem` : ''}
  ${lines}
  default_backend back
backend back
  server origin 127.0.0.1:${place.inner}
`,
    }),
    commands: (place) => [
      startBackend(place),
      {
        command: secure
          ? [
              'sh',
              '-c',
              `cat certificate.pem key.pem > both.pem && exec ${place.program('haproxy')} -f haproxy.cfg`,
            ]
          : [place.program('haproxy'), '-f', 'haproxy.cfg'],
        port: place.port,
      },
    ],
  };
}

const VARNISH = [{ program: 'varnishd', debian: 'varnish', install: 'apt-get install varnish' }, NGINX];

const VARNISH_LOG = { file: 'access.log', read: readPlainLine, bytes: 'all', late: true };

function varnish(name, vcl) {
  return {
    make: 'Varnish',
    name,
    needs: VARNISH,
    log: VARNISH_LOG,
    files: (place) => ({
      'nginx.conf': BACKEND_CONFIG(place),
      'site.vcl': `vcl 4.1;\nbackend origin { .host = "127.0.0.1"; .port = "${place.inner}"; }\n${vcl}\n`,
    }),
    commands: (place) => [
      startBackend(place),
      {
        command: [
          ...[place.program('varnishd'), '-F', '-j', 'none', '-n', `${place.directory}/varnish`],
          ...['-a', `127.0.0.1:${place.port}`, '-f', `${place.directory}/site.vcl`, '-s', 'default,32m'],
          // Space for log records that are not read in time.
          ...['-p', 'vsl_space=256M'],
        ],
        port: place.port,
      },
      {
        command: [
          ...[place.program('varnishncsa'), '-n', `${place.directory}/varnish`, '-w', 'access.log'],
          ...['-F', '%m %U%q %s %O %I', '-t', '10'],
        ],
      },
    ],
  };
}

const SQUID = [{ program: 'squid', debian: 'squid', install: 'apt-get install squid' }, NGINX];

function squid(name, lines) {
  return {
    make: 'Squid',
    name,
    needs: SQUID,
    log: { file: 'access.log', read: readMatchingLine, bytes: 'all' },
    files: (place) => ({
      'nginx.conf': BACKEND_CONFIG(place),
      'squid.conf': `
http_port 127.0.0.1:${place.port} accel defaultsite=target.test
cache_peer 127.0.0.1 parent ${place.inner} 0 no-query originserver name=origin
http_access allow all
cache_effective_user proxy
visible_hostname target.test
pid_filename ${place.directory}/squid.pid
cache_log /dev/stderr
coredump_dir ${place.directory}
logformat plain %rm %>rp %>Hs %<st %>st
access_log stdio:${place.directory}/access.log plain
netdb_filename none
shutdown_lifetime 1 seconds
pinger_enable off
${lines}
`,
    }),
    commands: (place) => [
      startBackend(place),
      { command: [place.program('squid'), '-N', '-f', 'squid.conf'], port: place.port },
    ],
  };
}

const NGHTTPX = [
  { program: 'nghttpx', debian: 'nghttp2-proxy', install: 'apt-get install nghttp2-proxy' },
  NGINX,
];

function nghttpx(name, secure = false) {
  return {
    make: 'nghttpx',
    name,
    needs: NGHTTPX,
    secure,
    log: { file: 'access.log', read: readPlainLine, bytes: 'body' },
    files: (place) => ({ 'nginx.conf': BACKEND_CONFIG(place) }),
    commands: (place) => [
      startBackend(place),
      {
        command: [
          ...[place.program('nghttpx'), `--frontend=127.0.0.1,${place.port}${secure ? '' : ';no-tls'}`],
          ...[`--backend=127.0.0.1,${place.inner}`, '--conf=/dev/null', '--errorlog-file=/dev/stderr'],
          ...['--accesslog-file=access.log', '--accesslog-format=$request $status $body_bytes_sent'],
          ...(secure ? ['key.pem', 'certificate.pem'] : []),
        ],
        port: place.port,
      },
    ],
  };
}

export const PROXIES = [
  nghttpx('persistent connections'),
  nghttpx('TLS', true),
  haproxy('persistent connections'),
  haproxy('closes after each request', { lines: 'option httpclose' }),
  haproxy('proxy for chunked responses', { directives: 'gzip on; gzip_types *; gzip_min_length 0;' }),
  haproxy('generated responses: 403, redirects', {
    lines: 'http-request deny if { path /denied }\n  http-request redirect location /ok if { path /moved }',
    more: ['/denied', '/moved'],
  }),
  haproxy('TLS', { secure: true }),
  varnish('cache', ''),
  varnish('forwards all requests', 'sub vcl_recv { return (pass); }'),
  squid('cache', ''),
  squid('closes after each request', 'client_persistent_connections off'),
];
