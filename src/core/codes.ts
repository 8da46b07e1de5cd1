/** The only list of problem codes. A code, once released, keeps its meaning. */

export interface CodeEntry {
  /** One line, for the table in the README. */
  readonly title: string;
  /** The exit code of a command that ends with it. */
  readonly exit: number;
  /** The long text that `explain` prints: cause and what to do. */
  readonly text: string;
}

export const CODES = {
  LT_CONFIG_NOT_FOUND: {
    title: 'There is no configuration file',
    exit: 3,
    text: 'No loadtests.yaml was found in this folder or above it. Write one with "loadtests init", or name one with -f FILE.',
  },
  LT_CONFIG_UNREADABLE: {
    title: 'The file cannot be used as it is',
    exit: 3,
    text: 'The file is larger than 1 MiB, is not text in UTF-8, nests deeper than 64 levels, holds several documents, or cannot be read.',
  },
  LT_CONFIG_SYNTAX: {
    title: 'The file is not YAML',
    exit: 3,
    text: 'The file must be one YAML 1.2 document. Duplicate keys, tabs used as indentation and unclosed quotes are the usual causes.',
  },
  LT_CONFIG_UNKNOWN_KEY: {
    title: 'A key that is not known',
    exit: 3,
    text: 'Every level of the file is strict, so that a misspelt key is never ignored. Keys that begin with "x-" are allowed anywhere.',
  },
  LT_CONFIG_SHAPE: {
    title: 'A value of the wrong kind',
    exit: 3,
    text: 'The value has another type or form than the schema asks for. "loadtests schema config" prints the schema.',
  },
  LT_CONFIG_REFERENCE: {
    title: 'A reference that leads nowhere',
    exit: 3,
    text: 'A ${name}, ${env:NAME}, ${file:path} or ${secret:NAME} could not be filled in. All missing ones are listed at once.',
  },
  LT_CONFIG_VALUE: {
    title: 'A value that the service cannot carry',
    exit: 3,
    text: 'The value is well formed but means something the API has no place for: a fraction of a second as duration, a body with GET, a forbidden header, a line break in a header.',
  },
  LT_CONFIG_NO_APP: {
    title: 'A URL without an app',
    exit: 3,
    text: 'Load goes only to hosts that are declared and verified. Every URL must belong to an app whose "app" equals its host and port.',
  },
  LT_CONFIG_CYCLE: {
    title: 'Tests that wait for each other',
    exit: 3,
    text: 'The "needs" of these tests form a circle, so none of them could ever start.',
  },
  LT_CONFIG_SECRET_MISSING: {
    title: 'A secret that is not set',
    exit: 3,
    text: 'A ${secret:NAME} is read from the environment variable NAME. A missing one is a warning in validate and plan, and an error where it would be sent.',
  },
  LT_CONFIG_ENVIRONMENT: {
    title: 'An environment that the file does not declare',
    exit: 3,
    text: '--env NAME must be one of the keys below "environments" in the file.',
  },
  LT_CLI_USAGE: {
    title: 'The command line is not right',
    exit: 3,
    text: 'A flag or argument is unknown, misspelt, missing, or does not go with another one.',
  },
  LT_CLI_PATH: {
    title: 'A file or folder cannot be used',
    exit: 3,
    text: 'A file that the command is to write, or a folder that it is to work in, is not there, is of another kind, may not be written, or is an input of the same command. It is noticed before anything is done.',
  },
  LT_CLI_ORIGIN: {
    title: 'Two different services are named',
    exit: 3,
    text: 'LOADTESTS_BASE_URL names another origin than the file. Nothing is sent, so that a key cannot reach a host that the file does not name.',
  },
  LT_CLI_CONSENT: {
    title: 'Consent is missing',
    exit: 6,
    text: 'The command would write to the service or start load. Without a terminal nothing is asked: say --yes, or apply a saved plan.',
  },
  LT_CLI_NO_SUCH_TEST: {
    title: 'No test of that name',
    exit: 3,
    text: 'The key given on the command line is not a test of this file, or a pattern matches none.',
  },
  LT_CLI_UNSAFE: {
    title: 'The environment makes the connection unsafe',
    exit: 3,
    text: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would let anyone read the key; plain http: needs allow_plain_http.',
  },
  LT_CLI_WEB_SERVER: {
    title: 'The target under test did not start',
    exit: 9,
    text: 'The command of web_server ended, or its url did not answer within its timeout.',
  },
  LT_CLI_LOCKED: {
    title: 'Another command works on the same data',
    exit: 9,
    text: 'The data folder has one owner at a time. The command waited for --lock-timeout and gave up.',
  },
  LT_CLI_INTERRUPTED: {
    title: 'Interrupted by a signal',
    exit: 130,
    text: 'The command was told to end. What was confirmed until then is in the summary; apply again continues.',
  },
  LT_CLI_BUG: {
    title: 'A bug in this program',
    exit: 1,
    text: 'Something happened that the program holds impossible. Report it with the text that was printed.',
  },
  LT_CLI_DISK: {
    title: 'Output could not be written',
    exit: 1,
    text: 'The journal, the data folder, an output file or standard output could not be written. Where the journal cannot be written, nothing is sent.',
  },
  LT_CLI_JOURNAL: {
    title: 'A line of the journal cannot be read',
    exit: 8,
    text: 'The journal in .loadtests/journal.jsonl keeps what was sent and how it ended, a line each. A line that is damaged counts as not there, so an operation that it told of is not looked for any more: compare "loadtests status" with what you expect, then remove the line.',
  },
  LT_PLAN_STALE: {
    title: 'The saved plan no longer fits',
    exit: 5,
    text: 'The file, the service or the objects that the plan relies on have changed since. Plan again and review it.',
  },
  LT_PLAN_BAD_FILE: {
    title: 'Not a saved plan',
    exit: 3,
    text: 'The file given to apply was not written by "loadtests plan -o", or has been altered.',
  },
  LT_PLAN_LIMIT: {
    title: 'The plan breaks a limit of the file',
    exit: 12,
    text: 'The limits in the file bound the load that may be started. --allow-limit NAME lets this one plan pass.',
  },
  LT_PLAN_BLOCKED: {
    title: 'An action cannot be carried out yet',
    exit: 12,
    text: 'The app is not verified, a date has passed or is too close, or a test that must stop first is still armed.',
  },
  LT_PLAN_ID_MISSING: {
    title: 'An adopted test does not exist',
    exit: 3,
    text: 'The file pins a test by "id", and the whole list of the service does not hold it.',
  },
  LT_PLAN_DUPLICATE: {
    title: 'Two tests carry the same mark',
    exit: 7,
    text: 'Two tests were created for one declaration. The one with the smallest id counts; the other one is left alone or stopped by whoever started it.',
  },
  LT_PLAN_MARK: {
    title: 'A mark that cannot be read',
    exit: 7,
    text: 'The last line of the notes of a test looks like a mark of this program but is damaged. The test is treated as not managed here; pin it with "id:".',
  },
  LT_PLAN_DRIFT: {
    title: 'A test was edited on the service',
    exit: 7,
    text: 'The fields of a test no longer agree with the digest in its own mark. --on-drift replace creates it anew.',
  },
  LT_PLAN_TOKEN_GONE: {
    title: 'A verification token is gone',
    exit: 12,
    text: 'The app is verified, but the file with its token is no longer in the directory of the file. Services check again before each run.',
  },
  LT_PLAN_PERHAPS_CUT: {
    title: 'The list may be incomplete',
    exit: 8,
    text: 'The list of the service has a length or headers that suggest paging, so that the absence of a test proves nothing.',
  },
  LT_PLAN_AGAINST: {
    title: 'The other file of a comparison is not valid',
    exit: 3,
    text: 'plan --against REV read the file of that revision, and it does not load: it was not valid then, or what it takes from the environment is not there now. A file that is being repaired can still be reviewed: everything in it counts as new, and what is wrong with the other one is told as warnings.',
  },
  LT_PLAN_DROPPED: {
    title: 'A plan of the imported file stops a test',
    exit: 7,
    text: 'A test of this project runs or waits for its time, and the imported file has another version of it, or lacks its key. A plan of that file stops it. To keep it, let it end first, or import it as well.',
  },
  LT_PLAN_FOREIGN: {
    title: 'Tests that are not ours would go as well',
    exit: 12,
    text: 'Deleting an app deletes every test and result on its host. Some of them do not carry the mark of this project and environment; --with-foreign deletes them too.',
  },
  LT_PLAN_NO_RESULTS: {
    title: 'Thresholds cannot be judged',
    exit: 11,
    text: 'The service gives no results, so the thresholds of the file have nothing to be judged on.',
  },
  LT_API_KEY: {
    title: 'The key is missing or refused',
    exit: 4,
    text: 'Set LOADTESTS_API_KEY (or the variable that service.api_key_env names) to a valid key of the service.',
  },
  LT_API_UNREACHABLE: {
    title: 'The service is out of reach',
    exit: 9,
    text: 'The service did not answer within the time, or the connection could not be made.',
  },
  LT_API_REFUSED: {
    title: 'The service refused',
    exit: 7,
    text: 'The service understood the request and said no; its own words are in the message.',
  },
  LT_API_UNUSABLE: {
    title: 'The service answered what nobody can use',
    exit: 1,
    text: 'The answer was a redirect, a page, cut off, too large, or has fields of the wrong type.',
  },
  LT_API_UNKNOWN: {
    title: 'It is not known whether a request was carried out',
    exit: 8,
    text: 'A request that writes got no clear answer. Nothing is guessed and nothing sent again. Run apply again, or "loadtests recover".',
  },
  LT_RUN_THRESHOLD: {
    title: 'A threshold failed',
    exit: 10,
    text: 'The run ended and one of its figures is outside the limit that the file sets.',
  },
  LT_RUN_INCONCLUSIVE: {
    title: 'No verdict can be given',
    exit: 11,
    text: 'The run was stopped, has no samples or no result, or the generator was overloaded. That is never a pass.',
  },
  LT_RUN_LIMIT: {
    title: 'This machine cannot make that load',
    exit: 12,
    text: 'The run needs more open files or more source ports than this process or machine has. The message names the number needed; nothing was sent.',
  },
  LT_RUN_ONCE: {
    title: 'A request of a single pass failed',
    exit: 10,
    text: '"run KEY --once" sent one pass, and one of its requests got no answer or one of 400 and above.',
  },
  LT_RUN_TIMEOUT: {
    title: 'Gave up waiting',
    exit: 9,
    text: 'The run did not end within its duration, timeout and a minute, or within --timeout.',
  },
  LT_RUN_UNDELIVERED: {
    title: 'A callback was not delivered',
    exit: 7,
    text: 'The callback of a test was tried for some seconds and not taken. It stays in the data folder, and the next command tries again.',
  },
  LT_RUN_NOT_FOUND: {
    title: 'There is nothing to show or stop',
    exit: 3,
    text: 'No test or result of that name exists on the service.',
  },
  LT_SERVER_ADDRESS: {
    title: 'The address cannot be listened on',
    exit: 3,
    text: 'The port is in use or the host is not one of this machine.',
  },
  LT_SERVER_DATA: {
    title: 'The data folder cannot be used',
    exit: 1,
    text: 'The database was written by a newer version, is damaged, or cannot be opened.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type Code = keyof typeof CODES;
