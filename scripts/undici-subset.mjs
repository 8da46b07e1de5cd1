// The parts of undici that the client uses. The whole package (browser fetch, caches, mocks, proxies) would
// add 40 ms to every command that contacts a service.
export { default as Client } from '../node_modules/undici/lib/dispatcher/client.js';
export { default as Pool } from '../node_modules/undici/lib/dispatcher/pool.js';
export { default as buildConnector } from '../node_modules/undici/lib/core/connect.js';
