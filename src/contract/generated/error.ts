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
  /**
   * Extension: the field of each entry of `errors`, in the same order. Absent if no error concerns a field.
   */
  faults?: {
    /**
     * JSON Pointer of the field in the test, such as `/urls/0/url`. Absent if the error does not concern a field.
     */
    pointer?: string;
    /**
     * `key` if the field must not be set, `value` if its value is invalid. Absent if the error does not concern a field.
     */
    about?: string;
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
