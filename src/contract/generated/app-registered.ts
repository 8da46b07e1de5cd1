/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of POST /v2/apps.
 */
export interface AppRegistered {
  /**
   * Outcome of the request: "success" or "error".
   */
  message: string;
  /**
   * ID of the app.
   */
  app_id: string | number;
  /**
   * Name and content of the verification file: a fixed prefix, a hyphen and a token. Null if the service does not return it.
   */
  verification_id?: string | null;
  [k: string]: unknown;
}
