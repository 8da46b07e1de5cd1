const NEEDS = [{ program: 'caddy', debian: 'caddy', install: 'apt-get install caddy' }];

/** Reads a line of JSON per request; `size` is that of the body. */
function readLine(line) {
  const { request, status, size } = JSON.parse(line);
  if (request === undefined) return undefined;
  return { method: request.method, path: request.uri, status, bytesOut: size, bytesIn: null };
}

const VARIANTS = [
  { name: 'files (net/http of Go)', site: 'root * www\nfile_server' },
  { name: 'gzip', site: 'root * www\nencode gzip\nfile_server', packed: true },
  {
    name: 'generated responses',
    more: ['/empty', '/moved', '/broken'],
    site: `respond /empty 204\nredir /moved /ok\nrespond /broken "no" 500\nroot * www\nfile_server`,
  },
  { name: 'closes after each request', site: 'root * www\nheader Connection close\nfile_server' },
  {
    name: 'refuses bodies of 2 MB',
    bodyBytes: 2_000_000,
    site: 'request_body {\nmax_size 1KB\n}\nroot * www\nfile_server',
  },
  { name: 'TLS', secure: true, site: 'root * www\nfile_server' },
];

export const CADDY = VARIANTS.map(({ name, site, more, bodyBytes, secure = false, packed = false }) => ({
  make: 'caddy',
  name,
  needs: NEEDS,
  more,
  secure,
  bodyBytes,
  log: { file: 'access.log', read: readLine, bytes: 'body' },
  headers: packed ? [{ name: 'Accept-Encoding', value: 'gzip' }] : [],
  files: ({ directory, port }) => ({
    Caddyfile: `
{
  admin off
  auto_https off
}
${secure ? 'https' : 'http'}://:${port} {
  bind 127.0.0.1
  ${secure ? 'tls certificate.pem key.pem' : ''}
  log {
    output file ${directory}/access.log {
      roll_disabled
    }
  }
  ${site}
}
`,
  }),
  commands: ({ directory, port, program }) => [
    {
      command: [program('caddy'), 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
      port,
      env: { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    },
  ],
}));
