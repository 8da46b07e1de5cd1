/* Written by "npm run generate" from schemas/; never edited. */

/**
 * An app, as returned by GET /v2/apps and GET /v2/apps/{app_id}.
 */
export interface AppRecord {
  /**
   * Host name of the app, with its port if it is not the default port.
   */
  app: string;
  /**
   * ID of the app, which is also its verification token.
   */
  app_id: string | number;
  /**
   * Status of the app: "verified" or "unverified"; null if the service does not return it.
   */
  status?: string | null;
  /**
   * Extension, only in GET /v2/apps/{app_id}: name and content of the verification file; null if unknown.
   */
  verification_id?: string | null;
  /**
   * Extension, only in GET /v2/apps/{app_id}: content of the TXT record that verifies the host; null if unknown.
   */
  verification_record?: string | null;
  /**
   * Extension, only in GET /v2/apps/{app_id}: method of the latest verification, "http" or "dns"; null if unknown.
   */
  method?: string | null;
  /**
   * Extension, only in GET /v2/apps/{app_id}: the latest checks of the app, newest first; null if unknown.
   */
  checks?: AppCheckRecord[] | null;
  [k: string]: unknown;
}
export interface AppCheckRecord {
  /**
   * Time of the check (RFC 3339).
   */
  at: string;
  /**
   * Verification method: "http" or "dns".
   */
  method: string;
  /**
   * Reason for the check: a request to verify the app, or a run.
   */
  purpose: 'verify' | 'run';
  /**
   * Outcome of the check. `file_missing`: the TXT record was found, but the addresses of the host must also serve the verification file.
   */
  outcome: 'verified' | 'unverified' | 'file_missing';
  /**
   * Explanation of the outcome, for people; null if the app was verified. All failures of a method have the same explanation.
   */
  reason: string | null;
  [k: string]: unknown;
}
