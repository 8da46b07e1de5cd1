/** Flags of several commands, with the same name and help text in each. */
import { Option, type Command } from 'commander';
import { REPORTER_NAMES, REPORTERS, type Reporter } from '../report/reporters.ts';
import {
  parseCountFlag,
  parseDurationFlag,
  parseLimitFlag,
  parseListFlag,
  parseRoundsFlag,
  parseSeedFlag,
  parseThreadsFlag,
  parseVariableFlag,
} from './terminal/flags.ts';

export function withJsonOptions(command: Command): Command {
  return command
    .option('--json', 'print a JSON document to stdout, and text to stderr')
    .option('--json-into <file>', 'write the JSON document to a file');
}

/**
 * Adds the flags of the reporters that support a kind of content.
 * @param content - Content of the command's report.
 */
export function withReportOptions(command: Command, of: Reporter['documents']): Command {
  for (const name of REPORTER_NAMES) {
    const { destination, description, documents: covered } = REPORTERS[name];
    if (of === 'runs and plans' && covered === 'runs') continue;
    const file = { file: ' <file>', 'file or stdout': ' [file]', runner: '' }[destination];
    command.option(`--${name}${file}`, description);
  }
  return command;
}

export function withOutputOptions(command: Command): Command {
  return withJsonOptions(command.option('-q, --quiet', 'print only errors and the requested output'));
}

export function withApprovalOption(command: Command): Command {
  return command
    .option('--yes', 'approve without a prompt')
    .addOption(new Option('--auto-approve', 'alias for --yes').implies({ yes: true }));
}

export function withLockOption(command: Command): Command {
  return command.addOption(
    new Option('--lock-timeout <duration>', 'maximum wait for the data directory (default: 30s)').argParser(
      parseDurationFlag,
    ),
  );
}

const FILE_HELP = 'configuration file; - is stdin (default: nearest loadtests.yaml)';

export function withFileOptions(command: Command, help = FILE_HELP): Command {
  return command
    .option('-f, --file <file>', help)
    .option('--env <name>', 'environment of the file')
    .addOption(new Option('--var <name=value>', 'set a variable of the file').argParser(parseVariableFlag));
}

/** Adds the flags of commands that accept several files. */
export function withFilesOptions(command: Command): Command {
  return withFileOptions(command, `${FILE_HELP}. Repeat the flag for several files or patterns`).on(
    'option:file',
    (value: string) => {
      const previous = command.getOptionValue('files') as readonly string[] | undefined;
      command.setOptionValue('files', [...(previous ?? []), value]);
    },
  );
}

export function withFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--only <glob>', 'select tests with a matching key').argParser(parseListFlag))
    .addOption(new Option('--exclude <glob>', 'exclude tests with a matching key').argParser(parseListFlag));
}

export function withVerboseOption(command: Command): Command {
  return command.option('-v, --verbose', 'also print unchanged tests and minor failures');
}

/**
 * Adds the flag `--threads`.
 * @param where - Help text about the services that support the flag; empty if all do.
 */
export function withThreadsOption(command: Command, where = ''): Command {
  return command.addOption(
    new Option('--threads <n>', `load generator threads per run${where} (default: automatic)`).argParser(
      parseThreadsFlag,
    ),
  );
}

/** Adds the flag for the Redis server of a service and its workers. */
export function withRedisOption(command: Command): Command {
  return command.option(
    '--redis <url>',
    'Redis shared by service and workers; for a URL with a password, set LOADTESTS_REDIS instead',
  );
}

/** Adds the flags that permit exceptions from blocking rules. */
export function withAllowOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--allow-limit <name>', 'lift a limit of the file for this plan').argParser(parseLimitFlag),
    )
    .option('--allow-unmarked', 'create tests even if unrecognized copies may exist');
}

export function withRepeatOption(command: Command): Command {
  return command.addOption(
    new Option('--repeat <n>', 'run each test n times, in interleaved rounds').argParser(parseRoundsFlag),
  );
}

export function withPlanOptions(command: Command): Command {
  const planned = withFilterOptions(withFilesOptions(withVerboseOption(withOutputOptions(command))))
    .addOption(
      new Option(
        '--parallel-projects <n>',
        'maximum number of files whose tests run at the same time (default: 1)',
      ).argParser(parseCountFlag),
    )
    .option('--run', 'also run unchanged tests')
    .option('--no-run', 'do not start any runs')
    .addOption(
      new Option('--max-age <duration>', 'also run tests whose latest verdict is older than this').argParser(
        parseDurationFlag,
      ),
    )
    .addOption(
      new Option('--replace <glob>', 'create tests with a matching key again, even if unchanged').argParser(
        parseListFlag,
      ),
    )
    .addOption(
      new Option(
        '--on-drift <what>',
        'action for tests that have changed on the service (default: report)',
      ).choices(['report', 'replace']),
    );
  return withLockOption(
    withRepeatOption(withAllowOptions(planned)).addOption(
      new Option(
        '--parallelism <n>',
        'maximum concurrent reads, registrations and verifications (default: 4)',
      ).argParser(parseCountFlag),
    ),
  );
}

/** Adds the flags of `apply` for saved plans. */
export function withSavedPlanOptions(command: Command): Command {
  return command
    .option('--again', 'apply a saved plan that was already applied')
    .addOption(
      new Option('--max-plan-age <duration>', 'maximum age of a saved plan (default: 24h)').argParser(
        parseDurationFlag,
      ),
    );
}

/** Adds the flag that allows the commands of the file in jobs for pull requests. */
export function withCommandsOption(command: Command): Command {
  return command.option(
    '--allow-commands',
    'run commands of the file in a pull request job that has keys or tokens',
  );
}

export function withApplyOptions(command: Command): Command {
  return withCommandsOption(withThreadsOption(withApprovalOption(command), ' (embedded service only)'))
    .addOption(
      new Option(
        '--seed <n>',
        'seed of the random values, rows, delays and start times (embedded service only) (default: random)',
      ).argParser(parseSeedFlag),
    )
    .option('--wait', 'wait for runs and evaluate them (this is the default)')
    .option('--no-wait', 'start tests and exit without a verdict')
    .addOption(
      new Option(
        '--timeout <duration>',
        'maximum wait for a run (default: the duration and timeout of the run plus 1m)',
      ).argParser(parseDurationFlag),
    )
    .addOption(
      new Option('--on-interrupt <what>', 'action for active runs on a signal (default: stop)').choices([
        'stop',
        'detach',
      ]),
    )
    .option('--require-verdict', 'exit with 11 if the service provides no results');
}
