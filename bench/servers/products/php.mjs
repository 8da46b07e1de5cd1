import { nginxConfiguration, nginxProcess } from '../../nginx-directives.mjs';
import { readPlainLine } from '../access-log.mjs';

const MORE = ['/empty', '/broken', '/moved', '/parts'];

const SCRIPT = `<?php
$path = explode('?', $_SERVER['REQUEST_URI'])[0];
header('Content-Type: text/plain');
if ($path === '/ok') echo 'ok';
elseif ($path === '/big') echo str_repeat('x', 100000);
elseif ($path === '/empty') http_response_code(204);
elseif ($path === '/broken') { http_response_code(500); echo 'it does not work'; }
elseif ($path === '/moved') { http_response_code(302); header('Location: /ok'); }
elseif ($path === '/parts') for ($part = 0; $part < 10; $part++) { echo str_repeat('part ', 100); flush(); }
elseif ($path === '/post') echo strlen(file_get_contents('php://input')) === 1024 ? 'read' : 'short';
else { http_response_code(404); echo 'there is no such page'; }
`;

/** The built-in server does not log the responses of scripts. */
const OWN_LOG = `
$line = $_SERVER['REQUEST_METHOD'] . ' ' . $_SERVER['REQUEST_URI'] . ' ' . http_response_code();
file_put_contents('access.log', $line . "\\n", FILE_APPEND);
`;

const FPM = '/usr/sbin/php-fpm8.2';

export const PHP = [
  {
    make: 'PHP',
    name: 'built-in server',
    more: MORE,
    log: { file: 'access.log', read: readPlainLine },
    needs: [{ program: 'php', debian: 'php8.2-cli', install: 'apt-get install php-cli' }],
    files: () => ({ 'index.php': SCRIPT + OWN_LOG }),
    commands: ({ port, program }) => [
      { command: [program('php'), '-S', `127.0.0.1:${port}`, 'index.php'], port },
    ],
  },
  {
    make: 'PHP-FPM',
    name: 'through nginx',
    more: MORE,
    log: { file: 'access.log', read: readPlainLine, bytes: 'all' },
    needs: [
      { file: FPM, debian: 'php8.2-fpm', install: 'apt-get install php-fpm' },
      { program: 'nginx', install: 'apt-get install nginx-light' },
    ],
    files: ({ directory, port, inner }) => ({
      'index.php': SCRIPT,
      'fpm.conf': `
[global]
error_log = /dev/stderr
daemonize = no
[www]
user = www-data
listen = 127.0.0.1:${inner}
pm = static
pm.max_children = 8
`,
      'nginx.conf': nginxConfiguration(`
  log_format plain '$request $status $bytes_sent $request_length';
  access_log access.log plain;
  keepalive_requests 100000;
  server {
    listen 127.0.0.1:${port};
    location / {
      fastcgi_pass 127.0.0.1:${inner};
      fastcgi_param SCRIPT_FILENAME ${directory}/index.php;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param REQUEST_URI $request_uri;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
    }
  }`),
    }),
    commands: (place) => [
      { command: [FPM, '--fpm-config', 'fpm.conf'], port: place.inner },
      nginxProcess(place, place.port),
    ],
  },
];
