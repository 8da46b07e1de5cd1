/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of POST /v2/apps/{app_id}/verify.
 */
export interface AppVerified {
  /**
   * Outcome of the request: "success" or "error".
   */
  message: string;
  /**
   * ID of the app.
   */
  app_id?: string | number;
  [k: string]: unknown;
}
