/** The log that is handed to the service. pino fits; so does an object that keeps lines for a test. */

/** Every event that the service and its workers log, by its word. */
export const EVENTS = {
  'app-removed': 'An app was deleted with its tests and results, and load on it was ended.',
  'backup-failed': 'A copy of the data that "loadtests backup" asked for could not be made.',
  'backup-made': 'A copy of the data was made for "loadtests backup".',
  'checkpoint-failed':
    'What a run has counted so far could not be kept; it goes on, and it is tried again within ten seconds.',
  'consent-withdrawn': 'A host under load withdrew its consent twice in a row; its run was aborted.',
  'drain-ordered': 'Worker: somebody asked it to finish what it has and to leave.',
  'merge-failed':
    'What the workers of a run told could not be added up because of an internal error; the run was ended as `partial`.',
  'message-refused': 'Worker: what the service told it could not be understood, and was left.',
  'not-verified': 'A host was not verified; `kind` and `reason` say why. Callers are not told.',
  'notice-broken':
    'An attempt to deliver failed because of an internal error; it counts as a failed attempt.',
  'notice-delivered': 'A callback or mail was delivered.',
  'notice-expired': 'A callback or mail has reached its last attempt and was dropped.',
  'notice-failed': 'An attempt to deliver a callback or mail failed; another one follows.',
  'notice-refused': 'A callback or mail was rejected permanently and was dropped.',
  'notices-failed': 'Pending notices could not be read or written; they are tried again.',
  'over-limit': 'Running tests together exceeded a limit on one host; the most recent one was aborted.',
  'part-ended': 'Worker: a part of a run ended; `end` says how: `made`, `refused`, `cancelled` or `expired`.',
  'part-refused': 'A part of a run was refused, or its worker was not ready in time; `reason` says why.',
  'part-taken': 'Worker: it took a part of a run, and gets ready for it.',
  'redis-back': 'The connection to Redis is there again.',
  'redis-lost': 'The connection to Redis was lost, or could not be made; it is tried again.',
  'relay-unknown': 'The host name of the mail relay could not be resolved at start-up.',
  request: 'The API responded to a request: `method`, `route`, `status`, `ms`.',
  'request-failed': 'A request failed because of an internal error; the response was 500.',
  'result-lost':
    'The end of a run could not be written before the service ended; the next start closes it as `partial`.',
  'result-waiting':
    'The end of a run could not be written, such as on a full disk; it is kept in memory and tried again every second.',
  'results-not-pruned': 'Old results could not be deleted; it is tried again.',
  'results-pruned':
    'Results that are older or more than `--keep-results` allows were deleted; `count` of them.',
  'run-ended': 'A run ended and its result was stored; `abort_reason` is null if it was complete.',
  'run-failed': 'The load of a run could not be generated, or its generator died.',
  'run-resumed': 'A run started by an earlier process is still running and is followed to its end.',
  'run-started': 'The load of a run began.',
  'runs-lost': 'Runs that an earlier process left behind were closed as `partial`.',
  'schedule-failed':
    'Due schedules could not be read or written; they are tried again until they are missed.',
  'schedule-fired': 'A scheduled test is due; its hosts are verified before its load begins.',
  'schedules-missed': 'Scheduled tests were due too long ago to be started; their results say `missed`.',
  'worker-lost':
    'A worker did not make or tell all of its part; the run was ended as `partial`, and `reason` says why.',
  'worker-refused': 'What a worker says of itself could not be understood; it gets no part. Told once.',
} as const;

export type EventName = keyof typeof EVENTS;

/** No line holds a key, a header value, a body, or a URL's query. */
export interface LogFields {
  readonly event: EventName;
  readonly [field: string]: unknown;
}

export interface ServiceLog {
  info(fields: LogFields): void;
  warn(fields: LogFields): void;
  error(fields: LogFields): void;
}
