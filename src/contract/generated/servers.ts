/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/servers: source addresses of the load.
 */
export interface ServerList {
  /**
   * IP addresses of the load generators.
   */
  ip_addresses: string[];
  [k: string]: unknown;
}
