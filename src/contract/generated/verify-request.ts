/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Form body of POST /v2/apps/{app_id}/verify.
 */
export interface VerifyRequest {
  /**
   * Verification method: "http", or another method of the service.
   */
  method?: string;
}
