/* Written by "npm run generate" from schemas/; never edited. */

/**
 * An app as list and get return it.
 */
export interface AppRecord {
  /**
   * Host name with its non-default port.
   */
  app: string;
  /**
   * Identifier of the app; also its verification token.
   */
  app_id: string | number;
  /**
   * "verified" or "unverified", where the service tells.
   */
  status?: string | null;
  /**
   * Extension, only from get: name and content of the verification file.
   */
  verification_id?: string | null;
  /**
   * Extension, only from get: content of the TXT record that proves the name.
   */
  verification_record?: string | null;
  /**
   * Extension, only from get: "http" or "dns", by which the app was verified last.
   */
  method?: string | null;
  /**
   * Extension, only from get: its last checks, the newest first.
   */
  checks?: AppCheckRecord[] | null;
  [k: string]: unknown;
}
export interface AppCheckRecord {
  /**
   * RFC 3339.
   */
  at: string;
  /**
   * "http" or "dns".
   */
  method: string;
  /**
   * What it was for: a request to verify the app, or a run.
   */
  purpose: 'verify' | 'run';
  /**
   * `file_missing`: the TXT record is there, and the addresses must serve the file as well.
   */
  outcome: 'verified' | 'unverified' | 'file_missing';
  /**
   * In words; null where the app was verified. The same for all that can go wrong with a method.
   */
  reason: string | null;
  [k: string]: unknown;
}
