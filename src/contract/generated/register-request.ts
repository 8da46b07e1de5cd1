/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Form body of POST /v2/apps.
 */
export interface RegisterRequest {
  /**
   * Host name to register, with its port if it is not the default port.
   */
  app: string;
}
