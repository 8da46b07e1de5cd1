/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Addresses that load comes from.
 */
export interface ServerList {
  /**
   * Addresses of the generators.
   */
  ip_addresses: string[];
  [k: string]: unknown;
}
