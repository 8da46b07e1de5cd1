/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of POST /v2/sign-in-codes: a single-use code that ends a link to the web UI, after "/#".
 */
export interface SignInCode {
  /**
   * Sign-in code. It is a secret: give it only to the person who opens the web UI.
   */
  code: string;
  /**
   * Time when the code expires (RFC 3339): ten minutes after its creation.
   */
  expires_at: string;
  [k: string]: unknown;
}
