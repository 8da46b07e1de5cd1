/** Flags that several commands take, each with its one spelling and text. */
import { Option, type Command } from 'commander';
import { countFlag, durationFlag, limitFlag, listFlag, variableFlag } from './terminal/flags.ts';

export function withDocument(command: Command): Command {
  return command
    .option('--json', 'one JSON document on stdout; text for people goes to stderr')
    .option('--json-into <file>', 'write the JSON document to a file as well');
}

export function withOutput(command: Command): Command {
  return withDocument(command.option('-q, --quiet', 'only problems'));
}

export function withConsent(command: Command): Command {
  return command
    .option('--yes', 'consent without being asked')
    .addOption(new Option('--auto-approve', 'the same').implies({ yes: true }));
}

export function withLock(command: Command): Command {
  return command.addOption(
    new Option('--lock-timeout <duration>', 'how long to wait for the data folder').argParser(durationFlag),
  );
}

export function withFile(command: Command): Command {
  return command
    .option('-f, --file <file>', 'the file; - reads standard input (default: loadtests.yaml, found upwards)')
    .option('--env <name>', 'lay an environment of the file over it')
    .addOption(new Option('--var <name=value>', 'set a variable of the file').argParser(variableFlag));
}

export function withFilter(command: Command): Command {
  return command
    .addOption(new Option('--only <glob>', 'only tests whose key matches').argParser(listFlag))
    .addOption(new Option('--exclude <glob>', 'not the tests whose key matches').argParser(listFlag));
}

export function withVerbose(command: Command): Command {
  return command.option('-v, --verbose', 'also the tests that stay as they are');
}

export function withLimits(command: Command): Command {
  return command.addOption(
    new Option('--allow-limit <name>', 'let the plan break a limit of the file').argParser(limitFlag),
  );
}

export function withPlan(command: Command): Command {
  const planned = withFilter(withFile(withVerbose(withOutput(command))))
    .option('--run', 'also start the tests that are already there')
    .option('--no-run', 'start nothing')
    .addOption(
      new Option('--max-age <duration>', 'also start tests whose last verdict is older').argParser(
        durationFlag,
      ),
    )
    .addOption(new Option('--replace <glob>', 'create tests anew, changed or not').argParser(listFlag))
    .addOption(
      new Option('--on-drift <what>', 'for tests edited on the service').choices(['report', 'replace']),
    );
  return withLock(
    withLimits(planned).addOption(
      new Option(
        '--parallelism <n>',
        'reads, registrations and verifications at once (default: 4)',
      ).argParser(countFlag),
    ),
  );
}

export function withApply(command: Command): Command {
  return withConsent(command)
    .option('--wait', 'wait for runs and judge them (default)')
    .option('--no-wait', 'start, and do not judge')
    .addOption(
      new Option('--timeout <duration>', 'give up waiting for a run after this').argParser(durationFlag),
    )
    .addOption(
      new Option('--on-interrupt <what>', 'what becomes of runs at a signal').choices(['stop', 'detach']),
    )
    .option('--require-verdict', 'exit 11 where the service has no results to judge');
}
