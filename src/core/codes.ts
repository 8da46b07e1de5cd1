/** The only list of problem codes. A code, once released, keeps its meaning. */

export interface CodeEntry {
  /** One line, for the table in docs/problem-codes.md. */
  readonly title: string;
  /** The exit code of a command that ends with it. */
  readonly exit: number;
  /** The long text that `explain` prints: cause and what to do. */
  readonly text: string;
}

export const CODES = {
  LT_CONFIG_NOT_FOUND: {
    title: 'No configuration file found',
    exit: 3,
    text: 'There is no loadtests.yaml in this directory or in a directory above it. Create one with "loadtests init", or name one with -f FILE.',
  },
  LT_CONFIG_UNREADABLE: {
    title: 'The file cannot be read',
    exit: 3,
    text: 'The file cannot be opened, is larger than 1 MiB, is not UTF-8 text, nests deeper than 64 levels, or holds more than one document.',
  },
  LT_CONFIG_SYNTAX: {
    title: 'The file is not valid YAML',
    exit: 3,
    text: 'The file must be a single YAML 1.2 document. The usual causes are duplicate keys, tabs used for indentation, and unclosed quotes.',
  },
  LT_CONFIG_UNKNOWN_KEY: {
    title: 'Unknown key',
    exit: 3,
    text: 'The file is strict at every level, so that a misspelled key is never ignored. Keys that begin with "x-" are allowed anywhere.',
  },
  LT_CONFIG_SHAPE: {
    title: 'A value has the wrong type',
    exit: 3,
    text: 'The value does not have the type or form that the schema requires. "loadtests schema config" prints the schema.',
  },
  LT_CONFIG_REFERENCE: {
    title: 'Unresolved reference',
    exit: 3,
    text: 'A ${name}, ${env:NAME}, ${file:path} or ${secret:NAME} could not be resolved, or "needs" names a test that does not exist. All of them are listed at once.',
  },
  LT_CONFIG_VALUE: {
    title: 'Invalid value',
    exit: 3,
    text: 'The value is well formed, but the API cannot carry it: a duration with a fraction of a second, a GET with a body, a reserved header, a line break in a header.',
  },
  LT_CONFIG_NO_APP: {
    title: 'The host of a URL is not a declared app',
    exit: 3,
    text: 'Load is sent only to hosts that are declared and verified. Every URL must belong to an app whose "app" equals its host and port.',
  },
  LT_CONFIG_CYCLE: {
    title: 'Circular "needs"',
    exit: 3,
    text: 'These tests need each other in a circle, so none of them could ever start.',
  },
  LT_CONFIG_SECRET_MISSING: {
    title: 'A secret is not set',
    exit: 3,
    text: '${secret:NAME} is read from the environment variable NAME. A missing one is a warning in validate and plan, and an error in apply and run if a selected test needs it.',
  },
  LT_CONFIG_ENVIRONMENT: {
    title: 'Environment unknown or not checked',
    exit: 3,
    text: '--env NAME must be one of the keys below "environments" in the file. As a warning of "validate": a large file has more environments than are checked at once; check the others with --env NAME.',
  },
  LT_CONFIG_BASELINE: {
    title: 'The baseline of a test is missing or cannot be used',
    exit: 3,
    text: 'A test with "regression" is compared with the runs in baselines/KEY.json beside the file, or baselines/ENV/KEY.json with --env. Without that file, or where it is of another load, the comparison is inconclusive, and this is a warning: make the file with "loadtests baseline KEY", and commit it. A file that is there and is no baseline is an error.',
  },
  LT_CONFIG_FALSE_POSITIVES: {
    title: 'Many limits, one of which may fail by chance',
    exit: 3,
    text: 'Runs of the same target differ a little. Each limit of "regression" is therefore broken by chance now and then, although nothing has changed, and with many of them some limit is. Fewer limits, or more runs with --repeat, make it rarer.',
  },
  LT_CLI_USAGE: {
    title: 'Invalid command line',
    exit: 3,
    text: 'A flag or argument is unknown, misspelled, missing, or cannot be combined with another one.',
  },
  LT_CLI_PATH: {
    title: 'A file or directory cannot be used',
    exit: 3,
    text: 'A file to be written, or a directory to work in, does not exist, is not of the right kind, is not writable, or is an input of the same command. This is checked before anything else happens.',
  },
  LT_CLI_ORIGIN: {
    title: 'Conflicting service addresses',
    exit: 3,
    text: 'LOADTESTS_BASE_URL names a different origin than the file, so nothing is sent: the key reaches no host that only one of them names. Where CI is set, a file with a "base_url" needs LOADTESTS_BASE_URL as well, since a pull request can change the file: set it to the same origin, beside the key, where a pull request cannot change it.',
  },
  LT_CLI_APPROVAL: {
    title: 'Consent required',
    exit: 6,
    text: 'The command would write to the service or start load. Without a terminal there is no prompt: pass --yes, or apply a saved plan.',
  },
  LT_CLI_WEAK_KEY: {
    title: 'The API key can be guessed',
    exit: 3,
    text: 'A service on a port is tried by strangers, and short keys are found by trying. Give "serve" a random key of at least 32 characters, or none: it then makes one.',
  },
  LT_CLI_NO_SUCH_TEST: {
    title: 'No such test',
    exit: 3,
    text: 'The key on the command line is not a test of this file, a pattern matches none, or "--only" and "--exclude" together leave none.',
  },
  LT_CLI_UNSAFE: {
    title: 'The connection would not be secure',
    exit: 3,
    text: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would expose the key to anyone on the network; plain http: requires allow_plain_http.',
  },
  LT_CLI_NO_WEB_UI: {
    title: 'The service has no page',
    exit: 3,
    text: 'Only "loadtests serve" has a page. The embedded service lives as long as one command, and services of another make have pages of their own. Start "loadtests serve", or name one that runs: loadtests open --service URL.',
  },
  LT_CLI_WEB_SERVER: {
    title: 'The web server did not start',
    exit: 9,
    text: 'The web_server command exited, or its url did not respond within its timeout.',
  },
  LT_CLI_LOCKED: {
    title: 'Locked by another command',
    exit: 9,
    text: 'Only one command at a time may write to the data directory. This one gave up after --lock-timeout, or the lock names a process that is not there.',
  },
  LT_CLI_INTERRUPTED: {
    title: 'Interrupted by a signal',
    exit: 130,
    text: 'The command was interrupted. The summary lists what was confirmed before that; run apply again to continue.',
  },
  LT_CLI_BUG: {
    title: 'A bug in loadtests',
    exit: 1,
    text: 'An internal error occurred. Please report it with the printed text.',
  },
  LT_CLI_DISK: {
    title: 'Output could not be written',
    exit: 1,
    text: 'The journal, the data directory, an output file or standard output could not be written. While the journal cannot be written, nothing is sent.',
  },
  LT_CLI_JOURNAL: {
    title: 'Unreadable line in the journal',
    exit: 8,
    text: 'The journal, .loadtests/journal.jsonl, records every request that writes and how it ended, one per line. A damaged line is ignored, so the operation it recorded is no longer tracked: compare "loadtests status" with what you expect, then delete the line.',
  },
  LT_PLAN_STALE: {
    title: 'The saved plan is stale',
    exit: 5,
    text: 'The file, the service, or an object that the plan relies on has changed since the plan was made. Make a new plan and review it.',
  },
  LT_PLAN_BAD_FILE: {
    title: 'Not a saved plan',
    exit: 3,
    text: 'The file given to apply was not written by "loadtests plan -o", was changed afterwards, or was made with another key, for another project or, for the embedded service, on another machine. A saved plan is consent, so it is signed.',
  },
  LT_PLAN_LIMIT: {
    title: 'The plan exceeds a limit',
    exit: 12,
    text: 'The limits in the file bound the load that a plan may start. --allow-limit NAME lifts one of them for this plan.',
  },
  LT_PLAN_BLOCKED: {
    title: 'An action is blocked',
    exit: 12,
    text: 'The app is not verified, a date has passed or is too close, the service lacks an extension that the test needs, or a test that must stop first is still running or scheduled.',
  },
  LT_PLAN_ID_MISSING: {
    title: 'An adopted test does not exist',
    exit: 3,
    text: 'The file adopts a test with "id", but the service does not list a test with that id.',
  },
  LT_PLAN_EXTENSION: {
    title: 'The service gets the test without an extension',
    exit: 7,
    text: 'The test uses an extension that it can do without, and the service does not name it. With `json`, values of "{{…}}" go into the body as they are: one with a quote, a backslash or a line break makes a body that is no JSON. The embedded service and `loadtests serve` escape them.',
  },
  LT_PLAN_FIELD_LOST: {
    title: 'A replacement would lack fields of the test that it replaces',
    exit: 7,
    text: 'The file adopts a test with "id" and has changed it, so that the plan replaces the test. "error_threshold" and "variables" are not listed by every service, so an imported file may lack them, and so would the new test. Add them to the file; "error_threshold: 50" and "variables: []" say that there are none.',
  },
  LT_PLAN_RENAME: {
    title: 'A new test looks like one that was renamed',
    exit: 7,
    text: 'The plan creates a test that equals one of a key which left the file. Creating it starts load, and its results begin anew. If only the key has changed, "moved" says so: the test on the service is kept.',
  },
  LT_PLAN_MOVED: {
    title: 'A line of "moved" is not needed any more',
    exit: 7,
    text: 'The test was created again since it was renamed, so the service has it under its new key. The line can be removed once this holds in every environment of the file.',
  },
  LT_PLAN_ID_TAKEN: {
    title: 'An adopted test is that of another key',
    exit: 3,
    text: 'The file adopts a test with "id" whose mark says that it was created for another key, which the file declares too. One test on the service cannot stand for two of the file. To rename the other key, remove it and say so with "moved".',
  },
  LT_PLAN_DUPLICATE: {
    title: 'Two tests have the same mark',
    exit: 7,
    text: 'Two tests were created for one declaration. The one whose first run began earlier on the service counts, then the one with the smaller id. The other is stopped by the machine that created it. Once it has ended, it is only mentioned, until "loadtests recover" closes it.',
  },
  LT_PLAN_UNMARKED: {
    title: 'The service did not store a mark',
    exit: 7,
    text: 'A test that was created came back without the mark in its notes, so on another machine it looks like a test of somebody else, and would be created again. Add the printed "id:" line to the test in the file. --allow-unmarked creates further tests all the same.',
  },
  LT_PLAN_MARKER: {
    title: 'Unreadable mark',
    exit: 7,
    text: 'The last line of the notes of a test looks like a mark of loadtests but is damaged. The test is treated as not managed here; adopt it with "id:".',
  },
  LT_PLAN_DRIFT: {
    title: 'A test was changed on the service',
    exit: 7,
    text: 'The fields of a test no longer match the digest in its mark. --on-drift replace creates it again.',
  },
  LT_PLAN_SECRET_UNKNOWN: {
    title: 'Secrets cannot be compared',
    exit: 7,
    text: 'The test on the service keeps the secrets that it was created with. Where the service returns them and they are set, a plan compares them, and a changed one replaces the test. Passwords are never compared. After one was changed, "loadtests apply --replace KEY" creates the test again with the new value.',
  },
  LT_PLAN_TOKEN_MISSING: {
    title: 'A verification token is missing',
    exit: 12,
    text: 'The app is verified, but its token is no longer in the directory that the file names. Services check the token again before each run.',
  },
  LT_PLAN_LIST_TRUNCATED: {
    title: 'The list may be incomplete',
    exit: 8,
    text: 'The length or the headers of the list suggest that it is only one page, so a test that is missing from it may still exist. Nothing is created that may be there: look for the test on the service and add its "id:", or pass --allow-unmarked if it does not exist.',
  },
  LT_PLAN_AGAINST: {
    title: 'The other revision of the file is not valid',
    exit: 3,
    text: 'plan --against REV could not load the file of that revision: it was not valid then, or it needs something from the environment that is not set now. The plan treats everything as new and shows the errors of that revision as warnings, so a file that is being repaired can still be reviewed.',
  },
  LT_PLAN_DROPPED: {
    title: 'A plan of the imported file would stop a test',
    exit: 7,
    text: 'A test of this project is running or scheduled, and the imported file has a different version of it or lacks its key, so a plan of that file would stop it. To keep the test, wait for it to end, or import it as well.',
  },
  LT_PLAN_UNMANAGED: {
    title: 'Other tests would be deleted as well',
    exit: 12,
    text: 'Deleting an app deletes every test and result on its host. Some of them do not carry the mark of this project and environment; --with-unmanaged deletes them too.',
  },
  LT_PLAN_NO_RESULTS: {
    title: 'Thresholds cannot be judged',
    exit: 11,
    text: 'The service does not provide results, or its results lack what a threshold needs: histograms for percentiles other than p50, p75, p90, p95, p99 and p99.9, or figures of each URL. There is nothing to judge those thresholds on.',
  },
  LT_API_KEY: {
    title: 'The API key is missing or was rejected',
    exit: 4,
    text: 'Set LOADTESTS_API_KEY, or the variable that service.api_key_env names, to a valid key of the service.',
  },
  LT_API_UNREACHABLE: {
    title: 'The service is unreachable',
    exit: 9,
    text: 'No connection could be made, or the service did not respond in time.',
  },
  LT_API_REFUSED: {
    title: 'The service refused the request',
    exit: 7,
    text: 'The service understood the request and refused it; the message holds its reason.',
  },
  LT_API_UNUSABLE: {
    title: 'Unexpected response from the service',
    exit: 1,
    text: 'The response was a redirect, an HTML page, truncated or too large, or had fields of the wrong type.',
  },
  LT_API_UNKNOWN: {
    title: 'The outcome of a request is unknown',
    exit: 8,
    text: 'A request that writes did not get a clear response. It is neither assumed to have succeeded nor sent again. Run apply again, or "loadtests recover".',
  },
  LT_RUN_THRESHOLD: {
    title: 'A threshold failed',
    exit: 10,
    text: 'The run ended, and one of its figures is outside the limit set in the file.',
  },
  LT_RUN_INCONCLUSIVE: {
    title: 'The run is inconclusive',
    exit: 11,
    text: 'The run was stopped, has no samples or no result, or the declared load was not offered; or a limit lies between the two ends of its figure, so that a verdict would depend on the delays of the machine that made the load. An inconclusive run never passes.',
  },
  LT_RUN_CAPACITY: {
    title: 'This machine cannot generate the load',
    exit: 12,
    text: 'The run needs more open files or source ports than the process or machine that makes the load allows, or more load on one host than the service permits, alone or together with what runs there already. The message names the numbers; no request was sent.',
  },
  LT_RUN_ONCE: {
    title: 'A request failed',
    exit: 10,
    text: '"run KEY --once" made one pass, and one of its requests failed or was answered with a status of 400 or above.',
  },
  LT_RUN_TIMEOUT: {
    title: 'Timed out waiting for a run',
    exit: 9,
    text: 'The run did not end within its duration plus its timeout and one minute, or within --timeout.',
  },
  LT_RUN_DUPLICATE: {
    title: 'A test was started twice',
    exit: 7,
    text: 'More than one run began where one was started: a request was delivered twice on its way, or somebody else started the test as well. The later run is stopped.',
  },
  LT_RUN_UNDELIVERED: {
    title: 'A callback was not delivered',
    exit: 7,
    text: 'The callback of a test could not be delivered before the command ended. It is kept in the data directory, and the next command tries again.',
  },
  LT_RUN_NOT_FOUND: {
    title: 'Not found',
    exit: 3,
    text: 'The service has no test or result with that name or id.',
  },
  LT_RUN_NOT_COMPARABLE: {
    title: 'Runs cannot be compared',
    exit: 3,
    text: 'Figures of two runs say something of the target only if both made the same load and measured it in the same way. What differs is named. --anyway shows the figures all the same, without a verdict. As a warning: another machine made the load, or nobody knows which.',
  },
  LT_CLUSTER_UNREACHABLE: {
    title: 'Redis is unreachable',
    exit: 9,
    text: 'The Redis that "serve" and its workers talk through could not be reached: nothing listens there, its name is not known, or it did not answer in time. With Sentinel, none of the sentinels answered or knows the name.',
  },
  LT_CLUSTER_REDIS: {
    title: 'Redis cannot be used as it is set up',
    exit: 3,
    text: 'Workers need Redis 6.2 or later, or Valkey, as one server or watched by Sentinel, with maxmemory-policy noeviction. Its address, user and password must be right, its certificate trusted, and the user must have the rights that the message names. "docs/running.md" says how to set it up.',
  },
  LT_SERVER_ADDRESS: {
    title: 'Invalid address',
    exit: 3,
    text: 'The service cannot listen there: the port is already in use, or the host is not an address of this machine. Or one of the addresses, hosts, ranges and URLs in the flags of serve is not valid.',
  },
  LT_SERVER_DATA: {
    title: 'The data directory cannot be used',
    exit: 1,
    text: 'The database was written by a newer version, is damaged, has lost changes that were acknowledged, or cannot be opened or written, such as on a full disk.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type Code = keyof typeof CODES;

/** Those that a service names in its refusals; any other one stays LT_API_REFUSED. */
export type RefusalCode = 'LT_RUN_CAPACITY';
