/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Answer of POST /v2/apps/{app_id}/verify.
 */
export interface AppVerified {
  /**
   * Outcome marker: "success" or "error".
   */
  message: string;
  /**
   * Identifier of the app.
   */
  app_id?: string | number;
  [k: string]: unknown;
}
