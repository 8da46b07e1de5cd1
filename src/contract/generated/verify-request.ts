/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Body of POST /v2/apps/{app_id}/verify, as a form or JSON.
 */
export interface VerifyRequest {
  /**
   * Verification method: "http", or another method of the service.
   */
  method?: string;
  connection?: VerifiedConnection;
}
/**
 * Extension `connection`: connection settings for the host, as an entry of `connection` in POST /v2/tests. Only in JSON.
 */
export interface VerifiedConnection {
  /**
   * Client certificate in PEM format, followed by its intermediate certificates, if any. Requires `key`.
   */
  cert?: string;
  /**
   * Private key of the client certificate in PEM format. Responses never contain it.
   */
  key?: string;
  /**
   * Passphrase of the private key, if it is encrypted. Responses never contain it.
   */
  passphrase?: string;
  /**
   * Certificates of the authorities that may sign the certificate of the host, in PEM format. They replace the authorities that the system trusts.
   */
  ca?: string;
  /**
   * Name for SNI and the certificate check. Default: the host of the URL.
   */
  server_name?: string;
  /**
   * Lowest accepted TLS version. Default: `1.2`.
   */
  tls_min?: '1.2' | '1.3';
  /**
   * Addresses of the host, which replace those of DNS. Connections use them in turn.
   *
   * @minItems 1
   */
  resolve?: [string, ...string[]];
  /**
   * IP version of the addresses that connections use. Default: all addresses.
   */
  ip?: 4 | 6;
}
