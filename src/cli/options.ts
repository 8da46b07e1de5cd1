/** Flags that several commands take, each with its one spelling and text. */
import { Option, type Command } from 'commander';
import { REPORTER_NAMES, REPORTERS, type Reporter } from '../report/reporters.ts';
import {
  countFlag,
  durationFlag,
  limitFlag,
  listFlag,
  roundsFlag,
  threadsFlag,
  variableFlag,
} from './terminal/flags.ts';

export function withDocument(command: Command): Command {
  return command
    .option('--json', 'print a JSON document to stdout and text to stderr')
    .option('--json-into <file>', 'also write the JSON document to a file');
}

/** @param of what the command tells of */
export function withReports(command: Command, of: Reporter['of']): Command {
  for (const name of REPORTER_NAMES) {
    const { writes, about, of: covered } = REPORTERS[name];
    if (of === 'runs and plans' && covered === 'runs') continue;
    const file = { file: ' <file>', 'file or stdout': ' [file]', runner: '' }[writes];
    command.option(`--${name}${file}`, about);
  }
  return command;
}

export function withOutput(command: Command): Command {
  return withDocument(command.option('-q, --quiet', 'only errors and what was asked for'));
}

export function withConsent(command: Command): Command {
  return command
    .option('--yes', 'consent without a prompt')
    .addOption(new Option('--auto-approve', 'the same').implies({ yes: true }));
}

export function withLock(command: Command): Command {
  return command.addOption(
    new Option(
      '--lock-timeout <duration>',
      'how long to wait if another command holds the data folder',
    ).argParser(durationFlag),
  );
}

export function withFile(command: Command): Command {
  return command
    .option(
      '-f, --file <file>',
      'the file, or - for standard input (default: loadtests.yaml, here or in a folder above)',
    )
    .option('--env <name>', 'environment of the file to use')
    .addOption(new Option('--var <name=value>', 'set a variable of the file').argParser(variableFlag));
}

export function withFilter(command: Command): Command {
  return command
    .addOption(new Option('--only <glob>', 'select the tests whose key matches').argParser(listFlag))
    .addOption(new Option('--exclude <glob>', 'exclude the tests whose key matches').argParser(listFlag));
}

export function withVerbose(command: Command): Command {
  return command.option('-v, --verbose', 'also the tests that stay as they are, and minor failures');
}

export function withThreads(command: Command): Command {
  return command.addOption(
    new Option(
      '--threads <n>',
      'threads that make the load of a run (default: as many as it needs; embedded service)',
    ).argParser(threadsFlag),
  );
}

/** Where a service and its workers meet. */
export function withRedis(command: Command): Command {
  return command.option(
    '--redis <url>',
    'Redis that the service and its workers share, without a password (with one: LOADTESTS_REDIS)',
  );
}

/** What a plan may do although something forbids it. */
export function withAllowances(command: Command): Command {
  return command
    .addOption(
      new Option('--allow-limit <name>', 'lift a limit of the file for this plan').argParser(limitFlag),
    )
    .option('--allow-unmarked', 'also create tests that may exist without being recognised');
}

export function withRepeat(command: Command): Command {
  return command.addOption(
    new Option('--repeat <n>', 'run each test in so many rounds, one after another').argParser(roundsFlag),
  );
}

export function withPlan(command: Command): Command {
  const planned = withFilter(withFile(withVerbose(withOutput(command))))
    .option('--run', 'also run unchanged tests')
    .option('--no-run', 'start nothing')
    .addOption(
      new Option('--max-age <duration>', 'also run tests whose last verdict is older').argParser(
        durationFlag,
      ),
    )
    .addOption(
      new Option('--replace <glob>', 'create matching tests again, even if unchanged').argParser(listFlag),
    )
    .addOption(
      new Option('--on-drift <what>', 'what to do with tests that were changed on the service').choices([
        'report',
        'replace',
      ]),
    );
  return withLock(
    withRepeat(withAllowances(planned)).addOption(
      new Option(
        '--parallelism <n>',
        'number of reads, registrations and verifications at a time (default: 4)',
      ).argParser(countFlag),
    ),
  );
}

export function withApply(command: Command): Command {
  return withThreads(withConsent(command))
    .option('--wait', 'wait for runs to end and judge them (default)')
    .option('--no-wait', 'start tests and exit without a verdict')
    .addOption(new Option('--timeout <duration>', 'how long to wait for a run').argParser(durationFlag))
    .addOption(
      new Option('--on-interrupt <what>', 'what to do with running tests when interrupted').choices([
        'stop',
        'detach',
      ]),
    )
    .option('--require-verdict', 'exit with 11 if the service has no results to judge');
}
