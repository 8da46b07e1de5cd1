/**
 * All compared servers, each in several setups. A setup contains:
 *
 * - `make`, `name`: names in the table.
 * - `needs`: required programs (`program`), files (`file`) or npm packages (`module`), with the `install`
 *   command. The version is that of the first one; `debian` is its package.
 * - `secure`: true for TLS, with `certificate.pem` and `key.pem` in the directory.
 * - `files(place)`: names and contents of files. `www/ok` and `www/big` always exist.
 * - `commands(place)`: processes in the order in which they start: `command`, and `port` if the start waits
 *   for it.
 * - `headers`: headers of the requests.
 * - `more`: paths in addition to `/ok`, `/big` and `/missing`.
 * - `post`, `bodyBytes`: the path of requests with a body (default: `/post`) and the length of the body
 *   (default: 1,024).
 * - `log`: `file`, `read` (see `access-log.mjs`), and `bytes`: `all` if the log counts complete responses,
 *   `body` if it counts bodies. `late`: true if another process writes the log later.
 *
 * `place` contains the `directory`, the `port` that receives the load, the ports `inner` and `spare` for
 * backends, and `program(name)`, which returns a path.
 */
import { APACHE } from './products/apache.mjs';
import { CADDY } from './products/caddy.mjs';
import { H2O } from './products/h2o.mjs';
import { JAVA_SERVERS } from './products/java.mjs';
import { LIGHTTPD } from './products/lighttpd.mjs';
import { NGINX } from './products/nginx.mjs';
import { NODE_SERVERS } from './products/node.mjs';
import { IRREGULAR_SERVERS } from './products/irregular.mjs';
import { PHP } from './products/php.mjs';
import { PROXIES } from './products/proxies.mjs';
import { PYTHON_SERVERS } from './products/python.mjs';
import { RUBY_SERVERS } from './products/ruby.mjs';

export const SET_UPS = [
  ...NGINX,
  ...APACHE,
  ...LIGHTTPD,
  ...CADDY,
  ...H2O,
  ...PROXIES,
  ...PYTHON_SERVERS,
  ...RUBY_SERVERS,
  ...PHP,
  ...JAVA_SERVERS,
  ...NODE_SERVERS,
  ...IRREGULAR_SERVERS,
];
