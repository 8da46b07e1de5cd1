/** The log that is handed to the service. pino fits; so does an object that keeps lines for a test. */

/** No line holds a key, a header value, a body, or a URL's query. */
export interface LogFields {
  /** What happened, in one word or two with a dash. */
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface ServiceLog {
  info(fields: LogFields): void;
  warn(fields: LogFields): void;
  error(fields: LogFields): void;
}
