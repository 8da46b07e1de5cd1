import { nginxConfiguration, nginxProcess } from '../../nginx-directives.mjs';
import { readPlainLine } from '../access-log.mjs';

const NEEDS = [{ program: 'nginx', debian: 'nginx', install: 'apt-get install nginx-light' }];

const LOG = { file: 'access.log', read: readPlainLine, bytes: 'all' };

/** nginx logs a refused body when the client has disconnected. */
const LATE_LOG = { ...LOG, late: true };

const KEPT = 'keepalive_requests 100000000;';
const FILES = 'location / { root www; }';

const CODES = `
  location = /empty { return 204; }
  location = /broken { return 500 'it does not work'; }
  location = /moved { return 302 /ok; }
  location = /unchanged { return 304; }
  location = /busy { return 503; }
  location = /odd { return 299 'odd'; }`;
const CODE_PATHS = ['/empty', '/broken', '/moved', '/unchanged', '/busy', '/odd'];

/** Forwards to a second server of the same nginx, which serves the files and has no log. */
const PASS_ON = 'location / { proxy_pass http://unix:inner.sock:; }';

const PACKED = 'gzip on; gzip_types *; gzip_min_length 0;';
const UNPACKS = [{ name: 'Accept-Encoding', value: 'gzip' }];

const MANY_HEADERS = Array.from({ length: 40 }, (_, at) => `add_header X-Number-${at} ${'x'.repeat(at)}y;`);

/**
 * `http` and `server` are the directives of these blocks. `proxied`: bodies are read, so their bytes are
 * counted.
 */
const VARIANTS = [
  { name: 'persistent connections', http: KEPT, server: FILES },
  { name: 'default configuration: closes after 1,000 requests', server: FILES },
  { name: 'closes after 7 requests', http: 'keepalive_requests 7;', server: FILES },
  { name: 'closes after each request', http: 'keepalive_timeout 0;', server: FILES },
  { name: 'closes connections after 0.3 s', http: `${KEPT} keepalive_time 300ms;`, server: FILES },
  { name: 'return codes and redirects', http: KEPT, server: CODES + FILES, more: CODE_PATHS },
  { name: 'gzip, chunked', http: KEPT + PACKED, server: FILES, headers: UNPACKS },
  {
    name: 'gzip, body until the close',
    server: FILES,
    headers: UNPACKS,
    http: `${KEPT} ${PACKED} chunked_transfer_encoding off;`,
  },
  { name: '40 headers', http: KEPT + MANY_HEADERS.join(' '), server: FILES },
  { name: 'error page for missing files', http: `${KEPT} error_page 404 405 =200 /ok;`, server: FILES },
  {
    name: 'slow responses',
    http: KEPT,
    server: 'limit_rate 1m; limit_rate_after 4k; location / { root www; }',
  },
  {
    name: 'rate limit, 503 above the limit',
    server: `limit_req zone=few burst=5 nodelay; ${FILES}`,
    http: `${KEPT} limit_req_zone $server_port zone=few:1m rate=500r/s; limit_req_status 503;`,
  },
  {
    name: 'connection limit, 503 above the limit',
    server: `limit_conn few 10; ${FILES}`,
    http: `${KEPT} limit_conn_zone $server_port zone=few:1m; limit_conn_status 503;`,
  },
  { name: 'TLS 1.3', http: KEPT, server: FILES, secure: true },
  { name: 'TLS 1.2', http: `${KEPT} ssl_protocols TLSv1.2;`, server: FILES, secure: true },
  { name: 'TLS, closes after each request', http: 'keepalive_timeout 0;', server: FILES, secure: true },
  { name: 'TLS, gzip, chunked', http: KEPT + PACKED, server: FILES, headers: UNPACKS, secure: true },
  { name: 'proxy for HTTP/1.0', http: KEPT, server: PASS_ON, proxied: true },
  {
    name: 'proxy for HTTP/1.1, unbuffered',
    http: KEPT,
    proxied: true,
    server: `proxy_http_version 1.1; proxy_buffering off; proxy_request_buffering off; ${PASS_ON}`,
  },
  {
    name: 'proxy for chunked responses',
    http: KEPT,
    inner: PACKED,
    headers: UNPACKS,
    proxied: true,
    server: `proxy_http_version 1.1; ${PASS_ON}`,
  },
  { name: 'proxy without a backend: 502', http: KEPT, server: PASS_ON.replace('inner', 'nobody') },
  { name: 'refuses bodies: 413', http: KEPT, server: `client_max_body_size 100; ${PASS_ON}` },
  { name: 'refuses bodies of 2 MB: 413', http: KEPT, server: PASS_ON, bodyBytes: 2_000_000 },
];

export const NGINX = VARIANTS.map((variant) => ({
  make: 'nginx',
  name: variant.name,
  needs: NEEDS,
  log: variant.bodyBytes === undefined ? LOG : LATE_LOG,
  more: variant.more,
  bodyBytes: variant.bodyBytes,
  headers: variant.headers,
  secure: variant.secure,
  files: (place) => ({ 'nginx.conf': configuration(variant, place) }),
  commands: (place) => [nginxProcess(place, place.port)],
}));

function configuration({ http = '', server, inner = '', secure = false, proxied = false }, { port }) {
  return nginxConfiguration(`
    log_format plain '$request $status $bytes_sent${proxied ? ' $request_length' : ''}';
    access_log access.log plain;
    default_type text/plain;
    ${http}
    server {
      listen 127.0.0.1:${port}${secure ? ' ssl' : ''};
      ${secure ? 'ssl_certificate certificate.pem; ssl_certificate_key key.pem;' : ''}
      ${server}
    }
    server {
      listen unix:inner.sock;
      access_log off;
      ${inner}
      location / { root www; }
    }`);
}
