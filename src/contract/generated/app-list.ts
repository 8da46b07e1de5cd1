/* Written by "npm run generate" from schemas/; never edited. */

/**
 * All apps of the account.
 */
export type AppList = AppListMember[];

export interface AppListMember {
  /**
   * Host name with its non-default port.
   */
  app: string;
  /**
   * Identifier of the app; also its verification token.
   */
  app_id: string | number;
  /**
   * "verified" or "unverified", where the service tells.
   */
  status?: string | null;
  [k: string]: unknown;
}
