/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Answer of POST /v2/apps.
 */
export interface AppRegistered {
  /**
   * Outcome marker: "success" or "error".
   */
  message: string;
  /**
   * Identifier of the app.
   */
  app_id: string | number;
  /**
   * The name and content of the verification file: a fixed word, a hyphen and a token.
   */
  verification_id?: string | null;
  [k: string]: unknown;
}
