/** Flags that several commands take, each with its one spelling and text. */
import { Option, type Command } from 'commander';
import { REPORTER_NAMES, REPORTERS, type Reporter } from '../report/reporters.ts';
import {
  parseCountFlag,
  parseDurationFlag,
  parseLimitFlag,
  parseListFlag,
  parseRoundsFlag,
  parseThreadsFlag,
  parseVariableFlag,
} from './terminal/flags.ts';

export function withJsonOptions(command: Command): Command {
  return command
    .option('--json', 'print a JSON document to stdout and text to stderr')
    .option('--json-into <file>', 'also write the JSON document to a file');
}

/** @param of what the command tells of */
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
  return withJsonOptions(command.option('-q, --quiet', 'only errors and what was asked for'));
}

export function withApprovalOption(command: Command): Command {
  return command
    .option('--yes', 'consent without a prompt')
    .addOption(new Option('--auto-approve', 'the same').implies({ yes: true }));
}

export function withLockOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--lock-timeout <duration>',
      'how long to wait if another command holds the data directory',
    ).argParser(parseDurationFlag),
  );
}

export function withFileOptions(command: Command): Command {
  return command
    .option(
      '-f, --file <file>',
      'the file, or - for standard input (default: loadtests.yaml, here or in a directory above)',
    )
    .option('--env <name>', 'environment of the file to use')
    .addOption(new Option('--var <name=value>', 'set a variable of the file').argParser(parseVariableFlag));
}

export function withFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--only <glob>', 'select the tests whose key matches').argParser(parseListFlag))
    .addOption(
      new Option('--exclude <glob>', 'exclude the tests whose key matches').argParser(parseListFlag),
    );
}

export function withVerboseOption(command: Command): Command {
  return command.option('-v, --verbose', 'also the tests that stay as they are, and minor failures');
}

export function withThreadsOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--threads <n>',
      'threads that make the load of a run (default: as many as it needs; embedded service)',
    ).argParser(parseThreadsFlag),
  );
}

/** Where a service and its workers meet. */
export function withRedisOption(command: Command): Command {
  return command.option(
    '--redis <url>',
    'Redis that the service and its workers share, without a password (with one: LOADTESTS_REDIS)',
  );
}

/** What a plan may do although something forbids it. */
export function withAllowOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--allow-limit <name>', 'lift a limit of the file for this plan').argParser(parseLimitFlag),
    )
    .option('--allow-unmarked', 'also create tests that may exist without being recognised');
}

export function withRepeatOption(command: Command): Command {
  return command.addOption(
    new Option('--repeat <n>', 'run each test in so many rounds, one after another').argParser(
      parseRoundsFlag,
    ),
  );
}

export function withPlanOptions(command: Command): Command {
  const planned = withFilterOptions(withFileOptions(withVerboseOption(withOutputOptions(command))))
    .option('--run', 'also run unchanged tests')
    .option('--no-run', 'start nothing')
    .addOption(
      new Option('--max-age <duration>', 'also run tests whose last verdict is older').argParser(
        parseDurationFlag,
      ),
    )
    .addOption(
      new Option('--replace <glob>', 'create matching tests again, even if unchanged').argParser(
        parseListFlag,
      ),
    )
    .addOption(
      new Option('--on-drift <what>', 'what to do with tests that were changed on the service').choices([
        'report',
        'replace',
      ]),
    );
  return withLockOption(
    withRepeatOption(withAllowOptions(planned)).addOption(
      new Option(
        '--parallelism <n>',
        'number of reads, registrations and verifications at a time (default: 4)',
      ).argParser(parseCountFlag),
    ),
  );
}

export function withApplyOptions(command: Command): Command {
  return withThreadsOption(withApprovalOption(command))
    .option('--wait', 'wait for runs to end and judge them (default)')
    .option('--no-wait', 'start tests and exit without a verdict')
    .addOption(new Option('--timeout <duration>', 'how long to wait for a run').argParser(parseDurationFlag))
    .addOption(
      new Option('--on-interrupt <what>', 'what to do with running tests when interrupted').choices([
        'stop',
        'detach',
      ]),
    )
    .option('--require-verdict', 'exit with 11 if the service has no results to judge');
}
