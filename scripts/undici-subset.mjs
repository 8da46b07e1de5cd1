// undici as the client uses it. Loading all of it (a browser's fetch, caches, mocks, proxies) would cost every command
// that speaks to a service 40 ms.
export { default as Client } from '../node_modules/undici/lib/dispatcher/client.js';
export { default as Pool } from '../node_modules/undici/lib/dispatcher/pool.js';
export { default as buildConnector } from '../node_modules/undici/lib/core/connect.js';
