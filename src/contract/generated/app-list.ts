/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/apps: all apps of the account.
 */
export type AppList = AppListMember[];

export interface AppListMember {
  /**
   * Host name of the app, with its port if it is not the default port.
   */
  app: string;
  /**
   * ID of the app, which is also its verification token.
   */
  app_id: string | number;
  /**
   * Status of the app: "verified" or "unverified"; null if the service does not return it.
   */
  status?: string | null;
  [k: string]: unknown;
}
