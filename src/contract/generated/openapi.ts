/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: this API as an OpenAPI document.
 */
export interface OpenApi {
  /**
   * Version of the OpenAPI specification.
   */
  openapi: string;
  /**
   * Title and version.
   */
  info: {
    /**
     * What tests may say beyond the plain API, by name.
     */
    'x-extensions': string[];
    [k: string]: unknown;
  };
  /**
   * Every route by its path and method.
   */
  paths: {
    [k: string]: unknown;
  };
  /**
   * Schemas of bodies and answers, and how the key is sent.
   */
  components: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
