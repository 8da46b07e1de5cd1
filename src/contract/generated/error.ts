/* Written by "npm run generate" from schemas/; never edited. */

/**
 * A refusal of any operation.
 */
export interface ErrorAnswer {
  /**
   * Marks a refusal.
   */
  message: 'error';
  /**
   * Why, in words.
   */
  errors: string[];
  /**
   * The app meant, for a failed verification.
   */
  app_id?: string;
  /**
   * An extension: `LT_RUN_CAPACITY` where the load is more than the machine of the service can make, or than one host may get.
   */
  code?: string;
  [k: string]: unknown;
}
