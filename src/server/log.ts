/** Log interface and events of the service and its workers. */

export const EVENTS = {
  'app-removed': 'An app was deleted with its tests and results, and its runs were stopped.',
  'backup-failed': 'The copy of the data for "loadtests backup" failed.',
  'backup-made': 'The data was copied for "loadtests backup".',
  'checkpoint-failed':
    'The checkpoint of a run could not be stored. The run continues, and the service retries within ten seconds.',
  'verification-lost': 'A host under load failed its verification twice in a row; its run was aborted.',
  'drain-requested': 'Worker: the service requested a drain.',
  'mailbox-replaced':
    'Worker: the key of its mailbox in Redis had the wrong type and was deleted; the service offers a lost shard again.',
  'merge-failed':
    'The counts of the workers of a run could not be merged because of an internal error; the run ended as `partial`.',
  'message-refused': 'Worker: a message of the service was invalid and was discarded.',
  'not-verified':
    'A host was not verified; `kind` and `reason` contain the cause, which callers do not receive.',
  'notice-broken': 'A delivery attempt failed because of an internal error; it counts as a failed attempt.',
  'notice-delivered': 'A callback or email was delivered.',
  'notice-expired': 'The last attempt to deliver a callback or email failed; it was dropped.',
  'notice-failed': 'An attempt to deliver a callback or email failed; the service will retry.',
  'notice-refused': 'A callback or email was rejected permanently and was dropped.',
  'notices-failed': 'Pending notices could not be read or written; the service will retry.',
  'threshold-failed': 'A threshold with `abort_after` failed, so the run was ended.',
  'over-limit': 'Active runs together exceeded a limit for one host; the most recent run was aborted.',
  'redis-back': 'The connection to Redis was restored.',
  'redis-lost': 'The connection to Redis was lost or could not be established; the process will retry.',
  'relay-unknown': 'The host name of the mail relay could not be resolved at startup.',
  request: 'The API responded to a request: `method`, `route`, `status`, `ms`.',
  'request-failed': 'A request failed because of an internal error; the response was 500.',
  'result-lost':
    'The end of a run could not be written before the service stopped; the next start closes the run as `partial`.',
  'result-waiting':
    'The end of a run could not be written, for example because the disk is full; the service keeps it in memory and retries every second.',
  'results-not-pruned': 'Old results could not be deleted; the service will retry.',
  'results-pruned':
    'Results that exceed the retention of `--keep-results` were deleted; `count` is their number.',
  'run-ended': 'A run ended and its result was stored; `abort_reason` is null if it was complete.',
  'run-failed': 'The load of a run could not be generated, or its load generator failed.',
  'run-resumed': 'A run that an earlier process started is still active; the service follows it to its end.',
  'run-started': 'The load of a run started.',
  'runs-lost': 'Unfinished runs of an earlier process were closed as `partial`.',
  'schedule-failed': 'Due schedules could not be read or written; the service retries until they are missed.',
  'schedule-fired': 'A scheduled test is due; its hosts are verified before its load starts.',
  'schedules-missed':
    'Scheduled tests were due too long ago to be started; their results are marked `missed`.',
  'shard-accepted': 'Worker: it accepted a shard of a run and is preparing it.',
  'shard-ended': 'Worker: a shard of a run ended; `end` is `completed`, `refused`, `canceled` or `expired`.',
  'shard-refused': 'A worker refused a shard of a run or was not ready in time; `reason` contains the cause.',
  'worker-lost':
    'A worker did not complete or report its shard; the run ended as `partial`, and `reason` contains the cause.',
  'worker-refused': 'The heartbeat of a worker was invalid; the worker receives no shards. Logged once.',
} as const;

export type EventName = keyof typeof EVENTS;

/** Fields of a log entry. They must not contain API keys, header values, bodies or URL queries. */
export interface LogFields {
  readonly event: EventName;
  readonly [field: string]: unknown;
}

export interface ServiceLog {
  info(fields: LogFields): void;
  warn(fields: LogFields): void;
  error(fields: LogFields): void;
}
