/**
 * All servers, each in some set-ups. One is data:
 *
 * - `make`, `name`: as the table calls them.
 * - `needs`: programs (`program`, by name) or packages of npm (`module`), with `install`, what brings them. The first
 *   one's version is told: `debian` is its package.
 * - `secure`: with TLS, by `certificate.pem` and `key.pem` in its directory.
 * - `files(place)`: names and texts. `www/ok` and `www/big` are there for those who serve files.
 * - `commands(place)`: processes in the order in which they start: `command`, and `port` where it is waited for.
 * - `headers`: those that requests carry.
 * - `more`: paths beyond `/ok`, `/big` and `/missing`, with a slash.
 * - `post`, `bodyBytes`: the path of requests with a body, `/post` where it is left out, and its length, else 1,024.
 * - `log`: `file`, `read` (see `log.mjs`), and `bytes`: whether its bytes are of `all` of an answer, or of the `body`;
 *   `late`: whether another process writes it, some time after.
 *
 * `place`: `directory`; `port`, where the load goes; `inner` and `spare`, ports for what stands behind; `program(name)`,
 * its path.
 */
import { APACHE } from './products/apache.mjs';
import { CADDY } from './products/caddy.mjs';
import { H2O } from './products/h2o.mjs';
import { JAVA_SERVERS } from './products/java.mjs';
import { LIGHTTPD } from './products/lighttpd.mjs';
import { NGINX } from './products/nginx.mjs';
import { NODE_SERVERS } from './products/node.mjs';
import { ODD } from './products/irregular.mjs';
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
  ...ODD,
];
