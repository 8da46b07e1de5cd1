/** Commands and their flags. Each command's code is loaded when it is called: start-up is a feature. */
import { Command, Option } from 'commander';
import type { Context } from './context.ts';
import {
  countFlag,
  durationFlag,
  limitFlag,
  listFlag,
  portFlag,
  variableFlag,
  type ApplyFlags,
  type FileFlags,
} from './flags.ts';
import type { Outcome, OutputFlags } from './outcome.ts';
import type { OutputFiles } from './output-files.ts';
import type { DestroyFlags } from './commands/destroy.ts';
import type { ImportFlags } from './commands/import.ts';
import type { PlanCommandFlags } from './commands/plan.ts';
import type { RecoverFlags } from './commands/recover.ts';
import type { ResultsFlags } from './commands/results.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { StatusFlags } from './commands/status.ts';
import type { StopFlags } from './commands/stop.ts';
import type { VerifyFlags } from './commands/verify.ts';

/** What was called. `words` is the command line without the program's name. */
export interface Call {
  readonly command: string;
  readonly flags: OutputFlags & OutputFiles & Pick<FileFlags, 'file'>;
  /** Files that output must not take the place of, beside the one of `flags`. */
  readonly reads?: readonly string[];
  readonly act: (context: Context) => Outcome | Promise<Outcome>;
  /** Events instead of the document at the end. */
  readonly streams?: boolean;
}

export function createProgram(
  version: string,
  words: readonly string[],
  called: (call: Call) => void,
): Command {
  const program = new Command('loadtests')
    // An error is said once, in our own form.
    .configureOutput({ outputError: () => undefined })
    .description('Load tests as code: what loadtests.yaml declares, planned, applied and judged.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride();

  const bare = (usage: string, description: string) =>
    program
      .command(usage)
      .description(description)
      .exitOverride()
      .addOption(new Option('--no-color', 'no colours'));
  const command = (usage: string, description: string) =>
    withDocument(
      bare(usage, description)
        .option('-q, --quiet', 'only problems')
        .option('-v, --verbose', 'plan and apply: also the tests that stay as they are'),
    );

  command('init', 'write a starter loadtests.yaml').action((flags: OutputFlags) => {
    called({
      command: 'init',
      flags,
      reads: ['loadtests.yaml'],
      act: async (context) => (await import('./commands/init.ts')).init(context),
    });
  });

  withFile(command('validate', 'check the file alone: syntax, shape, meaning')).action(
    (flags: FileFlags & OutputFlags) => {
      const act = async (context: Context) =>
        await (await import('./commands/validate.ts')).validate(context, flags);
      called({ command: 'validate', flags, act });
    },
  );

  withPlan(command('plan', 'show what apply would do, and the load it would start'))
    .option('-o, --out <file>', 'save the plan, for "apply FILE"')
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .option('--against <rev>', 'compare with the file of a git revision: offline, without a key')
    .action((flags: PlanCommandFlags) => {
      const act = async (context: Context) => await (await import('./commands/plan.ts')).plan(context, flags);
      called({ command: 'plan', flags, act });
    });

  withApply(
    withPlan(command('apply [plan]', 'register, verify, create, start as asked, wait, judge')),
  ).action((planFile: string | undefined, flags: ApplyFlags & { autoApprove?: boolean }) => {
    const request = { planFile, flags: { ...flags, ...approved(flags) }, words };
    const act = async (context: Context) =>
      await (await import('./commands/apply.ts')).apply(context, request);
    called({ command: 'apply', flags, reads: planFile === undefined ? [] : [planFile], act });
  });

  withApply(withFile(command('run <key...>', 'start tests (KEY, or id:ID), wait, judge')))
    .addOption(
      new Option('--allow-limit <name>', 'let the plan break a limit of the file').argParser(limitFlag),
    )
    .addOption(lockTimeout())
    .option('--once', 'one client, one pass, each exchange told; on the embedded service')
    .action((names: string[], flags: ApplyFlags & { autoApprove?: boolean; once?: boolean }) => {
      const request = { names, flags: { ...flags, ...approved(flags) }, words };
      const act = async (context: Context) => await (await import('./commands/run.ts')).run(context, request);
      called({ command: 'run', flags, act });
    });

  withFile(command('stop [key...]', 'stop running tests'))
    .option('--all', 'every running test of the account, and its schedules; needs no file')
    .option('--yes', 'consent without being asked')
    .option('--auto-approve', 'the same')
    .addOption(lockTimeout())
    .action((keys: string[], flags: StopFlags & { autoApprove?: boolean }) => {
      const request = { keys, flags: { ...flags, ...approved(flags) }, words };
      const act = async (context: Context) =>
        await (await import('./commands/stop.ts')).stop(context, request);
      called({ command: 'stop', flags, act });
    });

  withFilter(withFile(command('status', 'apps and tests, declared beside existing')))
    .option('--watch', 'go on telling what changes')
    .addOption(lockTimeout())
    .action((flags: StatusFlags) => {
      const act = async (context: Context) =>
        await (await import('./commands/status.ts')).status(context, flags);
      called({ command: 'status', flags, act, streams: flags.watch === true });
    });

  withFile(command('results [key]', 'results of past runs'))
    .addOption(lockTimeout())
    .action((key: string | undefined, flags: ResultsFlags) => {
      const act = async (context: Context) =>
        await (await import('./commands/results.ts')).results(context, key, flags);
      called({ command: 'results', flags, act });
    });

  withFile(command('verify [app...]', 'publish tokens and verify apps of the file'))
    .option('--yes', 'consent without being asked')
    .option('--auto-approve', 'the same')
    .addOption(new Option('--parallelism <n>', 'apps at once (default: 4)').argParser(countFlag))
    .addOption(lockTimeout())
    .action((names: string[], flags: VerifyFlags & { autoApprove?: boolean }) => {
      const request = { names, flags: { ...flags, ...approved(flags) }, words };
      const act = async (context: Context) =>
        await (await import('./commands/verify.ts')).verify(context, request);
      called({ command: 'verify', flags, act });
    });

  withFilter(withFile(command('import', 'write a file from what the service holds')))
    .option('-o, --out <file>', 'where to; never over an existing file (default: stdout)')
    .addOption(lockTimeout())
    .action((flags: ImportFlags) => {
      const act = async (context: Context) =>
        await (await import('./commands/import.ts')).importAccount(context, flags);
      called({ command: 'import', flags, act });
    });

  withFile(command('recover [operation...]', 'operations whose outcome is unknown (nonce, address or key)'))
    .option('--adopt <id>', 'it was carried out: this test, or this run')
    .option('--absent', 'it was not carried out')
    .addOption(lockTimeout())
    .action((names: string[], flags: RecoverFlags) => {
      const act = async (context: Context) =>
        await (await import('./commands/recover.ts')).recover(context, { names, flags });
      called({ command: 'recover', flags, act });
    });

  withFile(command('destroy', 'delete the apps of the file, with their tests and results'))
    .addOption(new Option('--only <glob>', 'only apps whose key matches').argParser(listFlag))
    .option('--with-foreign', 'also where tests live that are not of this file')
    .option('--yes', 'consent without being asked')
    .option('--auto-approve', 'the same')
    .addOption(lockTimeout())
    .action((flags: DestroyFlags & { autoApprove?: boolean }) => {
      const request = { flags: { ...flags, ...approved(flags) }, words };
      const act = async (context: Context) =>
        await (await import('./commands/destroy.ts')).destroy(context, request);
      called({ command: 'destroy', flags, act });
    });

  command('serve', 'the service itself, on a port')
    .addOption(new Option('--port <number>', 'port; 0 is a free one (default: 4900)').argParser(portFlag))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--data <dir>', 'data folder (default: ./loadtests-data)')
    .option('--public-url <url>', 'address that others know the service by')
    .addOption(
      new Option('--allow-private <cidr>', 'a private range that load may go to').argParser(listFlag),
    )
    .addOption(
      new Option(
        '--allow-callback <host>',
        'a host that callbacks may go to and payload files come from',
      ).argParser(listFlag),
    )
    .option('--open-metrics', 'let /metrics be read without the key')
    .option('--smtp <url>', 'relay for mail: smtp://user:password@host:port?from=address')
    .addOption(lockTimeout())
    .addOption(
      new Option('--allow-mail <recipient>', 'a domain or address that mail may go to').argParser(listFlag),
    )
    .action((flags: ServeFlags & OutputFlags) => {
      const act = async (context: Context) =>
        await (await import('./commands/serve.ts')).serve(context, flags);
      called({ command: 'serve', flags, act, streams: true });
    });

  command('explain <code>', 'the long text of a problem code').action((code: string, flags: OutputFlags) => {
    const act = async (context: Context) => (await import('./commands/explain.ts')).explain(context, code);
    called({ command: 'explain', flags, act });
  });

  withDocument(bare('completion <shell>', 'print a completion script for bash, zsh or fish')).action(
    (shell: string, flags: OutputFlags) => {
      const act = async () => (await import('./commands/completion.ts')).completion(shell, flags);
      called({ command: 'completion', flags, act });
    },
  );

  program
    .command('complete [words...]', { hidden: true })
    .exitOverride()
    .action((typed: string[]) => {
      const act = async (context: Context) =>
        await (await import('./commands/complete.ts')).complete(context, program, typed);
      called({ command: 'complete', flags: {}, act, streams: true });
    });

  withDocument(bare('schema [name]', 'print a JSON Schema: config, plan or result')).action(
    (name: string | undefined, flags: OutputFlags) => {
      const act = async () => (await import('./commands/schema.ts')).schema(name ?? 'config', flags);
      called({ command: 'schema', flags, act });
    },
  );

  return program;
}

function withDocument(command: Command): Command {
  return command
    .option('--json', 'one JSON document on stdout; text for people goes to stderr')
    .option('--json-into <file>', 'write the JSON document to a file as well');
}

function lockTimeout(): Option {
  return new Option('--lock-timeout <duration>', 'how long to wait for the data folder').argParser(
    durationFlag,
  );
}

function withFile(command: Command): Command {
  return command
    .option('-f, --file <file>', 'the file; - reads standard input (default: loadtests.yaml, found upwards)')
    .option('--env <name>', 'lay an environment of the file over it')
    .addOption(new Option('--var <name=value>', 'set a variable of the file').argParser(variableFlag));
}

function withFilter(command: Command): Command {
  return command
    .addOption(new Option('--only <glob>', 'only tests whose key matches').argParser(listFlag))
    .addOption(new Option('--exclude <glob>', 'not the tests whose key matches').argParser(listFlag));
}

function withPlan(command: Command): Command {
  return withFilter(withFile(command))
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
    )
    .addOption(
      new Option('--allow-limit <name>', 'let the plan break a limit of the file').argParser(limitFlag),
    )
    .addOption(
      new Option(
        '--parallelism <n>',
        'reads, registrations and verifications at once (default: 4)',
      ).argParser(countFlag),
    )
    .addOption(lockTimeout());
}

function withApply(command: Command): Command {
  return command
    .option('--yes', 'consent without being asked')
    .option('--auto-approve', 'the same')
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

/** `--auto-approve` is another name of `--yes`. */
function approved(flags: { readonly yes?: boolean; readonly autoApprove?: boolean }): { yes: boolean } {
  return { yes: flags.yes === true || flags.autoApprove === true };
}
