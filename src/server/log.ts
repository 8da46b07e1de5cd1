/** The log that is handed to the service. pino fits; so does an object that keeps lines for a test. */

/** Every event that the service logs, by its word. */
export const EVENTS = {
  'app-removed': 'An app was deleted with its tests and results, and load on it was ended.',
  'consent-withdrawn': 'A host under load did not consent any more, twice in a row; its run is ended.',
  'not-verified': 'A host was not verified; `kind` and `reason` say why, which no caller is told.',
  'notice-broken': 'An attempt to deliver failed in this program, not outside; it counts as a failed one.',
  'notice-delivered': 'A callback or mail was taken by its receiver.',
  'notice-expired': 'A callback or mail was tried as often as it may be, and is given up.',
  'notice-failed': 'An attempt to deliver a callback or mail failed; another one follows.',
  'notice-refused': 'A callback or mail is given up, since its receiver wants it never again.',
  'notices-failed': 'What is to be told could not be read or written; it is tried again.',
  'over-limit':
    'Running tests did more on one host than they may together; the one that began last is ended.',
  'relay-unknown': 'The name of the mail relay could not be resolved at the start.',
  request: 'An answer of the API went out: `method`, `route`, `status`, `ms`.',
  'request-failed': 'A request failed in this program; the answer was 500.',
  'result-lost': 'The end of a run could not be written; the next start closes it as `partial`.',
  'run-ended': 'A run ended and its result is stored; `abort_reason` is null when it went to its end.',
  'run-failed': 'The load of a run could not be made, or its generator died.',
  'run-resumed': 'A run that an earlier process started goes on, and is followed to its end.',
  'run-started': 'The load of a run began.',
  'runs-lost': 'Runs that an earlier process left behind were closed as `partial`.',
  'schedule-failed': 'What has come due could not be read or written; it is tried again until it is missed.',
  'schedule-fired': 'The time of a test has come; its hosts are asked before its load begins.',
  'schedules-missed': 'Tests came due too long ago to be started; their results say `missed`.',
} as const;

export type EventWord = keyof typeof EVENTS;

/** No line holds a key, a header value, a body, or a URL's query. */
export interface LogFields {
  readonly event: EventWord;
  readonly [field: string]: unknown;
}

export interface ServiceLog {
  info(fields: LogFields): void;
  warn(fields: LogFields): void;
  error(fields: LogFields): void;
}
