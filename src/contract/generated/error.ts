/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Error response of any operation.
 */
export interface ErrorResponse {
  /**
   * Always "error".
   */
  message: 'error';
  /**
   * Reasons for the error, in words.
   */
  errors: string[];
  /**
   * ID of the app whose verification failed. Absent for other errors.
   */
  app_id?: string;
  /**
   * Extension: `LT_RUN_CAPACITY` if the load exceeds the capacity of the load generator or the limit of one host. Absent for other errors.
   */
  code?: string;
  [k: string]: unknown;
}
