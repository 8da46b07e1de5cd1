/**
 * The commands: what each is called, what it takes, and what it does.
 *
 * To add one, add an entry here and a file in `commands/`. Its code is loaded when it is called: start-up is a feature.
 */
import { Option, type Command } from 'commander';
import { LIMIT_NAMES } from '../core/model/state.ts';
import type { BaselineFlags } from './commands/baseline.ts';
import type { BackupFlags } from './commands/backup.ts';
import type { DestroyFlags } from './commands/destroy.ts';
import type { ImportFlags } from './commands/import.ts';
import type { OpenFlags } from './commands/open.ts';
import type { PlanCommandFlags } from './commands/plan.ts';
import type { RecoverFlags } from './commands/recover.ts';
import type { ResultsFlags } from './commands/results.ts';
import type { RunFlags } from './commands/run.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { StatusFlags } from './commands/status.ts';
import type { StopFlags } from './commands/stop.ts';
import type { VerifyFlags } from './commands/verify.ts';
import type { WorkerFlags } from './commands/worker.ts';
import {
  withAllowOptions,
  withApplyOptions,
  withApprovalOption,
  withJsonOptions,
  withFileOptions,
  withFilterOptions,
  withLockOption,
  withOutputOptions,
  withPlanOptions,
  withRedisOption,
  withRepeatOption,
  withReportOptions,
  withThreadsOption,
  withVerboseOption,
} from './options.ts';
import type { Context } from './terminal/context.ts';
import {
  parseBaselineRunsFlag,
  parseConnectionsFlag,
  parseCountFlag,
  parseDurationFlag,
  parseRetentionFlag,
  parseListFlag,
  parsePortFlag,
  parseRateFlag,
  parseServiceFlag,
  parseThreadsFlag,
  type ApplyFlags,
  type FileFlags,
  type OutputFiles,
  type OutputFlags,
} from './terminal/flags.ts';
import type { Outcome } from './terminal/outcome.ts';

type CallFlags = OutputFlags & OutputFiles & Pick<FileFlags, 'file'>;

/** What was called. */
export interface CommandCall {
  readonly command: string;
  readonly flags: CallFlags;
  /** Files that output must not take the place of, beside the one of `flags`. */
  readonly inputFiles: readonly string[];
  readonly run: (context: Context) => Outcome | Promise<Outcome>;
  /** Events instead of the document at the end. */
  readonly streams: boolean;
}

/** One command. Its flags are made when it is called: making those of all takes time. */
export interface CommandEntry {
  /** Name and argument, as commander writes them. */
  readonly usage: string;
  readonly summary: string;
  readonly hidden: boolean;
  readonly define: (command: Command, called: (call: CommandCall) => void) => void;
}

interface CommandArguments<Flags, Argument> {
  readonly flags: Flags;
  readonly argument: Argument;
  /** With all commands, where it is the hidden one. */
  readonly program: Command;
}

interface CommandDefinition<Flags, Argument> {
  readonly usage: string;
  readonly summary: string;
  readonly hidden?: boolean;
  readonly configure: (command: Command) => Command;
  readonly run: (context: Context, given: CommandArguments<Flags, Argument>) => Outcome | Promise<Outcome>;
  readonly inputFiles?: (argument: Argument) => readonly string[];
  readonly streams?: (flags: Flags) => boolean;
}

function defineCommand<Flags extends CallFlags, Argument = undefined>(
  definition: CommandDefinition<Flags, Argument>,
): CommandEntry {
  const { usage, summary, hidden = false, configure, run, inputFiles, streams } = definition;
  return {
    usage,
    summary,
    hidden,
    define: (command, called) => {
      configure(command).action(() => {
        const flags = command.opts<Flags>();
        // Of the form that `usage` gives it.
        const argument = command.processedArgs[0] as Argument;
        const program = command.parent ?? command;
        called({
          command: command.name(),
          flags,
          inputFiles: inputFiles?.(argument) ?? [],
          run: (context) => run(context, { flags, argument, program }),
          streams: streams?.(flags) ?? false,
        });
      });
    },
  };
}

/** Hidden: it offers the commands and flags of all others. */
export const COMPLETE_COMMAND = 'complete';

/** Its command line means the same as that of another command with `--help`, and is read as that. */
export const HELP_COMMAND = 'help';

export const COMMANDS: readonly CommandEntry[] = [
  defineCommand({
    usage: 'init',
    summary: 'create a starter loadtests.yaml',
    configure: withOutputOptions,
    inputFiles: () => ['loadtests.yaml'],
    run: async (context) => (await import('./commands/init.ts')).init(context),
  }),
  defineCommand<FileFlags & OutputFlags>({
    usage: 'validate',
    summary: 'check the file and its environments, without a service',
    configure: (command) => withFileOptions(withReportOptions(withOutputOptions(command), 'runs and plans')),
    run: async (context, { flags }) =>
      await (await import('./commands/validate.ts')).validate(context, flags),
  }),
  defineCommand<PlanCommandFlags>({
    usage: 'plan',
    summary: 'show what apply would change, and how much load that would start',
    configure: (command) =>
      withReportOptions(withPlanOptions(command), 'runs and plans')
        .option('-o, --out <file>', 'save the plan to a file, for "apply FILE"')
        .option('--detailed-exitcode', 'exit with 2 if there are changes')
        .option('--against <rev>', 'compare with the file at a git revision, without a service'),
    run: async (context, { flags }) => await (await import('./commands/plan.ts')).plan(context, flags),
  }),
  defineCommand<ApplyFlags, string | undefined>({
    usage: 'apply [plan]',
    summary: 'register and verify apps, create and run tests, wait, judge the results',
    configure: (command) => withReportOptions(withApplyOptions(withPlanOptions(command)), 'runs'),
    inputFiles: (planFile) => (planFile === undefined ? [] : [planFile]),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/apply.ts')).apply(context, argument, flags),
  }),
  defineCommand<RunFlags, readonly string[]>({
    usage: 'run <key...>',
    summary: 'run tests (KEY or id:ID), wait, judge the results',
    configure: (command) =>
      withReportOptions(
        withLockOption(
          withRepeatOption(
            withAllowOptions(
              withApplyOptions(withFileOptions(withVerboseOption(withOutputOptions(command)))),
            ),
          ),
        ),
        'runs',
      ).option('--once', 'make one pass with one client and print every exchange (embedded service)'),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/run.ts')).run(context, argument, flags),
  }),
  defineCommand<StopFlags, readonly string[]>({
    usage: 'stop [key...]',
    summary: 'stop running tests (KEY or id:ID) and cancel their schedules',
    configure: (command) =>
      withLockOption(
        withApprovalOption(
          withFileOptions(withOutputOptions(command)).option(
            '--all',
            'stop all running tests of the account and cancel its schedules; needs no file',
          ),
        ),
      ),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/stop.ts')).stop(context, argument, flags),
  }),
  defineCommand<StatusFlags>({
    usage: 'status',
    summary: 'show apps and tests, declared vs. actual; without a file, those on the service',
    configure: (command) =>
      withLockOption(
        withFilterOptions(withFileOptions(withOutputOptions(command))).option(
          '--watch',
          'keep running and print changes',
        ),
      ),
    streams: ({ watch }) => watch === true,
    run: async (context, { flags }) =>
      await (await import('./commands/status.ts')).showStatus(context, flags),
  }),
  defineCommand<ResultsFlags, string | undefined>({
    usage: 'results [key]',
    summary: 'show the results of past runs (KEY or id:ID)',
    configure: (command) =>
      withReportOptions(withLockOption(withFileOptions(withOutputOptions(command))), 'runs')
        .option('--compare <run>', 'compare the newest run with "previous", a result or the "baseline"')
        .option('--anyway', 'show a comparison that says nothing of the target, without a verdict'),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/results.ts')).showResults(context, argument, flags),
  }),
  defineCommand<BaselineFlags, readonly string[]>({
    usage: 'baseline <key...>',
    summary: 'write the last runs of tests to baselines/KEY.json, to compare later ones with',
    configure: (command) =>
      withLockOption(
        withFileOptions(withOutputOptions(command)).addOption(
          new Option('--runs <n>', 'number of runs to keep (default: 5)').argParser(parseBaselineRunsFlag),
        ),
      ),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/baseline.ts')).writeBaselines(context, argument, flags),
  }),
  defineCommand<VerifyFlags, readonly string[]>({
    usage: 'verify [app...]',
    summary: 'publish verification tokens and verify apps',
    configure: (command) =>
      withLockOption(
        withApprovalOption(withFileOptions(withOutputOptions(command))).addOption(
          new Option('--parallelism <n>', 'number of apps to verify at a time (default: 4)').argParser(
            parseCountFlag,
          ),
        ),
      ),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/verify.ts')).verify(context, argument, flags),
  }),
  defineCommand<ImportFlags>({
    usage: 'import',
    summary: 'write a file from what exists on the service',
    configure: (command) =>
      withLockOption(
        withFilterOptions(withFileOptions(withOutputOptions(command))).option(
          '-o, --out <file>',
          'the file to write; must not exist (default: stdout)',
        ),
      ),
    run: async (context, { flags }) =>
      await (await import('./commands/import.ts')).importAccount(context, flags),
  }),
  defineCommand<RecoverFlags, readonly string[]>({
    usage: 'recover [operation...]',
    summary: 'show requests whose outcome is unknown, and resolve them',
    configure: (command) =>
      withLockOption(
        withFileOptions(withOutputOptions(command))
          .option('--adopt <id>', 'the request was carried out and led to this test or run')
          .option('--absent', 'the request was not carried out'),
      ),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/recover.ts')).recover(context, argument, flags),
  }),
  defineCommand<DestroyFlags>({
    usage: 'destroy',
    summary: 'delete the apps of the file, with all their tests and results',
    configure: (command) =>
      withLockOption(
        withApprovalOption(
          withFileOptions(withOutputOptions(command))
            .addOption(
              new Option('--only <glob>', 'select the apps whose key matches').argParser(parseListFlag),
            )
            .option('--with-unmanaged', 'also delete tests that are not from this file'),
        ),
      ),
    run: async (context, { flags }) => await (await import('./commands/destroy.ts')).destroy(context, flags),
  }),
  defineCommand<ServeFlags>({
    usage: 'serve',
    summary: 'run the service on a port',
    configure: (command) =>
      withLockOption(
        withRedisOption(withThreadsOption(withOutputOptions(command)))
          .addOption(
            new Option(
              '--port <number>',
              'port to listen on; 0 chooses a free port (default: 4900)',
            ).argParser(parsePortFlag),
          )
          .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
          .option('--data <dir>', 'data directory (default: ./loadtests-data)')
          .addOption(
            new Option(
              '--keep-results <time|count>',
              'results to keep of each test, such as 90d or 1000 (default: all)',
            ).argParser(parseRetentionFlag),
          )
          .option('--public-url <url>', 'address that clients connect to')
          .addOption(
            new Option('--allow-private <cidr>', 'private address range that load may be sent to').argParser(
              parseListFlag,
            ),
          )
          .addOption(
            new Option(
              '--allow-callback <host>',
              'host that callbacks may be sent to and payload files downloaded from',
            ).argParser(parseListFlag),
          )
          .addOption(
            new Option(
              '--max-host-connections <n>',
              'connections to one host, of all runs together (default: 100000)',
            ).argParser(parseConnectionsFlag),
          )
          .addOption(
            new Option(
              '--max-host-rate <n>',
              'requests per second to one host, of all runs together (default: 100000)',
            ).argParser(parseRateFlag),
          )
          .option('--open-metrics', 'serve /metrics without the API key')
          .option('--smtp <url>', 'mail relay without a password: smtp://host:port?from=address')
          .option('--smtp-file <file>', 'file with the URL of the mail relay, also with user and password')
          .addOption(
            new Option('--allow-mail <recipient>', 'domain or address that mail may be sent to').argParser(
              parseListFlag,
            ),
          ),
      ),
    streams: () => true,
    run: async (context, { flags }) => await (await import('./commands/serve.ts')).serve(context, flags),
  }),
  defineCommand<WorkerFlags>({
    usage: 'worker',
    summary: 'make load for a "serve --redis", on this machine',
    configure: (command) =>
      withRedisOption(withOutputOptions(command))
        .option('--name <name>', 'how it is called (default: the name of the machine)')
        .addOption(
          new Option(
            '--threads <n>',
            'threads that make load (default: as many as there are cores)',
          ).argParser(parseThreadsFlag),
        )
        .addOption(
          new Option(
            '--max-connections <n>',
            'connections that it may have at once (default: as many as the process may)',
          ).argParser(parseConnectionsFlag),
        )
        .addOption(
          new Option('--allow-private <cidr>', 'private address range that load may be sent to').argParser(
            parseListFlag,
          ),
        )
        .addOption(
          new Option('--health <port>', 'port for /healthz and /metrics, on all addresses').argParser(
            parsePortFlag,
          ),
        )
        .addOption(
          new Option(
            '--grace <duration>',
            'time that a run may go on when the worker is to end (default: 30s)',
          ).argParser(parseDurationFlag),
        ),
    streams: () => true,
    run: async (context, { flags }) => await (await import('./commands/worker.ts')).runWorker(context, flags),
  }),
  defineCommand<BackupFlags, string>({
    usage: 'backup <dir>',
    summary: 'copy the data of "serve", also while it runs',
    configure: (command) =>
      withLockOption(withOutputOptions(command)).option(
        '--data <dir>',
        'data directory (default: ./loadtests-data)',
      ),
    run: async (context, { argument, flags }) =>
      await (await import('./commands/backup.ts')).backup(context, argument, flags),
  }),
  defineCommand<OpenFlags>({
    usage: 'open',
    summary: 'print a link to the page of a running "serve", and open it in a browser',
    configure: (command) =>
      withFileOptions(withOutputOptions(command))
        .addOption(
          new Option(
            '--service <url>',
            'address of the service (default: of the file or LOADTESTS_BASE_URL, else http://127.0.0.1:4900)',
          ).argParser(parseServiceFlag),
        )
        .option(
          '--data <dir>',
          'data directory of "serve", which may hold its key (default: ./loadtests-data)',
        )
        .option('--print', 'print the link only'),
    run: async (context, { flags }) => await (await import('./commands/open.ts')).open(context, flags),
  }),
  defineCommand<OutputFlags, string>({
    usage: 'explain <code>',
    summary: 'explain a problem code',
    configure: withOutputOptions,
    run: async (context, { argument }) => (await import('./commands/explain.ts')).explain(context, argument),
  }),
  defineCommand<OutputFlags, string>({
    usage: 'completion <shell>',
    summary: 'print a completion script for bash, zsh or fish',
    configure: withJsonOptions,
    run: async (_, { argument }) =>
      (await import('./commands/completion.ts')).printCompletionScript(argument),
  }),
  defineCommand<OutputFlags, readonly string[]>({
    usage: `${COMPLETE_COMMAND} [words...]`,
    summary: '',
    hidden: true,
    configure: (command) => command,
    streams: () => true,
    run: async (context, { argument, program }) =>
      await (
        await import('./commands/complete.ts')
      ).complete(context, { program, args: argument, limits: LIMIT_NAMES }),
  }),
  defineCommand<OutputFlags, string | undefined>({
    usage: 'schema [name]',
    summary: 'print a JSON Schema: config, or the name of a command',
    configure: withJsonOptions,
    run: async (_, { argument }) => (await import('./commands/schema.ts')).printSchema(argument ?? 'config'),
  }),
  {
    usage: `${HELP_COMMAND} [command]`,
    summary: 'print the help of a command',
    hidden: false,
    define: () => undefined,
  },
];
