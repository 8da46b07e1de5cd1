/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/openapi.json (extension): this API as an OpenAPI document.
 */
export interface OpenApi {
  /**
   * Version of the OpenAPI specification.
   */
  openapi: string;
  /**
   * Title and version of the API.
   */
  info: {
    /**
     * Names of the supported extensions of tests and results.
     */
    'x-extensions': string[];
    [k: string]: unknown;
  };
  /**
   * Operations of the API by path and method.
   */
  paths: {
    [k: string]: unknown;
  };
  /**
   * Schemas of request and response bodies, and the authentication header.
   */
  components: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
