export const EVENTS = {
  'app-removed':
    'An app was deleted with its tests and results, and all runs that sent load to its host were stopped.',
  'backup-failed': 'The copy of the data for "loadtests backup" failed.',
  'backup-made': 'The data was copied for "loadtests backup".',
  'checkpoint-failed':
    'The checkpoint of a run could not be stored. The run continues, and the service retries within ten seconds.',
  'verification-lost': 'The verification of the hosts of a run failed twice in a row; the run was stopped.',
  'drain-requested': 'Worker: the service requested a drain.',
  'heartbeat-failed':
    'Worker: Redis rejected a heartbeat, so the service may list the worker as lost; `reason` contains the cause. Logged once until a heartbeat succeeds.',
  'mailbox-replaced':
    'Worker: the mailbox of the worker in Redis could not be read and was deleted; if it contained a shard of a run, the worker does not participate in that run.',
  'merge-failed':
    'The counts of the workers of a run could not be merged because of an internal error; the run ended as `partial`.',
  'message-refused': 'Worker: a message from the service was invalid and was discarded.',
  'not-verified':
    'A verification check of a host failed; `kind` and `reason` contain the cause, which API clients do not receive.',
  'notice-broken': 'An attempt to deliver a callback or email failed because of an internal error.',
  'notice-delivered': 'A callback or email was delivered.',
  'notice-expired': 'The last attempt to deliver a callback or email failed; the service will not retry.',
  'notice-failed': 'An attempt to deliver a callback or email failed; the service will retry.',
  'notice-refused': 'A callback or email was rejected permanently; the service will not retry.',
  'notices-failed':
    'Pending callbacks and emails could not be read from or written to the database; the service will retry.',
  'threshold-failed': 'A threshold with `abort_after` failed; the run was stopped.',
  'over-limit':
    'Active runs exceeded a load limit for a host; the run on that host that started last was stopped.',
  'redis-back': 'The connection to Redis was restored.',
  'redis-lost': 'The connection to Redis was lost or could not be established; the process will retry.',
  'relay-unknown': 'The host name of the mail relay could not be resolved at startup.',
  request: 'The service responded to a request: `method`, `route`, `status`, `ms`.',
  'request-failed':
    'A request failed because of an internal error or a storage failure; the response status was 500 or 503.',
  'result-lost':
    'The end of a run could not be written before the service stopped; the next start records the run as `partial`.',
  'result-waiting':
    'The end of a run could not be written, for example because the disk is full; the service keeps it in memory and retries every second.',
  'results-not-pruned': 'Old results could not be deleted; the service will retry.',
  'results-pruned':
    'Results that exceed the retention of `--keep-results` were deleted; `count` is their number.',
  'run-ended': 'A run ended and its result was stored; `abort_reason` is null unless the run ended early.',
  'run-failed': 'A run could not be started or resumed, or its load generator failed.',
  'run-resumed': 'A run that an earlier process started is still active, and this process has resumed it.',
  'run-started': 'The load of a run started.',
  'runs-lost': 'Unfinished runs of an earlier process were recorded as `partial`.',
  'schedule-failed':
    'Due scheduled tests could not be read from or written to the database; the service retries for five minutes after the due time of each test.',
  'schedule-fired': 'A scheduled test is due; its hosts are verified before its load starts.',
  'schedules-missed':
    'Scheduled tests were due too long ago to be started; their results are marked `missed`.',
  'shard-accepted': 'Worker: a shard of a run was accepted and is being prepared.',
  'shard-ended': 'Worker: a shard of a run ended; `end` is `completed`, `refused`, `canceled` or `expired`.',
  'shard-refused': 'A worker refused a shard of a run or was not ready in time; `reason` contains the cause.',
  'worker-lost':
    'A worker did not complete or report its shard, so the result of the run is incomplete; `reason` contains the cause.',
  'worker-refused':
    'The heartbeat of a worker cannot be decrypted or is invalid; the worker receives no load. Logged once per worker.',
} as const;

export type EventName = keyof typeof EVENTS;

/** The values must not contain API keys, header values, bodies or URL queries. */
export interface LogFields {
  readonly event: EventName;
  readonly [field: string]: unknown;
}

export interface ServiceLog {
  info(fields: LogFields): void;
  warn(fields: LogFields): void;
  error(fields: LogFields): void;
}
