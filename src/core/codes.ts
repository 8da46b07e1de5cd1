/** Problem codes. The meaning of a released code must not change. */

export interface CodeEntry {
  /** Heading: a noun phrase or a short clause. */
  readonly title: string;
  /** Exit code of a command that ends with this problem. */
  readonly exit: number;
  readonly cause: string;
  /** Advice that begins with an imperative. */
  readonly fix: string;
}

export const CODES = {
  LT_CONFIG_NOT_FOUND: {
    title: 'No configuration file',
    exit: 3,
    cause: 'Neither the working directory nor any of its parent directories contains a loadtests.yaml.',
    fix: 'Create a file with "loadtests init", or pass the path of an existing file with -f FILE.',
  },
  LT_CONFIG_UNREADABLE: {
    title: 'Unreadable file',
    exit: 3,
    cause:
      'The file cannot be opened, is larger than its limit (1 MiB for the configuration file), is not UTF-8, is nested deeper than 64 levels, or contains more than one document.',
    fix: 'Correct the file, its path or its permissions, depending on the reason in the message.',
  },
  LT_CONFIG_SYNTAX: {
    title: 'Invalid YAML',
    exit: 3,
    cause:
      'The file is not a single valid YAML 1.2 document. The usual causes are duplicate keys, tabs used for indentation, and unclosed quotes.',
    fix: 'Correct the file at the reported line and column.',
  },
  LT_CONFIG_UNKNOWN_KEY: {
    title: 'Unknown key',
    exit: 3,
    cause:
      'The file contains a key that the schema does not define at this location. Unknown keys are errors at every level, so that a misspelled key is never ignored.',
    fix: 'Correct the key, or remove it. To store custom data, begin the key with "x-".',
  },
  LT_CONFIG_SHAPE: {
    title: 'Value does not match the schema',
    exit: 3,
    cause:
      'The value does not have the type or form that the schema requires, or a required key or entry is missing.',
    fix: 'Change the value as the message describes. "loadtests schema config" prints the schema.',
  },
  LT_CONFIG_REFERENCE: {
    title: 'Unresolved reference',
    exit: 3,
    cause:
      'A reference (${name}, ${env:NAME}, ${file:path} or ${secret:NAME}) cannot be resolved. Another possible cause is a test in "needs" or "moved", or a URL in "groups", that the file does not declare. If this is a warning, the file does not use a variable of --var.',
    fix: 'Declare the variable, set the environment variable, or correct the name or path. The output lists all unresolved references.',
  },
  LT_CONFIG_VALUE: {
    title: 'Invalid value',
    exit: 3,
    cause:
      'The value has the right type but is not allowed. Examples are a duration with a fraction of a second, a GET request with a body, a reserved header, and a line break in a header.',
    fix: 'Change the value as the message describes.',
  },
  LT_CONFIG_NO_APP: {
    title: 'URL without an app',
    exit: 3,
    cause:
      'The host of a URL is not a declared app. Load is sent only to hosts that are declared and verified.',
    fix: 'Add the host and port of the URL to "apps", or correct the URL.',
  },
  LT_CONFIG_CYCLE: {
    title: 'Circular "needs"',
    exit: 3,
    cause: 'These tests depend on each other in a cycle, so none of them can start.',
    fix: 'Remove one of the "needs" entries in the cycle.',
  },
  LT_CONFIG_SECRET_MISSING: {
    title: 'Secret not set',
    exit: 3,
    cause:
      '${secret:NAME} is read from the environment variable NAME, which is not set. This is a warning in validate and plan, and an error in apply and run if a selected test uses the secret.',
    fix: 'Set the environment variable, for example from the secrets of your CI system.',
  },
  LT_CONFIG_ENVIRONMENT: {
    title: 'Unknown or unchecked environment',
    exit: 3,
    cause:
      '--env names an environment that the file does not declare. If this is a warning from "validate", the file has more environments than one command can check.',
    fix: 'Pass an environment that is declared under "environments", or add the environment to the file. To check the remaining environments, run "loadtests validate --env NAME" for each of them.',
  },
  LT_CONFIG_BASELINE: {
    title: 'Baseline missing or invalid',
    exit: 3,
    cause:
      'A test with "regression" is compared with the runs recorded in baselines/KEY.json next to the configuration file (with --env, baselines/ENV/KEY.json). If that file is missing or was recorded with a different load, the comparison is inconclusive, and the problem is a warning. If the file is not a valid baseline, the problem is an error. "loadtests baseline" reports failed and missing runs.',
    fix: 'Record a baseline with "loadtests baseline KEY", and commit the file.',
  },
  LT_CONFIG_FALSE_POSITIVES: {
    title: 'Regression thresholds may fail by chance',
    exit: 3,
    cause:
      'Results vary slightly between runs, so each regression threshold has a small false-positive rate. With many thresholds, at least one is likely to fail by chance in some runs.',
    fix: 'Use fewer regression thresholds, or more runs with --repeat.',
  },
  LT_IMPORT_SOURCE: {
    title: 'Source not converted',
    exit: 3,
    cause:
      'The source of "import --from" is too large, does not have the format that --from names, or contains no request that a test can send.',
    fix: 'Correct the source at the reported line and column, or pass its format with --from. "loadtests import --help" lists the formats.',
  },
  LT_CLI_USAGE: {
    title: 'Invalid command line',
    exit: 3,
    cause: 'A flag or argument is unknown, misspelled or missing, or cannot be combined with another one.',
    fix: 'Correct the command line. "loadtests COMMAND --help" lists the flags of a command.',
  },
  LT_CLI_PATH: {
    title: 'Unusable file or directory',
    exit: 3,
    cause:
      'A file or directory is missing, already exists, has the wrong type, is not readable or writable, or is both an input and an output.',
    fix: 'Correct the path, or the permissions of the file or directory.',
  },
  LT_CLI_ORIGIN: {
    title: 'Conflicting service addresses',
    exit: 3,
    cause:
      'LOADTESTS_BASE_URL and the file or command line name different origins. In CI, another possible cause is a file that names a service while LOADTESTS_BASE_URL is not set. No request is sent, because a pull request could change "base_url" to redirect the API key.',
    fix: 'Set LOADTESTS_BASE_URL to the origin of the service. In CI, set it in the CI settings, next to the API key.',
  },
  LT_CLI_APPROVAL: {
    title: 'Approval required',
    exit: 6,
    cause:
      'The command would change the service or start load, but it was not approved. Without a terminal, the command cannot prompt for approval.',
    fix: 'Pass --yes, or apply a saved plan.',
  },
  LT_CLI_COMMANDS: {
    title: 'Commands in the file rejected',
    exit: 6,
    cause:
      'The file contains a command, and a pull request started the job, which has an API key or a token. The pull request may have changed the command or its files, and a command can read the secrets of its job.',
    fix: 'Run the commands in a job without secrets, and comment on the pull request from another job. If you trust everyone who can open a pull request, pass --allow-commands.',
  },
  LT_CLI_WEAK_KEY: {
    title: 'API key too short',
    exit: 3,
    cause:
      'The API key or worker secret has fewer than 32 characters. An attacker who can connect to the service could guess it.',
    fix: 'Set a random value of at least 32 characters. If LOADTESTS_API_KEY is not set, "serve" generates a key.',
  },
  LT_CLI_NO_SUCH_TEST: {
    title: 'No matching test',
    exit: 3,
    cause:
      'A key on the command line is not in the file, a pattern matches nothing, or --only and --exclude together select nothing.',
    fix: 'Correct the key or pattern. "loadtests status" lists the tests of the file.',
  },
  LT_CLI_UNSAFE: {
    title: 'Insecure connection',
    exit: 3,
    cause:
      'The API key would be sent without protection: NODE_TLS_REJECT_UNAUTHORIZED=0 is set, or the address of the service begins with http: and is not on this computer.',
    fix: 'Unset NODE_TLS_REJECT_UNAUTHORIZED, and use https:. On a trusted network, set "allow_plain_http: true" under "service".',
  },
  LT_CLI_NO_WEB_UI: {
    title: 'No web UI',
    exit: 3,
    cause:
      'Only "loadtests serve" provides the web UI. The embedded service ends with the command, and third-party services have a different web UI.',
    fix: 'Start "loadtests serve", or pass the URL of a running service: loadtests open --service URL.',
  },
  LT_CLI_WEB_SERVER: {
    title: 'Web server did not start',
    exit: 9,
    cause:
      'The command of "web_server" exited, or its "url" did not respond within "timeout". Another possible cause is a server that already responds at "url" although "reuse_existing" is false.',
    fix: 'Run the command manually and fix its error, increase "timeout", or stop the other server.',
  },
  LT_CLI_LOCKED: {
    title: 'Locked by another command',
    exit: 9,
    cause:
      'Another command uses the data directory and did not end within --lock-timeout. With a hosted service, commands wait only for commands of the same project and environment. With the embedded service, they wait for every command that writes. The process that holds the lock may also have ended.',
    fix: 'Wait for the other command, or increase --lock-timeout. Delete the lock file only if its process no longer exists.',
  },
  LT_CLI_INTERRUPTED: {
    title: 'Interrupted by a signal',
    exit: 130,
    cause:
      'The command received SIGINT or SIGTERM. The summary lists the actions that were confirmed before the signal.',
    fix: 'Run the printed command to continue.',
  },
  LT_CLI_BUG: {
    title: 'Bug in loadtests',
    exit: 1,
    cause: 'An internal error occurred.',
    fix: 'Report the problem, and include the printed output.',
  },
  LT_CLI_DISK: {
    title: 'Output not written',
    exit: 1,
    cause:
      'The journal, the data directory, an output file, standard output or the job summary cannot be written. If the journal cannot be written, no request that changes the service is sent.',
    fix: 'Free disk space, or correct the permissions of the path in the message.',
  },
  LT_CLI_FILES: {
    title: 'Too many open files',
    exit: 1,
    cause:
      'The process or the machine has reached its limit on open files, which include connections. Each connection of a load test counts as one open file. "ulimit -n" prints the limit for processes of the current shell.',
    fix: 'Increase the limit with "ulimit -n 65536", or with LimitNOFILE in the unit file of the service.',
  },
  LT_CLI_JOURNAL: {
    title: 'Unreadable journal line',
    exit: 8,
    cause:
      'The journal (.loadtests/journal.jsonl) records every request that changes the service, one per line. A damaged line is ignored, so the operation that it recorded is no longer tracked.',
    fix: 'Check the output of "loadtests status", then delete the line.',
  },
  LT_PLAN_STALE: {
    title: 'Stale plan',
    exit: 5,
    cause:
      'The file, the service, or an object in the saved plan has changed since the plan was created. A plan is also stale if it was already applied or is older than --max-plan-age.',
    fix: 'Create a new plan, and review it. To apply a plan that was already applied, pass --again.',
  },
  LT_PLAN_BAD_FILE: {
    title: 'Not a saved plan',
    exit: 3,
    cause:
      'A saved plan is an approval, so it is signed. Either "loadtests plan -o FILE" did not write this file, or the file was changed afterward. The signature may also be from a different key or project. With the embedded service, it may be from a different computer, user or directory.',
    fix: 'Create a new plan with "loadtests plan -o FILE". If plan and apply run on different computers, set LOADTESTS_API_KEY to the same value for both.',
  },
  LT_PLAN_LIMIT: {
    title: 'Plan exceeds a limit',
    exit: 12,
    cause:
      'The plan would start more load than "limits" in the file, or the variable LOADTESTS_LIMITS, allows.',
    fix: 'Reduce the load, or change the limit. To lift one limit of the file for this plan, pass --allow-limit NAME.',
  },
  LT_PLAN_FAIL_ON: {
    title: 'Dangerous change rejected',
    exit: 13,
    cause:
      'The plan contains a dangerous change of a kind that is listed in --fail-on, such as a loosened threshold.',
    fix: 'Remove the change that the message names. If the change is intended, review it, and remove its kind from --fail-on.',
  },
  LT_PLAN_BLOCKED: {
    title: 'Blocked action',
    exit: 12,
    cause:
      'The plan contains an action that cannot be executed. Possible causes are an unverified app, a date that has passed or is too close, and an extension that the service does not support. Another possible cause is a test that must stop first but is still running or scheduled.',
    fix: 'Fix the cause that the message names, and run the command again.',
  },
  LT_PLAN_ID_MISSING: {
    title: 'Adopted test not found',
    exit: 3,
    cause: 'The file adopts a test with "id", but the service has no test with that ID.',
    fix: 'Correct the ID, or remove it to create a new test.',
  },
  LT_PLAN_EXTENSION: {
    title: 'Test sent without an optional extension',
    exit: 7,
    cause:
      'The test uses an optional extension that the service does not list. Without the extension "json", values of "{{…}}" are not escaped. A value that contains a quote, backslash or line break then produces invalid JSON.',
    fix: 'Use the embedded service or "loadtests serve", which escape these values, or make sure that the values do not need escaping.',
  },
  LT_PLAN_FIELD_LOST: {
    title: 'Replacement would lose fields',
    exit: 7,
    cause:
      'The file adopts a test with "id" and changes it, so the plan replaces it. Some services do not return "error_threshold" and "variables", so an imported file can lack them, and the new test would then lack them too.',
    fix: 'Add the fields to the file. If the replaced test does not use them, set "error_threshold: 50" and "variables: []".',
  },
  LT_PLAN_RENAME: {
    title: 'Test may have been renamed',
    exit: 7,
    cause:
      'The plan creates a test that is identical to a test whose key is no longer in the file. Creating the test starts load and begins a new history.',
    fix: 'Add the old key to "moved" if you renamed the test. The plan then keeps the existing test.',
  },
  LT_PLAN_MOVED: {
    title: 'Unused entry in "moved"',
    exit: 7,
    cause: 'The test has been re-created under its new key, so this entry has no effect.',
    fix: 'Remove the entry when this warning appears in every environment.',
  },
  LT_PLAN_ID_TAKEN: {
    title: 'Test owned by another key',
    exit: 3,
    cause:
      'The file adopts a test with "id", but the ownership marker of that test names another key that the file also declares. A test on the service can belong to only one key.',
    fix: 'Remove the "id". To rename the other key, remove it and add an entry to "moved".',
  },
  LT_PLAN_DUPLICATE: {
    title: 'Duplicate test',
    exit: 7,
    cause:
      'The service has several tests for one declaration. loadtests uses the test whose first run started earliest. If the first runs started at the same time, loadtests uses the test with the smallest ID. The command that created another test stops that test.',
    fix: 'Stop the duplicate with the printed command if it is still running. After it has ended, run "loadtests recover", so that it is no longer reported.',
  },
  LT_PLAN_UNMARKED: {
    title: 'Ownership marker not stored',
    exit: 7,
    cause:
      'The service dropped the ownership marker from the notes of a created test. Other computers cannot recognize the test and would create it again.',
    fix: 'Add the printed "id:" line to the file. To create more tests anyway, pass --allow-unmarked.',
  },
  LT_PLAN_MARKER: {
    title: 'Damaged ownership marker',
    exit: 7,
    cause:
      'The last line of the notes of a test looks like an ownership marker but cannot be read. The test is treated as unmanaged.',
    fix: 'Adopt the test with the printed "id:" line.',
  },
  LT_PLAN_DRIFT: {
    title: 'Test changed on the service',
    exit: 7,
    cause:
      'The fields of a test no longer match the digest in its ownership marker, which means that the test was changed on the service.',
    fix: 'Pass --on-drift replace to create the test again, or change the file.',
  },
  LT_PLAN_SECRET_UNKNOWN: {
    title: 'Secrets not comparable',
    exit: 7,
    cause:
      'A test on the service uses the secrets with which it was created. A plan can compare a secret only if the secret is set and the service returns its field. Services never return passwords.',
    fix: 'Create the test again if a secret has changed: loadtests apply --replace KEY.',
  },
  LT_PLAN_TOKEN_MISSING: {
    title: 'Verification token missing',
    exit: 12,
    cause:
      'The app is verified, but its token is missing from the directory that the file names. The service checks the token again before each run.',
    fix: 'Run "loadtests verify" to publish the token again.',
  },
  LT_PLAN_LIST_TRUNCATED: {
    title: 'List may be incomplete',
    exit: 8,
    cause:
      'The length or the headers of the response suggest that it contains only one page of the list of tests. A test that is missing from this page may still exist, so the command does not create it.',
    fix: 'Search for the test on the service and add its "id:" to the file. If it does not exist, pass --allow-unmarked.',
  },
  LT_PLAN_AGAINST: {
    title: 'Unreadable base revision',
    exit: 3,
    cause:
      'The file at the revision of --against is invalid, or a variable that it needs is not set. The plan treats everything as new, and prints the errors of that revision as warnings.',
    fix: 'Choose a revision with a valid file, or set the missing variables. No action is needed if the current change repairs the file.',
  },
  LT_PLAN_KEY: {
    title: 'API key in a pull-request job',
    exit: 6,
    cause:
      'A pull request started the job, which has an API key. Programs of the pull request that run in the job, such as package scripts, can read the key. They could use it to start load or to sign a plan.',
    fix: 'Remove the key from the jobs of pull requests. Without a key, the plan compares the file with the base of the pull request.',
  },
  LT_PLAN_DROPPED: {
    title: 'Imported file would stop a test',
    exit: 7,
    cause:
      'A test of this project is running or scheduled, but the imported file lacks its key or contains a different version of the test. A plan of this file would stop the test.',
    fix: 'Wait until the test has ended, or import it too.',
  },
  LT_PLAN_UNMANAGED: {
    title: 'Unmanaged tests would be deleted',
    exit: 12,
    cause:
      'Deleting an app deletes every test and result on its host. Some of these tests do not have the ownership marker of this project and environment.',
    fix: 'Check the listed tests. To delete them too, pass --with-unmanaged.',
  },
  LT_PLAN_NO_RESULTS: {
    title: 'Thresholds cannot be evaluated',
    exit: 11,
    cause:
      'The service does not provide results, or its results lack data that a threshold needs. Percentiles other than p50, p75, p90, p95, p99 and p99.9 require histograms. Thresholds on URLs require metrics of each URL.',
    fix: 'Use the embedded service or "loadtests serve", or remove the threshold.',
  },
  LT_API_KEY: {
    title: 'API key missing or rejected',
    exit: 4,
    cause: 'The API key is not set, the service rejected it, or the service denied access (403).',
    fix: 'Set LOADTESTS_API_KEY, or the variable that "service.api_key_env" names, to a valid key of the service. After a 403 response to a valid key, check for a proxy or firewall that blocks the request.',
  },
  LT_API_UNREACHABLE: {
    title: 'Service unreachable',
    exit: 9,
    cause: 'The connection to the service failed, or the service did not respond in time.',
    fix: 'Check the address of the service and the network, and run the command again.',
  },
  LT_API_REFUSED: {
    title: 'Request refused',
    exit: 7,
    cause: 'The service understood the request and refused it. The message contains its reason.',
    fix: 'Fix the cause, and run the command again.',
  },
  LT_API_UNUSABLE: {
    title: 'Unexpected response',
    exit: 1,
    cause:
      'The response of the service was a redirect or an HTML page, was truncated or too large, or contained fields with wrong types.',
    fix: 'Check that the address of the service is correct, and that no proxy or login page responds instead of the service.',
  },
  LT_API_UNKNOWN: {
    title: 'Unknown outcome',
    exit: 8,
    cause:
      'A request that changes the service received no conclusive response. The command does not repeat the request or assume that it succeeded.',
    fix: 'Run "loadtests apply" again. If the outcome remains unknown, run "loadtests recover".',
  },
  LT_RUN_THRESHOLD: {
    title: 'Threshold failed',
    exit: 10,
    cause: 'A metric of the run does not meet its threshold, or the run reached its "error_threshold".',
    fix: 'Improve the system under test, or change the threshold.',
  },
  LT_RUN_INCONCLUSIVE: {
    title: 'Inconclusive run',
    exit: 11,
    cause:
      'The run was stopped, has no samples or result, or did not deliver the declared load. A run is also inconclusive if delays of the load generator could change a verdict, or if there are too few responses for a percentile. An inconclusive run never passes.',
    fix: 'Run the test again. If the message names the load generator, reduce the load, or use more cores. If there are too few responses, run the test longer or with more load.',
  },
  LT_RUN_CAPACITY: {
    title: 'Load exceeds a limit',
    exit: 12,
    cause:
      'The run needs more open files or source ports than the load generator has. It may also exceed the load that the service allows on one host, alone or together with active runs. No request was sent. If this is a warning in a plan, the load may also need more CPU time than the load generator has.',
    fix: 'Reduce the load, or raise the limit that the message names.',
  },
  LT_RUN_ONCE: {
    title: 'Request failed',
    exit: 10,
    cause:
      'One of the requests of "run KEY --once" failed, or its response had a status of 400 or above or did not meet an expectation.',
    fix: 'Check the printed request and response, and correct the test or the target.',
  },
  LT_RUN_TIMEOUT: {
    title: 'Timed out waiting for a run',
    exit: 9,
    cause:
      'The run did not end, or its result was not available, within --timeout. The default is the maximum run time plus one minute. The code also applies to a test that does not stop in time after a stop request.',
    fix: 'Check the run with "loadtests status". If the run is still active, increase --timeout or, after a stop request, repeat the command.',
  },
  LT_RUN_DUPLICATE: {
    title: 'Test started twice',
    exit: 7,
    cause:
      'After one start request, the service has more than one new run of the test: the request was delivered twice, or another client also started the test. Every run except the first is stopped.',
    fix: 'Check that the later runs have ended. If a run is still active, stop it with the printed command.',
  },
  LT_RUN_UNDELIVERED: {
    title: 'Callback not delivered',
    exit: 7,
    cause:
      'The callback of a test could not be delivered before the command ended. The data directory stores it, and the next command that changes the service tries again to deliver it.',
    fix: 'Check that the callback URL accepts requests. Then run a command that changes the service, such as "loadtests apply".',
  },
  LT_RUN_NOT_FOUND: {
    title: 'Not found',
    exit: 3,
    cause: 'The service has no test, result or operation with that name or ID.',
    fix: 'Correct the name or ID. "loadtests results" and "loadtests recover" list valid names and IDs.',
  },
  LT_RUN_NOT_COMPARABLE: {
    title: 'Runs not comparable',
    exit: 3,
    cause:
      'Two runs are comparable only if they generated the same load and measured it in the same way. The message lists the differences. If this is a warning, the runs used different load generators, or a load generator is unknown.',
    fix: 'Compare runs of the same load, or record a new baseline. To compare the runs without a verdict, pass --anyway.',
  },
  LT_CLUSTER_UNREACHABLE: {
    title: 'Redis unreachable',
    exit: 9,
    cause:
      'The connection to the Redis server of "serve" and its workers failed or timed out, or the host name of the server was not found. With Sentinel, no sentinel responded, or no sentinel monitors a server with the given name.',
    fix: 'Check that Redis is running and that its address in LOADTESTS_REDIS or --redis is correct.',
  },
  LT_CLUSTER_REDIS: {
    title: 'Unsupported Redis configuration',
    exit: 3,
    cause:
      'Workers need Redis 6.2 or later, or Valkey, as a single server or managed by Sentinel, with maxmemory-policy noeviction. The address, user and password must be correct, and the certificate must be trusted. The user must have the permissions that the message lists.',
    fix: 'Change the setting that the message names. docs/guides/distributed-load.md describes the configuration.',
  },
  LT_SERVER_ADDRESS: {
    title: 'Invalid address',
    exit: 3,
    cause:
      'The service cannot listen on the address, because the port is in use or the host is not an address of this computer. Another possible cause is an invalid address, host, range or URL in the flags of "serve" or "worker".',
    fix: 'Choose a free port, or correct the flag that the message names.',
  },
  LT_SERVER_DATA: {
    title: 'Unusable data directory',
    exit: 1,
    cause:
      'The database was written by a newer version, is damaged, has lost acknowledged changes, or cannot be opened or written, for example because the disk is full.',
    fix: 'Fix the cause that the message names: upgrade loadtests, free disk space, or restore a backup. Do not restart the service in a loop.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type Code = keyof typeof CODES;

/** Codes that a service may include in a refusal. A refusal without a code is reported as LT_API_REFUSED. */
export type RefusalCode = 'LT_RUN_CAPACITY';

/** Returns the path and anchor of the documentation of a code, relative to the root of the repository or package. */
export function documentationOf(code: Code): string {
  return `docs/reference/problem-codes.md#${code.toLowerCase()}`;
}
