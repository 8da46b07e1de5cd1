import { Option, type Command } from 'commander';
import { REPORTER_NAMES, REPORTERS, type Reporter } from '../report/reporters.ts';
import {
  parseCountFlag,
  parseDurationFlag,
  parseFileFlag,
  parseLimitFlag,
  parseListFlag,
  parseRoundsFlag,
  parseSeedFlag,
  parseThreadsFlag,
  parseVariableFlag,
} from './terminal/flags.ts';

export type Flag = readonly [
  flags: string,
  help: string,
  value?:
    | ((flag: string, text: string, previous: never) => unknown)
    | { readonly choices: readonly string[] }
    | { readonly implies: Readonly<Record<string, unknown>> }
    /**
     * Name of the option that contains all values of a repeated flag. The option of the flag itself contains the last
     * value.
     */
    | { readonly collectedAs: string },
];

export function addFlags(command: Command, flags: readonly Flag[]): void {
  for (const [syntax, help, value] of flags) {
    const option = new Option(syntax, help);
    command.addOption(option);
    if (value === undefined) continue;
    // Parsers of lists accept, as `previous`, the value that they returned before.
    if (typeof value === 'function')
      option.argParser((value as FlagParser).bind(null, option.long ?? syntax));
    else if ('choices' in value) option.choices(value.choices);
    else if ('implies' in value) option.implies({ ...value.implies });
    else collectValues(command, option, value.collectedAs);
  }
}

type FlagParser = (flag: string, text: string, previous: unknown) => unknown;

function collectValues(command: Command, option: Option, name: string): void {
  command.on(`option:${option.name()}`, (value: string) => {
    const previous = command.getOptionValue(name) as readonly string[] | undefined;
    command.setOptionValue(name, [...(previous ?? []), value]);
  });
}

export const QUIET: Flag = ['-q, --quiet', 'print only errors and the requested output'];

export const JSON_OUTPUT: readonly Flag[] = [
  ['--json', 'print a JSON document to stdout, and text to stderr'],
  ['--json-into <file>', 'write the JSON document to a file'],
];

export const OUTPUT: readonly Flag[] = [QUIET, ...JSON_OUTPUT];

/** For commands that run until a signal and write events instead of a document. */
export const EVENT_OUTPUT: readonly Flag[] = [
  QUIET,
  ['--json', 'print events to stdout as JSON lines, and text to stderr'],
  ['--json-into <file>', 'write a JSON document to a file if the command fails'],
];

/** @param of - Content of the command's report. */
export function reportFlags(of: Reporter['documents']): readonly Flag[] {
  return REPORTER_NAMES.filter((name) => of === 'runs' || REPORTERS[name].documents !== 'runs').map(
    (name) => {
      const { destination, description } = REPORTERS[name];
      const file = { file: ' <file>', 'file or stdout': ' [file]', runner: '' }[destination];
      return [`--${name}${file}`, description];
    },
  );
}

export const VERBOSE: Flag = ['-v, --verbose', 'also print unchanged tests and other details'];

export const APPROVAL: readonly Flag[] = [
  ['--yes', 'approve without a prompt'],
  ['--auto-approve', 'alias for --yes', { implies: { yes: true } }],
];

export const LOCK: Flag = [
  '--lock-timeout <duration>',
  'maximum wait while another command uses the data directory (default: 30s)',
  parseDurationFlag,
];

const FILE_HELP = 'configuration file, or - for stdin (default: nearest loadtests.yaml)';

const ENVIRONMENT_HELP = 'environment to use; the file must declare it';

function variableFlags(environment: string): readonly Flag[] {
  return [
    ['--env <name>', environment],
    ['--var <name=value>', 'set a variable that the file declares', parseVariableFlag],
  ];
}

/** @param environment - Help text of `--env`. */
export function fileFlags(environment: string): readonly Flag[] {
  return [['-f, --file <file>', FILE_HELP, parseFileFlag], ...variableFlags(environment)];
}

export const FILE: readonly Flag[] = fileFlags(ENVIRONMENT_HELP);

export const FILES: readonly Flag[] = [
  [
    '-f, --file <file>',
    `${FILE_HELP}. Repeat the flag for several files or patterns`,
    { collectedAs: 'files' },
  ],
  ...variableFlags(ENVIRONMENT_HELP),
];

export const FILTER: readonly Flag[] = [
  ['--only <glob>', 'select tests with a matching key', parseListFlag],
  ['--exclude <glob>', 'exclude tests with a matching key', parseListFlag],
];

/** @param where - Help text about the services that support the flag; empty if all services support it. */
export function threadsFlag(where = ''): Flag {
  return ['--threads <n>', `${where}load generator threads per run (default: automatic)`, parseThreadsFlag];
}

export const REDIS: Flag = [
  '--redis <url>',
  'Redis shared by service and workers; for a URL with a password, set LOADTESTS_REDIS instead',
];

export const EXCEPTIONS: readonly Flag[] = [
  [
    '--allow-limit <name>',
    'ignore this limit of the file: max_connections, max_duration or hosts',
    parseLimitFlag,
  ],
  ['--allow-unmarked', 'create tests even if the service may already have copies of them'],
];

export const REPEAT: Flag = ['--repeat <n>', 'run each test n times, in interleaved rounds', parseRoundsFlag];

export const PLAN: readonly Flag[] = [
  ...OUTPUT,
  VERBOSE,
  ...FILES,
  ...FILTER,
  [
    '--parallel-projects <n>',
    'maximum number of files whose tests run at the same time (default: 1)',
    parseCountFlag,
  ],
  ['--run', 'also run unchanged tests'],
  ['--no-run', 'do not start any runs'],
  [
    '--max-age <duration>',
    'also run tests whose latest verdict is older than this duration',
    parseDurationFlag,
  ],
  ['--replace <glob>', 're-create tests with a matching key, even if they are unchanged', parseListFlag],
  [
    '--on-drift <what>',
    'action for tests that have changed on the service (default: report)',
    { choices: ['report', 'replace'] },
  ],
  ...EXCEPTIONS,
  REPEAT,
  [
    '--parallelism <n>',
    'maximum concurrent reads, registrations and verifications (default: 4)',
    parseCountFlag,
  ],
  LOCK,
];

export const SAVED_PLAN: readonly Flag[] = [
  ['--again', 'apply a saved plan even if it has already been applied'],
  ['--max-plan-age <duration>', 'maximum age of a saved plan (default: 24h)', parseDurationFlag],
];

export const COMMANDS_OF_FILE: Flag = [
  '--allow-commands',
  'run the commands of the file even in a pull request job with keys or tokens',
];

export const APPLY: readonly Flag[] = [
  ...APPROVAL,
  threadsFlag('with the embedded service: '),
  COMMANDS_OF_FILE,
  [
    '--seed <n>',
    'with the embedded service: seed of the random values, rows, delays and start times (default: random)',
    parseSeedFlag,
  ],
  ['--wait', 'wait for runs and evaluate them (default)'],
  ['--no-wait', 'start tests and exit without a verdict (hosted service only)'],
  [
    '--timeout <duration>',
    'maximum wait for a run (default: maximum run time of the test, plus 1m)',
    parseDurationFlag,
  ],
  [
    '--on-interrupt <what>',
    'action on a signal for runs that this command started (default: stop)',
    { choices: ['stop', 'detach'] },
  ],
  ['--require-verdict', 'exit with 11 if a test has thresholds, but the service provides no results'],
];
