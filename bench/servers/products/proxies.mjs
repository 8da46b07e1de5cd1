/** Servers that stand in front of another: of an nginx, whose own log is not compared. */
import { TEMPORARY_PATHS } from '../../nginx-directives.mjs';
import { readAmongOthers, readBehind, readPlainLine } from '../access-log.mjs';
import { OUTPUT } from '../start-server.mjs';

const NGINX = { program: 'nginx', install: 'apt-get install nginx-light' };

/** What stands behind: files, with what is said. Posts are answered by 405. */
const BEHIND = ({ inner }, directives = '') => `
  daemon off;
  pid nginx.pid;
  error_log stderr crit;
  events { worker_connections 1024; }
  http {
    ${TEMPORARY_PATHS}
    access_log off;
    default_type text/plain;
    keepalive_requests 100000;
    ${directives}
    server {
      listen 127.0.0.1:${inner};
      location / { root www; }
    }
  }`;

const behind = ({ directory, inner, program }) => ({
  command: [program('nginx'), '-e', 'stderr', '-p', directory, '-c', 'nginx.conf'],
  port: inner,
});

const HAPROXY = [{ program: 'haproxy', debian: 'haproxy', install: 'apt-get install haproxy' }, NGINX];

/** `%B` counts heads in a form of its own, as many bytes with each answer that is alike. */
function haproxy(name, { lines = '', directives = '', secure = false, more } = {}) {
  return {
    ...{ make: 'HAProxy', name, needs: HAPROXY, secure, more },
    log: { file: OUTPUT, read: readBehind, bytes: 'body' },
    files: (place) => ({
      'nginx.conf': BEHIND(place, directives),
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
  server behind 127.0.0.1:${place.inner}
`,
    }),
    commands: (place) => [
      behind(place),
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
    ...{
      make: 'Varnish',
      name,
      needs: VARNISH,
      log: VARNISH_LOG,
    },
    files: (place) => ({
      'nginx.conf': BEHIND(place),
      'site.vcl': `vcl 4.1;\nbackend behind { .host = "127.0.0.1"; .port = "${place.inner}"; }\n${vcl}\n`,
    }),
    commands: (place) => [
      behind(place),
      {
        command: [
          ...[place.program('varnishd'), '-F', '-j', 'none', '-n', `${place.directory}/varnish`],
          ...['-a', `127.0.0.1:${place.port}`, '-f', `${place.directory}/site.vcl`, '-s', 'default,32m'],
          // Room for what is not read in time.
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
    ...{
      make: 'Squid',
      name,
      needs: SQUID,
      log: { file: 'access.log', read: readAmongOthers, bytes: 'all' },
    },
    files: (place) => ({
      'nginx.conf': BEHIND(place),
      'squid.conf': `
http_port 127.0.0.1:${place.port} accel defaultsite=target.test
cache_peer 127.0.0.1 parent ${place.inner} 0 no-query originserver name=behind
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
      behind(place),
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
    ...{ make: 'nghttpx', name, needs: NGHTTPX, secure },
    log: { file: 'access.log', read: readPlainLine, bytes: 'body' },
    files: (place) => ({ 'nginx.conf': BEHIND(place) }),
    commands: (place) => [
      behind(place),
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
  varnish('forwards everything', 'sub vcl_recv { return (pass); }'),
  squid('cache', ''),
  squid('closes after each request', 'client_persistent_connections off'),
];
