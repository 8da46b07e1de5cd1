/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Form body of POST /v2/apps.
 */
export interface RegisterRequest {
  /**
   * The host name to register, with its non-default port.
   */
  app: string;
}
